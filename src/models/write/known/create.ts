// Records that are made in a form in which others were made before: one at a time, of plain values. What
// follows from the form is known; the values are looked at as ever, and the row leaves with COMMIT. All that
// is not plain, or could touch other records, takes the whole way (docs/decisions/0072).

import { ValidationError } from '../../../errors.ts'
import { Recent } from '../../../kit/recent.ts'
import { noteChange } from '../../changes/note.ts'
import { hasReserved, keepReserved } from '../../compute/ids.ts'
import { waits } from '../../compute/waits.ts'
import type { LooseRecord } from '../../language/behaviour.ts'
import type { ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { decidedBy } from '../../load/decide.ts'
import { clockReadings } from '../../row/clock-readings.ts'
import { isSame } from '../../row/plans.ts'
import { searchedOf, weightOf } from '../../row/values.ts'
import { oneRow } from '../insert.ts'
import { madeValue } from '../kept.ts'
import { type CreatePlan, completed, createPlan, readAll } from './create-plan.ts'
import { formKey, hooksOf, MOST_TEXT, type Vals } from './form.ts'
import type { Columns } from './row.ts'

/** Forms that are kept; those not made for the longest time go. */
const CAPACITY = 1000

/** Null for forms of which more follows than is known in advance. */
const plans = new Recent<string, CreatePlan | null>(CAPACITY)

/**
 * Makes one record: in the known way, or by `whole`, which gives its id. Only for a unit that has looked at
 * nothing yet: it remembers nothing that could be another value now.
 */
export async function createKnown<T>(
  env: Environment,
  model: ModelDef,
  vals: unknown,
  { known, whole, idsOf }: { known(id: number): T; whole(): Promise<T>; idsOf(made: T): readonly number[] },
): Promise<T> {
  const key = hasReserved(env, model, 1) ? null : formKey(env, model, 'create', vals)
  const plan = key === null ? null : plans.get(key)
  if (key === null || plan === null) return whole()
  if (plan) {
    const id = await make(plan, env, model, vals as Vals)
    return id === null ? whole() : known(id)
  }
  const { unit } = env
  const before = { statements: unit.statements, hooks: hooksOf(env) }
  const made = await whole()
  const [id] = idsOf(made)
  if (id !== undefined && unit.pending.size === 0 && hooksOf(env) === before.hooks)
    learn(key, env, model, { vals: vals as Vals, id, sent: unit.statements - before.statements })
  return made
}

/** Gives the id; null where the record is for the whole way, and nothing is done. */
async function make(plan: CreatePlan, env: Environment, model: ModelDef, vals: Vals): Promise<number | null> {
  const columns = givenColumns(plan, env, model, vals)
  if (!columns) return null
  const { unit } = env
  const [written, searched] = [weightOf({ columns }), searchedOf({ columns })]
  if (written > MOST_TEXT) return null
  const drawn = plan.question ? ((await unit.ask(plan.question)) as number) : 0
  let id = Math.abs(drawn)
  const records = drawn >= 0 && isComplete(plan, env, columns, id) ? readAll(plan.checks, id, columns) : null
  if (!records || !isAllowed(plan, columns, drawn || null)) {
    if (drawn) keepReserved(env, model, id)
    return null
  }
  unit.spend('records', 1)
  unit.spend('written', written)
  unit.spend('searched', searched)
  const statement = oneRow(env, model, plan, columns, drawn || null)
  if (drawn) unit.post(statement)
  else id = (await unit.run<[number]>(statement))[0]?.[0] ?? 0
  unit.grew(model.table, 1)
  noteChange(env, model, 'c', [id])
  unit.cache.made(model, [id], (field) => (field.name === 'id' ? id : madeValue(field, columns)))
  await check(plan, env, id, drawn ? records : (readAll(plan.checks, id, columns) ?? []))
  return id
}

/** The columns of the values; null where they are others than those of the plan. Throws InvalidValue. */
function givenColumns(plan: CreatePlan, env: Environment, model: ModelDef, vals: Vals): Columns | null {
  const complete = completed(env, model, plan.defaults, vals)
  if (!complete) return null
  const columns: Columns = new Map()
  let left = plan.fields.size
  for (const name in complete) {
    const [field, value] = [plan.fields.get(name), complete[name]]
    if (field === undefined) return null
    if (field) columns.set(field, field.type.toColumn(field, value))
    else if (!Array.isArray(value) || value.length) return null
    left--
  }
  if (left) return null
  for (const field of plan.required)
    if ((columns.get(field) ?? null) === null && !(field.compute && !columns.has(field))) return null
  return columns
}

/** Computes what follows from the columns; false where that takes more than the row. */
function isComplete({ steps, unset }: CreatePlan, env: Environment, columns: Columns, id: number): boolean {
  const su = env.sudo()
  for (const { fields, compute, read } of steps) {
    const record = read(id, columns)
    const values = record && compute.run([record], su)
    if (!values || waits(compute, values) || !values.has(id)) return false
    const value: unknown = values.get(id)
    const plain = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
    for (const field of fields) columns.set(field, field.type.toColumn(field, plain ?? false))
  }
  for (const field of unset) if ((columns.get(field) ?? null) !== null) return false
  return true
}

/** Whether the rules are known to let the caller make the record. */
const isAllowed = ({ rule }: CreatePlan, columns: Columns, id: number | null): boolean =>
  rule === null || decidedBy(rule, id, (field) => madeValue(field, columns)) === true

/** Runs the modules' checks. Throws ValidationError with the message of one that does not hold. */
async function check(
  { checks }: CreatePlan,
  env: Environment,
  id: number,
  records: readonly LooseRecord[],
): Promise<void> {
  for (const [n, { rule, message }] of checks.entries()) {
    const verdicts = rule.run(records.slice(n, n + 1), env)
    const held = verdicts instanceof Promise ? await verdicts : verdicts
    if (held.get(id) === false) throw new ValidationError(message)
  }
}

/** Remembers the form, where the whole way did what its plan would do, and no more. */
function learn(
  key: string,
  env: Environment,
  model: ModelDef,
  { vals, id, sent }: { readonly vals: Vals; readonly id: number; readonly sent: number },
): void {
  const { unit } = env
  const readings = clockReadings()
  const plan = createPlan(env, model, vals)
  const columns = plan && givenColumns(plan, env, model, vals)
  const does =
    plan &&
    columns &&
    isComplete(plan, env, columns, id) &&
    isAllowed(plan, columns, plan.question ? id : null) &&
    (plan.question
      ? areSame(unit.waiting(), [oneRow(env, model, plan, columns, id)])
      : sent === 1 && unit.waiting().length === 0)
  const told = unit.changes?.rows() ?? []
  const tells = told.every(
    ({ op, model: name, ids }) => op === 'c' && name === model.name && isSame(ids, [id]),
  )
  // A rule with a date such as `today` is decided by the date of now.
  plans.set(key, does && tells && clockReadings() === readings ? plan : null)
}

const areSame = (
  sent: readonly { readonly text: string; readonly values: readonly unknown[] }[],
  planned: typeof sent,
): boolean =>
  sent.length === planned.length &&
  sent.every(({ text, values }, n) => text === planned[n]?.text && isSame(values, planned[n].values))
