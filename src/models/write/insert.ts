// The INSERT of new records.
import { present } from '../../kit/present.ts'
import { type ListedRow, listedStatement, listedValues, type Statement } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { byWeight } from '../load/weight.ts'
import { jsonValue } from '../row/columns.ts'
import { isStoredAsIs, type Sorted, weightOf } from '../row/values.ts'
import { noteLate } from '../unit/late-rows.ts'
import { type Form, formOf } from './insert-form.ts'

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
  const all = sorted.map(({ columns }) => columns)
  const form = formOf(model, all)
  const head = model.logAccess ? [env.uid] : []
  const listed = all.map((columns, n) => rowOf(env, form.order, columns, reserved?.[n] ?? n))
  const ids: number[] = []
  const portions = byWeight(listed, (n) => weightOf(present(sorted[n])))
  for (const rows of portions) {
    const [single] = rows.length === 1 ? rows : []
    const alone = single && (() => aloneOf(form, head, single, reserved !== null))
    const together = { text: form.text(reserved ? 'rows, reserved' : 'rows'), head, rows }
    // Long texts are not kept until all of them have left.
    if (reserved && portions.length === 1) env.unit.postRows(together, alone)
    else for (const [id] of await env.unit.run<[number]>(alone?.() ?? listedStatement(together))) ids.push(id)
  }
  env.unit.grew(model.table, sorted.length)
  return reserved ? [...reserved] : ids.sort((a, b) => a - b)
}

/** The INSERT of one row by itself. */
function aloneOf(
  { text }: Form,
  head: readonly unknown[],
  [id, ...values]: ListedRow,
  reserved: boolean,
): Statement {
  return reserved
    ? { text: text('one, reserved'), values: [...head, ...values, id] }
    : { text: text('one'), values: [...head, ...values] }
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
  const { order, text } = formOf(model, rows)
  const [only, more] = rows
  if (only && !more) return oneRow(env, model, { order, text: text('one, reserved') }, only, present(ids[0]))
  const columns = order.map((field) => columnOf(env, field, rows))
  const user = model.logAccess ? [env.uid] : []
  return { text: text('rows, reserved'), values: [...user, ...listedValues(ids, columns)] }
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
