// Creates by a cached plan: of one record with plain values. Values are converted and refused as on the
// general path, and the row leaves with COMMIT. Records that could touch others take the general path
// (docs/notes/writes.md, 72).

import { present } from '../../../kit/present.ts'
import { noteChange } from '../../changes/note.ts'
import { keepReserved } from '../../compute/ids.ts'
import { precomputable } from '../../compute/precompute.ts'
import type { LooseRecords, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { isSame } from '../../row/plans.ts'
import { spendTexts, weightOf } from '../../row/values.ts'
import { recordsOf } from '../../unit/environment.ts'
import { assertChecks } from '../checks.ts'
import { idsBeforeInsert, insert, insertOf } from '../insert.ts'
import { keepMade, madeValue } from '../kept.ts'
import { givenColumns, isAllowed, isComplete } from './columns.ts'
import { type CreatePlan, createPlan, plans } from './create-plan.ts'
import { deferredRow } from './deferred.ts'
import { hooksOf, MOST_TEXT, shapeKey, type Vals } from './shape.ts'

/**
 * Creates one record: by the plan of its shape, or on the general path (`create`). Only for a unit that
 * has read nothing yet: no cached value can differ from what the plan relies on.
 */
export async function createPlanned(
  env: Environment,
  model: ModelDef,
  vals: unknown,
  create: () => Promise<LooseRecords>,
): Promise<LooseRecords> {
  const key = shapeKey(env, model, 'create', vals)
  const plan = key === null ? null : plans.get(key)
  if (key === null || plan === null) return create()
  if (plan) {
    const id = await insertPlanned(plan, env, model, vals as Vals)
    return id === null ? create() : recordsOf(env, model, [id])
  }
  const { unit } = env
  // Statements and changes that wait already are not those of this record.
  if (unit.waiting().length || unit.changes?.length) return create()
  const before = { statements: unit.statements, hooks: hooksOf(env) }
  const records = await create()
  const [id] = records.ids
  if (id !== undefined && unit.pending.size === 0 && hooksOf(env) === before.hooks)
    await learn(key, env, model, { vals: vals as Vals, id, sent: unit.statements - before.statements })
  return records
}

/** Gives the id; null where the record takes the general path, and nothing is done. */
async function insertPlanned(
  plan: CreatePlan,
  env: Environment,
  model: ModelDef,
  vals: Vals,
): Promise<number | null> {
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

/** Keeps the plan of a shape if the general path did what the plan would do, and no more. */
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
  const changes = unit.changes?.rows() ?? []
  const isAlone = changes.every(
    ({ op, model: name, ids }) => op === 'c' && name === model.name && isSame(ids, [id]),
  )
  if (does && isAlone)
    plans.set(key, { ...plan, deferred: await deferredRow(plan, env, model, { vals, columns, id }) })
  else plans.set(key, null)
}

const areSame = (
  sent: readonly { readonly text: string; readonly values: readonly unknown[] }[],
  planned: typeof sent,
): boolean =>
  sent.length === planned.length &&
  sent.every(({ text, values }, n) => text === planned[n]?.text && isSame(values, planned[n].values))
