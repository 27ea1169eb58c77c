// Changes the schema for a newer build while an older one is in use: changes that the older build tolerates
// (expand), and those that it does not (contract), as statements that lock a table only briefly.
import { quote } from '../../sql/index.ts'
import {
  addition,
  creation,
  type ExistingColumns,
  noteOn,
  printedType,
  removal,
  temporaryIndexName,
} from './apply.ts'
import type { Column, Schema, Table, Thing } from './tables.ts'

/** Statements that belong together, and their description. */
export interface Change {
  readonly words: string
  readonly statements: readonly string[]
  /** Each statement runs outside of any transaction, as slow ones have to. */
  readonly apart?: true
  /** Undoes the change if records violate its constraint, with a description to report instead of failing. */
  readonly otherwise?: { readonly statements: readonly string[]; readonly words?: string }
  readonly added?: Added
}

export interface Added {
  readonly table: string
  readonly column: string
}

/** A column, or without a name a table, that no module declares any more. */
export interface Leftover {
  readonly table: string
  readonly column: string | null
}

/** A change of these statements alone. */
export const change = (words: string, statements: readonly string[]): Change => ({ words, statements })

export interface Rolling {
  readonly expand: readonly Change[]
  /** The end of expand, which needs the modules' data. */
  readonly links: readonly Change[]
  readonly contract: readonly Change[]
  /** Descriptions of changes that two builds cannot share a database through. */
  readonly impossible: readonly string[]
}

export interface Comparison {
  readonly schema: Schema
  readonly columns: ExistingColumns
  readonly things: ReadonlyMap<string, string | null>
  readonly leftovers: readonly Leftover[]
  /** Values of new columns as SQL, by `table.column`, for older builds that do not name them. */
  readonly defaults: ReadonlyMap<string, string>
}

export function compare(comparison: Comparison): Rolling {
  const { schema, columns, things } = comparison
  const news = new Set(schema.tables.filter(({ name }) => !columns.has(name)).map(({ name }) => name))
  const parts = schema.tables.map((table) => ofTable(table, comparison))
  const wanted = schema.things.filter((thing) => things.get(thing.name) !== thing.definition)
  const isThere = ({ name }: Thing) => things.has(name)
  const early = wanted.filter((thing) => !news.has(thing.table) && isHarmless(thing) && !isThere(thing))
  const late = wanted.filter((thing) => !news.has(thing.table) && !early.includes(thing))
  return {
    expand: [
      ...parts.flatMap(({ expand }) => expand),
      ...wanted.filter(({ table }) => news.has(table)).map(whole),
      ...comparison.leftovers.flatMap((leftover) => freed(leftover, columns)),
      ...early.flatMap((thing) => builtBeside(thing, false)),
    ],
    links: schema.foreignKeys.flatMap((key) => linked(key, things, news)),
    contract: [
      ...parts.flatMap(({ contract }) => contract),
      ...late.flatMap((thing) =>
        thing.kind === 'index' ? builtBeside(thing, isThere(thing)) : checked(thing, isThere(thing)),
      ),
      ...schema.foreignKeys
        .filter((key) => things.get(key.name) !== key.definition)
        .flatMap((key) => proven(key, things)),
    ],
    impossible: parts.flatMap(({ impossible }) => impossible),
  }
}

export const dropExistingLeftovers = (leftovers: readonly Leftover[], existing: ExistingColumns): Change[] =>
  dropLeftovers(
    leftovers.filter(({ table, column }) =>
      column === null ? existing.has(table) : existing.get(table)?.has(column),
    ),
  )

export const dropLeftovers = (leftovers: readonly Leftover[]): Change[] => [
  ...leftovers.flatMap(({ table, column }) =>
    column === null
      ? []
      : change(`drop the column ${table}.${column}`, [
          `ALTER TABLE ${quote(table)} DROP COLUMN IF EXISTS ${quote(column)}`,
        ]),
  ),
  ...leftovers.flatMap(({ table, column }) =>
    column === null
      ? change(`drop the table ${table}`, [`DROP TABLE IF EXISTS ${quote(table)} CASCADE`])
      : [],
  ),
]

interface OfTable {
  readonly expand: Change[]
  readonly contract: Change[]
  readonly impossible: string[]
}

function ofTable(table: Table, { columns, defaults }: Comparison): OfTable {
  const part: OfTable = { expand: [], contract: [], impossible: [] }
  const existingColumns = columns.get(table.name)
  if (!existingColumns) {
    part.expand.push(change(`make the table ${table.name}`, [creation(table)]))
    return part
  }
  for (const column of table.columns) {
    const existing = existingColumns.get(column.name)
    const at = `${table.name}.${column.name}`
    const alter = `ALTER TABLE ${quote(table.name)} ALTER COLUMN ${quote(column.name)}`
    if (!existing) {
      const defaultValue = defaults.get(at)
      const value = defaultValue === undefined ? '' : ` DEFAULT ${defaultValue}`
      part.expand.push({
        words: `add the column ${at}${defaultValue === undefined ? '' : `, which is ${defaultValue} where an older build writes`}`,
        statements: [
          `ALTER TABLE ${quote(table.name)} ADD COLUMN ${quote(column.name)} ${column.type}${value}`,
        ],
        added: { table: table.name, column: column.name },
      })
    } else retyped(part, at, existing.type, column, alter)
    if (existing?.notNull && !column.notNull)
      part.expand.push(change(`let ${at} be empty`, [`${alter} DROP NOT NULL`]))
    if (existing?.hasDefault || (!existing && defaults.has(at)))
      part.contract.push(change(`the table gives ${at} no value any more`, [`${alter} DROP DEFAULT`]))
    if (column.notNull && !existing?.notNull) part.contract.push(...required(table.name, column.name))
  }
  return part
}

