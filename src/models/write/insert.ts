// The INSERT of new records; its texts, by the columns that have values and by the form of the rows.

import { ByList } from '../../kit/by-list.ts'
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { type ListedRows, listed, listedStatement, quote, raw, type Statement } from '../../sql/index.ts'
import { RETURNED_ID } from '../changes/last.ts'
import { hasReserved } from '../compute/ids.ts'
import { precomputable } from '../compute/precompute.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { byWeight } from '../load/binaries.ts'
import { idsAndDefined, propertiesOf } from '../read/defined-properties.ts'
import type { Sorted } from '../row/destinations.ts'
import { columnTypeIn, expressionIn, isStoredAsIs, jsonValue, weightOf } from '../row/values.ts'
import { noteBuffered } from '../unit/cache.ts'
import { namesTable } from '../unit/write-buffer.ts'

/**
 * The form of rows: several as one list for each column, or one as parameters; with reserved ids, or
 * with ids of the table, which the statement returns.
 */
type Way = 'rows' | 'rows, reserved' | 'one' | 'one, reserved'

export interface Form {
  readonly order: readonly FieldDef[]
  readonly text: (way: Way) => string
}

const MOST_FORMS = 400

const forms = oncePer((_: ModelDef) => new ByList<FieldDef, Form>(MOST_FORMS))

export function insertFormOf(model: ModelDef, rows: readonly ReadonlyMap<FieldDef, unknown>[]): Form {
  const [only, more] = rows
  return formAs(model, only && !more ? [...only.keys()] : [...givenIn(rows)])
}

function givenIn(rows: readonly ReadonlyMap<FieldDef, unknown>[]): ReadonlySet<FieldDef> {
  const fields = new Set<FieldDef>()
  for (const columns of rows) for (const field of columns.keys()) fields.add(field)
  return fields
}

const formAs = (model: ModelDef, fields: readonly FieldDef[]): Form =>
  forms(model).get(fields) ?? makeForm(model, fields)

/** The same columns in any order share a form, as rows join only those with the same text. */
function makeForm(model: ModelDef, fields: readonly FieldDef[]): Form {
  const cachedForms = forms(model)
  const order = inOrder(model, fields)
  let form = cachedForms.get(order)
  if (!form) {
    const texts = new Map<Way, string>()
    const text = (way: Way): string => {
      const text = texts.get(way) ?? insertText(model, order, way)
      texts.set(way, text)
      return text
    }
    form = { order, text }
    cachedForms.set(order, form)
  }
  cachedForms.set(fields, form)
  return form
}

/** In the order of the contract: concurrent functions end in any order. */
export function inOrder(model: ModelDef, fields: Iterable<FieldDef>): FieldDef[] {
  const places = placesOf(model)
  return [...fields].sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
}

const placesOf = oncePer(
  (model: ModelDef) =>
    new Map([...model.fields.values()].filter((field) => field.column).map((field, place) => [field, place])),
)

/** A row that draws its id by an expression (`id`); links to the record itself have that id too. */
interface Deferred {
  readonly id: string
  readonly selfLinks: ReadonlySet<FieldDef>
}

/** For one such row and for several; they return ids and take values of the other fields. */
export const deferredTexts = (model: ModelDef, fields: readonly FieldDef[], deferred: Deferred) => ({
  single: insertText(model, fields, 'one', deferred),
  rows: insertText(model, fields, 'rows', deferred),
})

function insertText(
  model: ModelDef,
  fields: readonly FieldDef[],
  way: Way,
  deferred: Deferred | null = null,
): string {
  const reserved = way.endsWith('reserved')
  const isOne = way.startsWith('one')
  const first = model.logAccess ? 2 : 1
  const now = `now() AT TIME ZONE 'UTC'`
  const log = model.logAccess
    ? { create_uid: '$1::int', create_date: now, write_uid: '$1::int', write_date: now }
    : {}
  const sent = fields.filter((field) => !deferred?.selfLinks.has(field))
  const lists = isOne ? null : listed(reserved ? 'id' : 'n', sent.map(columnTypeIn), first)
  let place = 0
  const fieldColumns = fields.map((field) => {
    const type = columnTypeIn(field)
    const isSent = !deferred?.selfLinks.has(field)
    const value = isSent ? (lists?.values[place] ?? `$${first + place}::${type}`) : `x.id::${type}`
    if (isSent) place++
    return [field.name, expressionIn(field, raw(value)).compile().text] as const
  })
  const id = reserved && isOne ? `$${first + place}::int` : 'x.id'
  const columns = [
    ...fieldColumns,
    ...Object.entries(log),
    ...(reserved || deferred ? [['id', id] as const] : []),
  ]
  const names = columns.map(([name]) => quote(name)).join(', ')
  const values = columns.map(([, value]) => value).join(', ')
  const into = `INSERT INTO ${quote(model.table)}${columns.length ? ` (${names})` : ''} SELECT ${values}`
  if (deferred) {
    const drawn = `SELECT ${deferred.id} AS id${lists ? `, x.* FROM ${lists.source}` : ''}`
    return `${into} FROM (${drawn}) AS x RETURNING ${RETURNED_ID}`
  }
  if (!lists) return `${into}${reserved ? '' : ' RETURNING "id"'}`
  return `${into} FROM ${lists.source}${reserved ? '' : ' ORDER BY x.n RETURNING "id"'}`
}

