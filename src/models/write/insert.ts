// The INSERT of new records.
import { present } from '../../kit/present.ts'
import {
  type ListedRow,
  listed,
  listedStatement,
  listedValues,
  quote,
  raw,
  type Statement,
} from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { byWeight } from '../load/weight.ts'
import { columnTypeIn, expressionIn, jsonValue } from '../row/columns.ts'
import { fieldsShape } from '../row/plans.ts'
import { isStoredAsIs, type Sorted, weightOf } from '../row/values.ts'
import { noteLate } from '../unit/late-rows.ts'
import { perModel } from '../unit/per-model.ts'

/**
 * One statement for all rows unless their texts are long; gives their ids, `reserved` or made by the table,
 * in the order of `sorted`.
 */
export async function insert(
  env: Environment,
  model: ModelDef,
  reserved: readonly number[] | null,
  sorted: readonly Sorted[],
): Promise<number[]> {
  const given = new Set<FieldDef>()
  for (const { columns } of sorted) for (const field of columns.keys()) given.add(field)
  const fields = inOrder(model, given)
  const head = model.logAccess ? [env.uid] : []
  const all = sorted.map(({ columns }, n) => rowOf(env, fields, columns, reserved?.[n] ?? n))
  const ids: number[] = []
  const portions = byWeight(all, (n) => weightOf(present(sorted[n])))
  for (const rows of portions) {
    const [single] = rows.length === 1 ? rows : []
    const alone = single && (() => aloneOf(model, fields, head, single, reserved !== null))
    const together = { text: textOf(model, fields, reserved ? 'rows, reserved' : 'rows'), head, rows }
    // Long texts are not kept until all of them have left.
    if (reserved && portions.length === 1) env.unit.postRows(together, alone)
    else for (const [id] of await env.unit.run<[number]>(alone?.() ?? listedStatement(together))) ids.push(id)
  }
  env.unit.grew(model.table, sorted.length)
  return reserved ? [...reserved] : ids.sort((a, b) => a - b)
}

/** The INSERT of one row by itself. */
function aloneOf(
  model: ModelDef,
  fields: readonly FieldDef[],
  head: readonly unknown[],
  [id, ...values]: ListedRow,
  reserved: boolean,
): Statement {
  const text = textOf(model, fields, reserved ? 'one, reserved' : 'one')
  return { text, values: reserved ? [...head, ...values, id] : [...head, ...values] }
}

/** New rows that wait for what is computed of them, and characters of their texts. */
const MOST_LATE = { rows: 200, text: 64 * 1024 }

/**
 * As `insert`, of rows with reserved ids that more is to be computed of: it leaves when a statement looks at
 * the table, or with COMMIT.
 */
export function insertLate(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Sorted[],
): boolean {
  const text = sorted.reduce((sum, one) => sum + weightOf(one), 0)
  if (ids.length > MOST_LATE.rows || text > MOST_LATE.text) return false
  const rows = sorted.map(({ columns }) => new Map(columns))
  const make = () => statementOf(env, model, ids, rows)
  env.unit.postLate(make, model.table)
  env.unit.grew(model.table, ids.length)
  const places = new Map(ids.map((id, n) => [id, n]))
  noteLate(env.unit, {
    model,
    has: (id) => places.has(id),
    add(values) {
      const names = [...values.keys()].map(({ name }) => name)
      if (!env.unit.mayAmend(make, names)) return false
      for (const [field, of] of values)
        for (const [id, value] of of) rows[places.get(id) ?? -1]?.set(field, value)
      return true
    },
  })
  return true
}

/** The INSERT of rows by their columns. */
function statementOf(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  rows: readonly ReadonlyMap<FieldDef, unknown>[],
): Statement {
  const fields = inOrder(model, new Set(rows.flatMap((row) => [...row.keys()])))
  const [only, more] = rows
  if (only && !more) {
    const text = oneRowText(model, fields, true)
    return oneRow(env, model, { order: fields, text }, only, present(ids[0]))
  }
  const columns = fields.map((field) => columnOf(env, field, rows))
  const user = model.logAccess ? [env.uid] : []
  return {
    text: textOf(model, fields, 'rows, reserved'),
    values: [...user, ...listedValues(ids, columns)],
  }
}

/** In the order of the contract: functions that ran beside each other end in any, and a plan is made once. */
export function inOrder(model: ModelDef, fields: Iterable<FieldDef>): FieldDef[] {
  const places = placesOf(model)
  return [...fields].sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
}

/** The INSERT of one row as parameters, by its text (`oneRowText`); `id`: null where the table makes it. */
export function oneRow(
  env: Environment,
  model: ModelDef,
  { order, text }: { readonly order: readonly FieldDef[]; readonly text: string },
  columns: ReadonlyMap<FieldDef, unknown>,
  id: number | null,
): Statement {
  const values = valuesOf(env, order, columns, model.logAccess ? [env.uid] : [])
  if (id !== null) values.push(id)
  return { text, values }
}

export const rowsText = (model: ModelDef, fields: readonly FieldDef[]): string =>
  textOf(model, fields, 'rows, reserved')

export const oneRowText = (model: ModelDef, fields: readonly FieldDef[], reserved: boolean): string =>
  textOf(model, fields, reserved ? 'one, reserved' : 'one')