/** A longer text is the only change of type that rewrites nothing and that an older build does not notice. */
function retyped(part: OfTable, at: string, type: string, { type: next }: Column, alter: string): void {
  const to = printedType(next)
  if (type === to) return
  const [from, wide] = [lengthOf(type), lengthOf(to)]
  if (from !== null && wide !== null && wide >= from)
    part.expand.push(change(`let ${at} be longer: ${type} becomes ${to}`, [`${alter} TYPE ${next}`]))
  else part.impossible.push(`${at} changes its type from ${type} to ${to}`)
}

function lengthOf(type: string): number | null {
  if (type === 'text' || type === 'character varying') return Number.POSITIVE_INFINITY
  const length = /^character varying\((\d+)\)$/.exec(type)?.[1]
  return length === undefined ? null : Number(length)
}

/** Makes a column required, checked while others write; it stays nullable if a row is empty. */
function required(table: string, column: string): Change[] {
  const [on, name, rule] = [quote(table), quote(column), quote(`${column}__full`.slice(-63))]
  const gone = `ALTER TABLE ${on} DROP CONSTRAINT IF EXISTS ${rule}`
  const words = `require ${table}.${column}`
  return [
    {
      words,
      statements: [gone, `ALTER TABLE ${on} ADD CONSTRAINT ${rule} CHECK (${name} IS NOT NULL) NOT VALID`],
    },
    {
      words: `${words}: look whether it is empty anywhere`,
      statements: [`ALTER TABLE ${on} VALIDATE CONSTRAINT ${rule}`],
      apart: true,
      otherwise: {
        statements: [gone],
        words: `${table}.${column} is empty in some records, and stays so: new ones are judged`,
      },
    },
    change(`${words}: for good`, [
      `DO $$ BEGIN IF EXISTS (SELECT FROM pg_constraint WHERE conname = '${`${column}__full`.slice(-63).replaceAll("'", "''")}' AND conrelid = '${on.replaceAll("'", "''")}'::regclass AND convalidated)
          THEN ALTER TABLE ${on} ALTER COLUMN ${name} SET NOT NULL; ${gone}; END IF; END $$`,
    ]),
  ]
}

const isHarmless = ({ kind, definition }: Thing) => kind === 'index' && !definition.startsWith('UNIQUE')

const whole = (thing: Thing): Change =>
  change(`make the ${thing.kind} ${thing.name}`, [addition(thing), noteOn(thing)])

/** Builds an index while others write. It replaces an existing one of this name once it is complete. */
function builtBeside(thing: Thing, isThere: boolean): Change[] {
  const beside = temporaryIndexName(thing.name)
  const unfinished = `DROP INDEX CONCURRENTLY IF EXISTS ${quote(beside)}`
  return [
    {
      words: `make the index ${thing.name}${isThere ? ' anew' : ''}, while others write`,
      statements: [
        unfinished,
        addition({
          ...thing,
          name: beside,
          definition: thing.definition.replace('INDEX %name', 'INDEX CONCURRENTLY %name'),
        }),
      ],
      apart: true,
      otherwise: { statements: [unfinished] },
    },
    change(`give it its name`, [
      ...(isThere ? [removal(thing)] : []),
      `ALTER INDEX ${quote(beside)} RENAME TO ${quote(thing.name)}`,
      noteOn(thing),
    ]),
  ]
}

/** Adds a constraint: it applies to new rows at once, existing rows are checked while others write. */
function checked(thing: Thing, isThere: boolean): Change[] {
  const on = `ALTER TABLE ${quote(thing.table)}`
  if (!/^(CHECK|FOREIGN KEY)/.test(thing.definition))
    return [
      { ...whole(thing), statements: [...(isThere ? [removal(thing)] : []), addition(thing), noteOn(thing)] },
    ]
  return [
    change(`add the rule ${thing.name} for what is written from now on`, [
      ...(isThere ? [removal(thing)] : []),
      `${addition(thing)} NOT VALID`,
    ]),
    {
      words: `look whether all records of ${thing.table} obey ${thing.name}`,
      statements: [`${on} VALIDATE CONSTRAINT ${quote(thing.name)}`, noteOn(thing)],
      apart: true,
      otherwise: { statements: [removal(thing)] },
    },
  ]
}

/** Marks a foreign key whose existing rows were not checked yet. */
const UNPROVEN = 'not proven'
const unproven = (key: Thing) => `${UNPROVEN}: ${key.definition}`

/** Adds a foreign key: older builds write nothing into a new column, and do not use new tables. */
function linked(key: Thing, things: ReadonlyMap<string, string | null>, news: ReadonlySet<string>): Change[] {
  if (things.has(key.name)) return []
  if (news.has(key.table)) return [whole(key)]
  const note = noteOn({ ...key, definition: unproven(key) })
  return [
    change(`add the foreign key ${key.name} for what is written from now on`, [
      `${addition(key)} NOT VALID`,
      note,
    ]),
  ]
}

function proven(key: Thing, things: ReadonlyMap<string, string | null>): Change[] {
  const current = things.get(key.name)
  return checked(key, things.has(key.name)).slice(current === unproven(key) ? 1 : 0)
}

/** Makes a leftover column nullable, because no module fills it any more. */
function freed({ table, column }: Leftover, existing: ExistingColumns): Change[] {
  const current = column === null ? undefined : existing.get(table)?.get(column)
  if (column === null || !current?.notNull || current.hasDefault) return []
  return [
    change(`let ${table}.${column} be empty: no module fills it any more`, [
      `ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(column)} DROP NOT NULL`,
    ]),
  ]
}
