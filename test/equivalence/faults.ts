// Known faults, planted in copies of the tree: the runner must find each. Every fault replaces a text of a
// source file. Where the text is gone, the source was redesigned: choose a place that does the same.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildId } from '../../src/databases/build-id.ts'
import { root } from '../support/serve.ts'

interface Patch {
  readonly file: string
  readonly find: string
  readonly replace: string
}

export interface Fault {
  readonly name: string
  readonly patches: readonly Patch[]
}

const patch = (file: string, find: string, replace: string): Patch => ({ file, find, replace })

export const faults: readonly Fault[] = [
  {
    name: 'amounts are cut instead of rounded',
    patches: [
      patch(
        'src/kit/rounding.ts',
        'export function roundToScale(value: number, scale: number): number {',
        'export function roundToScale(value: number, scale: number): number {\n  if (scale === 2) return Math.floor(value * 100) / 100',
      ),
    ],
  },
  {
    name: 'a search under a record rule misses rows',
    patches: [
      patch('src/models/row/rule.ts', 'import { type Sql, settled }', 'import { type Sql, settled, sql }'),
      patch(
        'src/models/row/rule.ts',
        'return condition && settled(condition)',
        "if (condition && model.name === 'res.partner') return sql`(${condition} AND ${scope.id} % 7 <> 0)`\n  return condition && settled(condition)",
      ),
    ],
  },
  {
    name: 'an unset text is null instead of false',
    patches: [
      patch('src/models/kinds/char.ts', 'toWire: orFalse', 'toWire: (value) => value ?? null'),
      patch(
        'src/models/kinds/char.ts',
        'toJson: (_field, expression, typed) => jsonOrFalse(expression, typed)',
        'toJson: (_field, expression) => jsonOrFalse(expression, { zone: null, decimal: false } as never)',
      ),
    ],
  },
  {
    name: 'rows that compare equal come in another order',
    patches: [
      patch(
        'src/models/row/order.ts',
        "return [...out, directed(scope.id, ASCENDING, 'int4', false)]",
        "return [...out, directed(scope.id, { ...ASCENDING, descending: true }, 'int4', false)]",
      ),
    ],
  },
  {
    name: 'a validation error has another status',
    patches: [
      patch(
        'src/errors.ts',
        "  static override readonly wireName: string = 'odoo.exceptions.ValidationError'",
        "  static override readonly wireName: string = 'odoo.exceptions.ValidationError'\n  static override readonly status: number = 400",
      ),
    ],
  },
  {
    name: 'removals are missing from the feed',
    patches: [
      patch('src/models/changes/log.ts', "if (gone.length) rows.push(rowOf(model, 'd', gone))", 'void gone'),
    ],
  },
  {
    name: 'a table that no answer shows has the wrong user in write_uid',
    patches: [
      patch(
        'src/models/write/update.ts',
        '...(model.logAccess ? [env.uid] : [])',
        "...(model.logAccess ? [model.name === 'product.template' ? 1 : env.uid] : [])",
      ),
    ],
  },
  {
    name: 'ids of a batch come in another order once its shape is known',
    patches: [
      patch(
        'src/models/write/known/create.ts',
        'return rows.map((row) => present(oweAmong(row, env, model)))',
        'return rows.map((row) => present(oweAmong(row, env, model))).reverse()',
      ),
    ],
  },
  {
    name: 'counts are one too high',
    patches: [
      patch(
        'src/models/read/search.ts',
        ': sql`SELECT count(*)::int ${found}`',
        ': sql`SELECT count(*)::int + 1 ${found}`',
      ),
    ],
  },
  {
    name: 'the last of several links is lost',
    patches: [
      patch(
        'src/models/write/commands/links.ts',
        '    const rows = JSON.stringify(pairs.map(({ owner, line }) => ({ a: owner, b: line })))\n    this.env.unit.send(\n      sql`INSERT',
        '    const kept = pairs.length > 2 ? pairs.slice(0, -1) : pairs\n    const rows = JSON.stringify(kept.map(({ owner, line }) => ({ a: owner, b: line })))\n    this.env.unit.send(\n      sql`INSERT',
      ),
    ],
  },
  {
    name: 'a search that is known uses the values of the call before',
    patches: [
      patch(
        'src/models/read/known.ts',
        '  const statement = statementOf(plan, values)\n  const { short }',
        '  const held = search as { stale?: typeof values }\n  const statement = statementOf(plan, held.stale ?? values)\n  held.stale = values\n  const { short }',
      ),
    ],
  },
]

/** What a tree needs to serve, besides its packages and what is built. */
const COPIED = ['src', 'bin', 'package.json', 'tsconfig.json']
const LINKED = ['node_modules', 'build']

/** Copies this tree to `to` and plants a fault. Throws where a text is not there exactly once. */
export function plant({ name, patches }: Fault, to: string): void {
  mkdirSync(to)
  for (const one of COPIED)
    cpSync(join(root, one), join(to, one), { recursive: true, preserveTimestamps: true })
  for (const one of LINKED) symlinkSync(join(root, one), join(to, one))
  for (const { file, find, replace } of patches) {
    const path = join(to, file)
    const text = readFileSync(path, 'utf8')
    if (text.split(find).length !== 2)
      throw new Error(
        `The fault "${name}" cannot be planted: ${file} does not hold this text exactly once. Adapt test/equivalence/faults.ts.\n${find}`,
      )
    writeFileSync(
      path,
      text.replace(find, () => replace),
    )
  }
  // The fault changes no table: nothing is to be upgraded.
  writeFileSync(
    join(to, 'src/databases/build-id.ts'),
    `export const buildId = (): string => ${JSON.stringify(buildId())}\n`,
  )
}