/** Where a row's id was drawn by what leaves ahead of it: what gives it, and further columns that have it. */
interface Drawn {
  readonly id: string
  readonly own: ReadonlySet<FieldDef>
  /** Whether the id is one of several, by its place among them: a value behind those of the fields. */
  readonly isOneOfMany?: boolean
}

/** As `oneRowText`, of a row with such an id; the values are those of the other fields. */
export const drawnRowText = (model: ModelDef, fields: readonly FieldDef[], drawn: Drawn): string =>
  insertText(model, fields, 'one', drawn)

/** The same for several rows, which have the places of their ids as `n`. */
export const drawnRowsText = (model: ModelDef, fields: readonly FieldDef[], drawn: Drawn): string =>
  insertText(model, fields, 'rows', drawn)

/** A row in the form that rows come in together, with its id or the place of that. */
export const rowOf = (
  env: Environment,
  order: readonly FieldDef[],
  columns: ReadonlyMap<FieldDef, unknown>,
  key: number,
): ListedRow => [key, ...valuesOf(env, order, columns)]

/** Values of a row as parameters, behind `values`. */
function valuesOf(
  env: Environment,
  order: readonly FieldDef[],
  columns: ReadonlyMap<FieldDef, unknown>,
  values: unknown[] = [],
): unknown[] {
  for (const field of order) {
    const value = columns.get(field)
    const isItself = typeof value !== 'object' && value !== undefined && isStoredAsIs(field)
    values.push(isItself ? value : madeOf(env, field, value))
  }
  return values
}

/** What goes for a value: documents as their text, for nothing NULL. */
function madeOf(env: Environment, field: FieldDef, value: unknown): unknown {
  const made = jsonValue(env, field, value)
  return typeof made === 'object' && made !== null ? JSON.stringify(made) : (made ?? null)
}

/** The values of a column, of all rows. */
function columnOf(env: Environment, field: FieldDef, rows: readonly ReadonlyMap<FieldDef, unknown>[]) {
  const isPlain = isStoredAsIs(field)
  return rows.map((row) => {
    const value = row.get(field)
    return isPlain && typeof value !== 'object' && value !== undefined ? value : madeOf(env, field, value)
  })
}

/** Where columns stand in the contract. */
const placesOf = perModel(
  (model) =>
    new Map([...model.fields.values()].filter((field) => field.column).map((field, place) => [field, place])),
)

/** Texts by the fields that are given. */
const insertTexts = perModel(() => new Map<string, string>())

/** Texts that are kept of a model: mostly the same fields are given. */
const MOST_TEXTS = 200

/**
 * How rows come: many as lists, column by column, which PostgreSQL takes apart, one as parameters;
 * with ids that were reserved, or with those that the table makes, which come back.
 */
type Way = 'rows' | 'rows, reserved' | 'one' | 'one, reserved'

function textOf(model: ModelDef, fields: readonly FieldDef[], way: Way): string {
  const texts = insertTexts(model)
  const key = `${way} ${fieldsShape(fields)}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = insertText(model, fields, way)
  if (texts.size >= MOST_TEXTS) texts.clear()
  texts.set(key, text)
  return text
}

function insertText(
  model: ModelDef,
  fields: readonly FieldDef[],
  way: Way,
  drawn: Drawn | null = null,
): string {
  const reserved = way.endsWith('reserved') || drawn !== null
  const isOne = way.startsWith('one')
  const first = model.logAccess ? 2 : 1
  const now = `now() AT TIME ZONE 'UTC'`
  const log = model.logAccess
    ? { create_uid: '$1::int', create_date: now, write_uid: '$1::int', write_date: now }
    : {}
  const sent = fields.filter((field) => !drawn?.own.has(field))
  const lists = isOne ? null : listed(reserved && !drawn ? 'id' : 'n', sent.map(columnTypeIn), first)
  const drawnAs = isOne ? 'n.id' : 'n.ids[x.n]'
  let given = 0
  const own = fields.map((field) => {
    const type = columnTypeIn(field)
    const isSent = !drawn?.own.has(field)
    const value = isSent ? (lists?.values[given] ?? `$${first + given}::${type}`) : `${drawnAs}::${type}`
    if (isSent) given++
    return [field.name, expressionIn(field, raw(value)).compile().text] as const
  })
  const place = `$${first + given}::int`
  const id = reserved ? [['id', drawn ? drawnAs : isOne ? place : 'x.id'] as const] : []
  const columns = [...own, ...Object.entries(log), ...id]
  const names = columns.map(([name]) => quote(name)).join(', ')
  const values = columns.map(([, value]) => value).join(', ')
  const into = `INSERT INTO ${quote(model.table)}${columns.length ? ` (${names})` : ''}`
  if (drawn && isOne)
    return `${into} SELECT ${values} FROM (SELECT ${drawn.isOneOfMany ? `(${drawn.id})[${place}]` : drawn.id} AS id) AS n`
  if (!lists) return `${into} SELECT ${values}${reserved ? '' : ' RETURNING "id"'}`
  // Once for all rows, not once a row.
  if (drawn) return `${into} SELECT ${values} FROM (SELECT ${drawn.id} AS ids OFFSET 0) AS n, ${lists.source}`
  return `${into} SELECT ${values} FROM ${lists.source}${reserved ? '' : ' ORDER BY x.n RETURNING "id"'}`
}
