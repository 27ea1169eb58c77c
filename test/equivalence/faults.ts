// Known faults, planted in copies of the tree: the runner must find each. Every fault replaces a text of a
// source file. Where the text is gone, the source was redesigned: choose a place that does the same.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildId } from '../../src/databases/build-id.ts'
import { root } from '../support/serve.ts'
import type { StepName } from './phases/mix.ts'

interface Patch {
  readonly file: string
  readonly find: string
  readonly replace: string
}

export interface Fault {
  readonly name: string
  /** Steps of the mix that must find it. */
  readonly steps: readonly StepName[]
  readonly patches: readonly Patch[]
}

/** Few lists: faults with the same one are compared with the same recording of the right server. */
export const READS: readonly StepName[] = ['find', 'search']
const WRITES: readonly StepName[] = ['plainBatch', 'links', 'order', 'remove', 'price', 'refusals']

const patch = (file: string, find: string, replace: string): Patch => ({ file, find, replace })

export const faults: readonly Fault[] = [
  {
    name: 'amounts are cut instead of rounded',
    steps: WRITES,
    patches: [
      patch(
        'src/modules/account/tax-engine/exact.ts',
        ': clean.toDecimalPlaces(places)',
        ': clean.times(10 ** places).floor().div(10 ** places)',
      ),
    ],
  },
  {
    name: 'a search under a record rule misses rows',
    steps: READS,
    patches: [
      patch(
        'src/models/row/access.ts',
        'return condition && settled(condition)',
        "if (condition && model.name === 'res.partner') return sql`(${condition} AND ${scope.id} % 7 <> 0)`\n  return condition && settled(condition)",
      ),
    ],
  },
  {
    name: 'an unset value is null instead of false',
    steps: READS,
    patches: [
      patch(
        'src/models/read/short/form.ts',
        'string => JSON.stringify(unsetIn(field, typed))',
        "string => JSON.stringify(unsetIn(field, typed)).replace('false', 'null')",
      ),
    ],
  },
  {
    name: 'rows that compare equal come in another order',
    steps: READS,
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
    steps: WRITES,
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
    steps: WRITES,
    patches: [
      patch('src/models/changes/log.ts', "if (gone.length) rows.push(rowOf(model, 'd', gone))", 'void gone'),
      patch(
        'src/models/changes/log.ts',
        'if (!more) return [rowOf(',
        "if (!more && only.kind === 'd') return []\n    if (!more) return [rowOf(",
      ),
    ],
  },
  {
    name: 'a table that no answer shows has the wrong user in write_uid',
    steps: WRITES,
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
    steps: WRITES,
    patches: [
      patch(
        'src/models/write/plans/create.ts',
        'return new DeferredRecords(rows.map((row) => post(row, env, model)))',
        'return new DeferredRecords(rows.map((row) => post(row, env, model)).reverse())',
      ),
    ],
  },
  {
    name: 'counts are one too high',
    steps: READS,
    patches: [
      patch(
        'src/models/read/search.ts',
        ': sql`SELECT count(*)::int ${fromWhere}`',
        ': sql`SELECT count(*)::int + 1 ${fromWhere}`',
      ),
    ],
  },
  {
    name: 'the last of several links is lost',
    steps: WRITES,
    patches: [
      patch(
        'src/models/write/commands/lists.ts',
        '    const rows = JSON.stringify(pairs.map(({ owner, line }) => ({ a: owner, b: line })))\n    this.#note(pairs)\n    this.env.unit.send(\n      sql`INSERT',
        '    const kept = pairs.length > 2 ? pairs.slice(0, -1) : pairs\n    const rows = JSON.stringify(kept.map(({ owner, line }) => ({ a: owner, b: line })))\n    this.#note(pairs)\n    this.env.unit.send(\n      sql`INSERT',
      ),
    ],
  },
  {
    name: 'a request with a cached plan uses the values of the previous one',
    steps: READS,
    patches: [
      patch(
        'src/models/row/plans.ts',
        '  const { values } = request\n',
        '  const held = plan as { stale?: typeof request.values }\n  const values = held.stale ?? request.values\n  held.stale = request.values\n',
      ),
    ],
  },
]

/** Files that a tree needs to serve, besides its packages and its build. */
const COPIED = ['src', 'bin', 'package.json', 'tsconfig.json', 'test/support/patience.ts']
const LINKED = ['node_modules', 'build']

/**
 * Copies this tree to `to`, with faults to be planted there: what is done to this tree meanwhile changes
 * nothing. It keeps the name of this build, so that no database is upgraded for a fault.
 */
export function copyTree(to: string): void {
  mkdirSync(to)
  for (const path of COPIED)
    cpSync(join(root, path), join(to, path), { recursive: true, preserveTimestamps: true })
  for (const path of LINKED) if (existsSync(join(root, path))) symlinkSync(join(root, path), join(to, path))
  writeFileSync(
    join(to, 'src/databases/build-id.ts'),
    `export const buildId = (): string => ${JSON.stringify(buildId())}\n`,
  )
}

/** Plants a fault in a copy; gives what takes it out again. Throws where a text is not there exactly once. */
export function plant({ name, patches }: Fault, tree: string): () => void {
  const originals = new Map<string, string>()
  const remove = () => {
    for (const [path, text] of originals) writeFileSync(path, text)
  }
  for (const { file, find, replace } of patches) {
    const path = join(tree, file)
    const text = readFileSync(path, 'utf8')
    if (!originals.has(path)) originals.set(path, text)
    if (text.split(find).length !== 2) {
      remove()
      throw new Error(
        `The fault "${name}" cannot be planted: ${file} does not hold this text exactly once. Adapt test/equivalence/faults.ts.\n${find}`,
      )
    }
    // A function: `$` in the text means nothing.
    writeFileSync(
      path,
      text.replace(find, () => replace),
    )
  }
  return remove
}
