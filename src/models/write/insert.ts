// The INSERT of new records.
import { present } from '../../kit/present.ts'
import { type ListedRows, listedStatement, type Statement } from '../../sql/index.ts'
import { hasReserved } from '../compute/ids.ts'
import { precomputable } from '../compute/precompute.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { byWeight } from '../load/binaries.ts'
import { idsAndDefined, propertiesOf } from '../read/defined-properties.ts'
import type { Sorted } from '../row/destinations.ts'
import { isStoredAsIs, jsonValue, weightOf } from '../row/values.ts'
import { noteBuffered } from '../unit/cache.ts'
import { perModel } from '../unit/per-model.ts'
import { namesTable } from '../unit/write-buffer.ts'
import { insertFormOf } from './insert-form.ts'

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
  reserved: readonly number[] | null,
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
      (() => aloneOf(text(reserved ? 'one, reserved' : 'one'), listed, reserved !== null))
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
export const aloneOf = (text: string, { head, keys, columns }: ListedRows, reserved: boolean): Statement => ({
  text,
  values: [...head, ...columns.flat(), ...(reserved ? keys : [])],
})

/** Matches the name of a model's table in a statement. */
const tableOf = perModel(({ table }) => namesTable(table))

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
  const make = () => insertOf(env, model, ids, rows)
  env.unit.buffer.postLate(make, tableOf(model))
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

/** The INSERT of rows with reserved ids, by their columns. */
export function insertOf(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  rows: readonly Columns[],
): Statement {
  const { order, text } = insertFormOf(model, rows)
  const all = rows.map((columns, n) => ({ columns, key: present(ids[n]) }))
  const listed = listedOf(env, model, { order, text: text('rows, reserved') }, all)
  return rows.length === 1 ? aloneOf(text('one, reserved'), listed, true) : listedStatement(listed)
}

/** The parameter for a value: documents as their text. */
function madeOf(env: Environment, field: FieldDef, value: unknown): unknown {
  const json = jsonValue(env, field, value)
  return typeof json === 'object' && json !== null ? JSON.stringify(json) : (json ?? null)
}