/**
 * Ids of new records that have to be known before their INSERT, and properties that may be defined for them;
 * null where the table makes the ids.
 */
export const idsBeforeInsert = (env: Environment, model: ModelDef, sorted: readonly Sorted[]) =>
  precomputable(env, model).length > 0 || hasReserved(env, model, sorted.length)
    ? idsAndDefined(
        env,
        model,
        sorted.map(({ columns }) => columns),
      )
    : ([null, propertiesOf(model)] as const)

/**
 * One statement for all rows unless their texts are long; gives their ids, `reserved` or made by the table,
 * in the order of `sorted`.
 */
export async function insert(
  env: Environment,
  model: ModelDef,
  reserved: Ids | null,
  sorted: readonly Pick<Sorted, 'columns'>[],
): Promise<number[]> {
  const { order, text } = insertFormOf(
    model,
    sorted.map(({ columns }) => columns),
  )
  const ids: number[] = []
  const all = sorted.map(({ columns }, n) => ({ columns, key: reserved?.[n] ?? n }))
  const portions = byWeight(all, (n) => weightOf(present(sorted[n])))
  for (const rows of portions) {
    const listed = listedOf(env, model, { order, text: text(reserved ? 'rows, reserved' : 'rows') }, rows)
    const alone =
      rows.length === 1 &&
      (() => singleRowInsert(text(reserved ? 'one, reserved' : 'one'), listed, reserved !== null))
    // Long texts are not kept until all of them have left.
    if (reserved && portions.length === 1) env.unit.buffer.postRows(listed, alone || null)
    else
      for (const [id] of await env.unit.run<[number]>(alone ? alone() : listedStatement(listed))) ids.push(id)
  }
  env.unit.insertions.note(model.table, sorted.length)
  return reserved ? [...reserved] : ids.sort((a, b) => a - b)
}

type Columns = ReadonlyMap<FieldDef, unknown>

/** Rows for one statement, with the columns of a form and its text for rows. */
export function listedOf(
  env: Environment,
  model: ModelDef,
  { order, text }: { readonly order: readonly FieldDef[]; readonly text: string },
  rows: readonly { readonly columns: Columns; readonly key: number }[],
): ListedRows {
  const columns: unknown[][] = []
  for (const field of order) {
    const isPlain = isStoredAsIs(field)
    const values: unknown[] = []
    for (const row of rows) {
      const value = row.columns.get(field)
      const isItself = isPlain && typeof value !== 'object' && value !== undefined
      values.push(isItself ? value : madeOf(env, field, value))
    }
    columns.push(values)
  }
  const head = model.logAccess ? [env.uid] : []
  return { text, head, keys: rows.map(({ key }) => key), columns }
}

/** The INSERT of a row by itself, by its text for one; its id is a value where it is reserved. */
export const singleRowInsert = (
  text: string,
  { head, keys, columns }: ListedRows,
  reserved: boolean,
): Statement => ({
  text,
  values: [...head, ...columns.flat(), ...(reserved ? keys : [])],
})

const tableOf = oncePer(({ table }: ModelDef) => namesTable(table))

/** New rows that wait for what is computed of them, and characters of their texts. */
const MOST_LATE = { rows: 200, text: 64 * 1024 }

/**
 * As `insert`, of rows with reserved ids that more is to be computed of: it leaves when a statement looks at
 * the table, or with COMMIT.
 */
export function deferInsert(env: Environment, model: ModelDef, ids: Ids, sorted: readonly Sorted[]): boolean {
  const text = sorted.reduce((sum, one) => sum + weightOf(one), 0)
  if (ids.length > MOST_LATE.rows || text > MOST_LATE.text) return false
  const rows = sorted.map(({ columns }) => new Map(columns))
  const make = () => insertOf(env, model, ids, rows)
  env.unit.buffer.postDeferredInsert(make, tableOf(model))
  env.unit.insertions.note(model.table, ids.length)
  const places = new Map(ids.map((id, n) => [id, n]))
  noteBuffered(env.unit, {
    model,
    uid: env.uid,
    has: (id) => places.has(id),
    add(values) {
      const names = [...values.keys()].map(({ name }) => name)
      if (!env.unit.buffer.mayAmend(make, names)) return false
      for (const [field, of] of values)
        for (const [id, value] of of) rows[places.get(id) ?? -1]?.set(field, value)
      return true
    },
  })
  return true
}

export function insertOf(env: Environment, model: ModelDef, ids: Ids, rows: readonly Columns[]): Statement {
  const { order, text } = insertFormOf(model, rows)
  const all = rows.map((columns, n) => ({ columns, key: present(ids[n]) }))
  const listed = listedOf(env, model, { order, text: text('rows, reserved') }, all)
  return rows.length === 1 ? singleRowInsert(text('one, reserved'), listed, true) : listedStatement(listed)
}

/** The parameter for a value: documents as their text. */
function madeOf(env: Environment, field: FieldDef, value: unknown): unknown {
  const json = jsonValue(env, field, value)
  return typeof json === 'object' && json !== null ? JSON.stringify(json) : (json ?? null)
}
