// Records that are made in a form in which others were made before: one at a time, of plain values. What
// follows from the form is known; the values are looked at as ever, and the row leaves with COMMIT. All that
// is not plain, or could touch other records, takes the whole way (docs/decisions/0072).

import { present } from '../../../kit/present.ts'
import { noteChange } from '../../changes/note.ts'
import { keepReserved } from '../../compute/ids.ts'
import { precomputable } from '../../compute/precompute.ts'
import type { ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { isSame } from '../../row/plans.ts'
import { spendTexts, weightOf } from '../../row/values.ts'
import { assertChecks } from '../checks.ts'
import { idsBeforeInsert, insert, insertOf } from '../insert.ts'
import { keepMade, madeValue } from '../kept.ts'
import { givenColumns, isAllowed, isComplete } from './columns.ts'
import { type CreatePlan, createPlan, plans } from './create-plan.ts'
import { deferredRow } from './deferred.ts'
import { formKey, hooksOf, MOST_TEXT, type Vals } from './form.ts'

interface Ways<T> {
  readonly known: (id: number) => T
  readonly whole: () => Promise<T>
  readonly idsOf: (made: T) => readonly number[]
}

/**
 * Makes one record: in the known way, or by `whole`, which gives its id. Only for a unit that has looked at
 * nothing yet: it remembers nothing that could be another value now.
 */
export async function createKnown<T>(
  env: Environment,
  model: ModelDef,
  vals: unknown,
  { known, whole, idsOf }: Ways<T>,
): Promise<T> {
  const key = formKey(env, model, 'create', vals)
  const plan = key === null ? null : plans.get(key)
  if (key === null || plan === null) return whole()
  if (plan) {
    const id = await make(plan, env, model, vals as Vals)
    return id === null ? whole() : known(id)
  }
  const { unit } = env
  // What waits already is not of this record.
  if (unit.waiting().length || unit.changes?.length) return whole()
  const before = { statements: unit.statements, hooks: hooksOf(env) }
  const made = await whole()
  const [id] = idsOf(made)
  if (id !== undefined && unit.pending.size === 0 && hooksOf(env) === before.hooks)
    await learn(key, env, model, { vals: vals as Vals, id, sent: unit.statements - before.statements })
  return made
}

/** Gives the id; null where the record is for the whole way, and nothing is done. */
async function make(plan: CreatePlan, env: Environment, model: ModelDef, vals: Vals): Promise<number | null> {
  const columns = givenColumns(plan, env, model, vals)
  if (!columns || weightOf({ columns }) > MOST_TEXT) return null
  const drawing = idsBeforeInsert(env, model, 1)
  const [reserved, defined] = drawing instanceof Promise ? await drawing : drawing
  const [early] = reserved ?? []
  const isReady =
    !defined.length &&
    isComplete(plan, env, columns, early ?? 0) &&
    plan.checked(early ?? 0, columns) &&
    isAllowed(plan, early ?? null, (field) => madeValue(field, columns))
  if (!isReady) {
    if (early !== undefined) keepReserved(env, model, early)
    return null
  }
  env.unit.spend('records', 1)
  spendTexts(env, { columns })
  const [id = 0] = await insert(env, model, reserved, [{ columns }])
  noteChange(env, model, 'c', [id])
  keepMade(env, model, [id], [{ columns }])
  await assertChecks(env, model.checks, [present(plan.checked(id, columns))])
  return id
}

/** Remembers the form, where the whole way did what its plan would do, and no more. */
async function learn(
  key: string,
  env: Environment,
  model: ModelDef,
  { vals, id, sent }: { readonly vals: Vals; readonly id: number; readonly sent: number },
): Promise<void> {
  const { unit } = env
  const isEarly = precomputable(env, model).length > 0
  const plan = createPlan(env, model, vals)
  const columns = plan && givenColumns(plan, env, model, vals)
  const does =
    plan &&
    columns &&
    isComplete(plan, env, columns, id) &&
    isAllowed(plan, isEarly ? id : null, (field) => madeValue(field, columns)) &&
    (areSame(unit.waiting(), [insertOf(env, model, [id], [columns])]) ||
      (!isEarly && sent === 1 && unit.waiting().length === 0))
  const told = unit.changes?.rows() ?? []
  const tells = told.every(
    ({ op, model: name, ids }) => op === 'c' && name === model.name && isSame(ids, [id]),
  )
  if (does && tells)
    plans.set(key, { ...plan, deferred: await deferredRow(plan, env, model, { vals, columns, id }) })
  else plans.set(key, null)
}

const areSame = (
  sent: readonly { readonly text: string; readonly values: readonly unknown[] }[],
  planned: typeof sent,
): boolean =>
  sent.length === planned.length &&
  sent.every(({ text, values }, n) => text === planned[n]?.text && isSame(values, planned[n].values))
