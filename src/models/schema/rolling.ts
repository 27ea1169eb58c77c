// The schema of a newer build brought about while an older one goes on working: what the older one tolerates
// (expand), and what it does not (contract), each as statements that lock a table for a moment only.
import { quote } from '../../sql/index.ts'
import { addition, besideName, creation, noteOn, removal } from './apply.ts'
import type { Column, Schema, Table, Thing } from './tables.ts'
import { type ColumnsThere, printedType } from './there.ts'

/** Statements that go together, and what they do, in words. */
export interface Change {
  readonly words: string
  readonly statements: readonly string[]
  /** Each statement by itself, outside of any transaction, as what takes long must be. */
  readonly apart?: true
  /** What undoes it where records break the rule that it makes, and what is said then in place of failing. */
  readonly otherwise?: { readonly statements: readonly string[]; readonly words?: string }
  /** The column that it adds. */
  readonly added?: Added
}

/** A column that a table with rows is given. */
export interface Added {
  readonly table: string
  readonly column: string
}

/** A column or, where none is named, a table that no module declares any more. */
export interface Leftover {
  readonly table: string
  readonly column: string | null
}

export interface Rolling {
  readonly expand: readonly Change[]
  /** The end of expand, for which data that modules bring must be there. */
  readonly links: readonly Change[]
  readonly contract: readonly Change[]
  /** What no two builds can have between them, in words. */
  readonly impossible: readonly string[]
}

/** What is there, and what is to be. */
export interface Comparison {
  readonly schema: Schema
  readonly columns: ColumnsThere
  readonly things: ReadonlyMap<string, string | null>
  readonly leftovers: readonly Leftover[]
  /** Values for new columns as SQL, by `table.column`: older builds do not name them. */
  readonly defaults: ReadonlyMap<string, string>
}

/** What each step has to change. */
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

/** Drops what is left over, where it is there. */
export const dropped = (leftovers: readonly Leftover[], there: ColumnsThere): Change[] =>
  droppings(
    leftovers.filter(({ table, column }) =>
      column === null ? there.has(table) : there.get(table)?.has(column),
    ),
  )

/** Drops columns, and then tables. */
export const droppings = (leftovers: readonly Leftover[]): Change[] => [
  ...leftovers.flatMap(({ table, column }) =>
    column === null
      ? []
      : {
          words: `drop the column ${table}.${column}`,
          statements: [`ALTER TABLE ${quote(table)} DROP COLUMN IF EXISTS ${quote(column)}`],
        },
  ),
  ...leftovers.flatMap(({ table, column }) =>
    column === null
      ? { words: `drop the table ${table}`, statements: [`DROP TABLE IF EXISTS ${quote(table)} CASCADE`] }
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
  const there = columns.get(table.name)
  if (!there) {
    part.expand.push({ words: `make the table ${table.name}`, statements: [creation(table)] })
    return part
  }
  for (const column of table.columns) {
    const known = there.get(column.name)
    const at = `${table.name}.${column.name}`
    const alter = `ALTER TABLE ${quote(table.name)} ALTER COLUMN ${quote(column.name)}`
    if (!known) {
      const given = defaults.get(at)
      const value = given === undefined ? '' : ` DEFAULT ${given}`
      part.expand.push({
        words: `add the column ${at}${given === undefined ? '' : `, which is ${given} where an older build writes`}`,
        statements: [
          `ALTER TABLE ${quote(table.name)} ADD COLUMN ${quote(column.name)} ${column.type}${value}`,
        ],
        added: { table: table.name, column: column.name },
      })
    } else retyped(part, at, known.type, column, alter)
    if (known?.notNull && !column.notNull)
      part.expand.push({ words: `let ${at} be empty`, statements: [`${alter} DROP NOT NULL`] })
    if (known?.hasDefault || (!known && defaults.has(at)))
      part.contract.push({
        words: `the table gives ${at} no value any more`,
        statements: [`${alter} DROP DEFAULT`],
      })
    if (column.notNull && !known?.notNull) part.contract.push(...required(table.name, column.name))
  }
  return part
}

/** Longer texts are the one change of type that rewrites nothing and that an older build does not notice. */
function retyped(part: OfTable, at: string, type: string, { type: next }: Column, alter: string): void {
  const to = printedType(next)
  if (type === to) return
  const [from, wide] = [lengthOf(type), lengthOf(to)]
  if (from !== null && wide !== null && wide >= from)
    part.expand.push({
      words: `let ${at} be longer: ${type} becomes ${to}`,
      statements: [`${alter} TYPE ${next}`],
    })
  else part.impossible.push(`${at} changes its type from ${type} to ${to}`)
}

/** How many characters a type takes; null for what is no text. */
function lengthOf(type: string): number | null {
  if (type === 'text' || type === 'character varying') return Number.POSITIVE_INFINITY
  const length = /^character varying\((\d+)\)$/.exec(type)?.[1]
  return length === undefined ? null : Number(length)
}

/** A column that becomes required: the rows are read while others write, and it stays as it is where one is empty. */
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
    {
      words: `${words}: for good`,
      statements: [
        `DO $$ BEGIN IF EXISTS (SELECT FROM pg_constraint WHERE conname = '${`${column}__full`.slice(-63).replaceAll("'", "''")}' AND conrelid = '${on.replaceAll("'", "''")}'::regclass AND convalidated)
          THEN ALTER TABLE ${on} ALTER COLUMN ${name} SET NOT NULL; ${gone}; END IF; END $$`,
      ],
    },
  ]
}

