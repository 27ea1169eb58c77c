// A record of a known form whose id nobody needs before COMMIT: it is drawn in the flush that makes the row
// and commits it, and a number stands for it until then (docs/decisions/0074). What does not go by that takes
// the way on which the id is asked for first.

import type { Statement } from '../../../sql/index.ts'
import { OWED, tellsOwed } from '../../changes/owed.ts'
import { drawingOf, drawnId, stakeForId } from '../../compute/ids.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import type { OwedId } from '../../language/owed.ts'
import { oneRow, rowOf } from '../insert.ts'
import { drawnRowsText, drawnRowText } from '../insert-form.ts'
import { madeValue } from '../kept.ts'
import { givenColumns, isAllowed, isComplete } from './columns.ts'
import { type CreatePlan, type OwedRow, readAll } from './create-plan.ts'
import type { Vals } from './form.ts'
import { askedForOwed, type Columns } from './row.ts'

/** How often the id is asked for first once what was staked did not hold. */
const BELIEVED = 20

/**
 * The row of a plan whose id is owed; `columns` are those of the same values under the id that it got. Null
 * where functions make something else of an id than a link to the record.
 */
export async function owedRow(
  plan: CreatePlan,
  env: Environment,
  model: ModelDef,
  { vals, columns, id }: { readonly vals: Vals; readonly columns: Columns; readonly id: number },
): Promise<OwedRow | null> {
  const owing = givenColumns(plan, env, model, vals)
  if (!owing || !isComplete(plan, env, owing, OWED) || (await holds(plan, env, owing)) !== true) return null
  const own = new Set<FieldDef>()
  for (const field of plan.order) {
    const [here, there] = [columns.get(field), owing.get(field)]
    if (here === id && there === OWED) own.add(field)
    else if (here !== there || tellsOwed(there)) return null
  }
  const row = {
    own,
    order: plan.order.filter((field) => !own.has(field)),
    text: drawnRowText(model, plan.order, { id: drawnId(env, model), own }),
    id: drawnId(env, model),
    drawing: drawingOf(env, model, plan.definitions),
    together: new Map(),
    left: 0,
  }
  const refused = () => {
    row.left = BELIEVED
  }
  return Object.assign(row, { stake: stakeForId(env, model, plan.definitions, refused) })
}

/** Sends a row whose id is owed beside others: with rows that wait for the same statement, or by itself. */
export function postOwed(
  { order: all }: CreatePlan,
  row: OwedRow,
  env: Environment,
  model: ModelDef,
  { columns, setting, n }: { readonly columns: Columns } & Pick<OwedId, 'setting' | 'n'>,
): void {
  const { own, order, together } = row
  let texts = together.get(setting)
  if (!texts) {
    const drawn = { id: `current_setting('${setting}')::int[]`, own, isOneOfMany: true }
    texts = { one: drawnRowText(model, all, drawn), rows: drawnRowsText(model, all, drawn) }
    together.set(setting, texts)
  }
  const { one, rows } = texts
  const alone = (): Statement => {
    const statement = oneRow(env, model, { order, text: one }, columns, null)
    return { text: one, values: [...statement.values, n] }
  }
  env.unit.postRows(rowOf(env, model, { order, text: rows }, columns, n), alone)
}

/** The columns of a row that may be owed; null where it may not, which may take a while. */
export function owedColumns(
  plan: CreatePlan,
  row: OwedRow,
  env: Environment,
  model: ModelDef,
  vals: Vals,
): Columns | null | Promise<null> {
  const { own } = row
  const columns = givenColumns(plan, env, model, vals)
  if (!columns || !isComplete(plan, env, columns, OWED)) return null
  for (const [field, value] of columns) if (own.has(field) ? value !== OWED : tellsOwed(value)) return null
  const known = (field: FieldDef) => (own.has(field) ? undefined : madeValue(field, columns))
  const verdict = isAllowed(plan, null, known) && holds(plan, env, columns)
  if (!(verdict instanceof Promise)) return verdict ? columns : null
  row.left = BELIEVED
  return verdict.then(() => null)
}

/**
 * Whether all checks hold under an id that is owed: what does not is told as it ever was, and so is what
 * looks at the id for more than the place of its verdict. Where one waits for something it has to be asked
 * again once the row is there; it is only waited for.
 */
function holds({ checks }: CreatePlan, env: Environment, columns: Columns): boolean | Promise<null> {
  const records = readAll(checks, OWED, columns)
  if (!records) return false
  for (const [n, { rule }] of checks.entries()) {
    const before = askedForOwed()
    const verdicts = rule.run(records.slice(n, n + 1), env)
    if (verdicts instanceof Promise) return verdicts.then(() => null)
    if (verdicts.get(OWED) === false || askedForOwed() > before + 1) return false
  }
  return true
}