const isHarmless = ({ kind, definition }: Thing) => kind === 'index' && !definition.startsWith('UNIQUE')

const whole = (thing: Thing): Change => ({
  words: `make the ${thing.kind} ${thing.name}`,
  statements: [addition(thing), noteOn(thing)],
})

/** An index made while others write; one that was there under the name gives way when the other is whole. */
function builtBeside(thing: Thing, isThere: boolean): Change[] {
  const beside = besideName(thing.name)
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
    {
      words: `give it its name`,
      statements: [
        ...(isThere ? [removal(thing)] : []),
        `ALTER INDEX ${quote(beside)} RENAME TO ${quote(thing.name)}`,
        noteOn(thing),
      ],
    },
  ]
}

/** A rule of the table: new rows obey at once, those that are there are read while others write. */
function checked(thing: Thing, isThere: boolean): Change[] {
  const on = `ALTER TABLE ${quote(thing.table)}`
  if (!/^(CHECK|FOREIGN KEY)/.test(thing.definition))
    return [
      { ...whole(thing), statements: [...(isThere ? [removal(thing)] : []), addition(thing), noteOn(thing)] },
    ]
  return [
    {
      words: `add the rule ${thing.name} for what is written from now on`,
      statements: [...(isThere ? [removal(thing)] : []), `${addition(thing)} NOT VALID`],
    },
    {
      words: `look whether all records of ${thing.table} obey ${thing.name}`,
      statements: [`${on} VALIDATE CONSTRAINT ${quote(thing.name)}`, noteOn(thing)],
      apart: true,
      otherwise: { statements: [removal(thing)] },
    },
  ]
}

/** Notes on a foreign key that its rows were not looked at yet. */
const UNPROVEN = 'not proven'
const unproven = (key: Thing) => `${UNPROVEN}: ${key.definition}`

/** A foreign key: older builds write nothing into a new column, and new tables are nobody's yet. */
function linked(key: Thing, things: ReadonlyMap<string, string | null>, news: ReadonlySet<string>): Change[] {
  if (things.has(key.name)) return []
  if (news.has(key.table)) return [whole(key)]
  const note = noteOn({ ...key, definition: unproven(key) })
  return [
    {
      words: `add the foreign key ${key.name} for what is written from now on`,
      statements: [`${addition(key)} NOT VALID`, note],
    },
  ]
}

function proven(key: Thing, things: ReadonlyMap<string, string | null>): Change[] {
  const known = things.get(key.name)
  return checked(key, things.has(key.name)).slice(known === unproven(key) ? 1 : 0)
}

/** What no module fills any more must not be asked for. */
function freed({ table, column }: Leftover, there: ColumnsThere): Change[] {
  const known = column === null ? undefined : there.get(table)?.get(column)
  if (column === null || !known?.notNull || known.hasDefault) return []
  return [
    {
      words: `let ${table}.${column} be empty: no module fills it any more`,
      statements: [`ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(column)} DROP NOT NULL`],
    },
  ]
}
