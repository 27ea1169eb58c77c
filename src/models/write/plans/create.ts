// Creates by a cached plan: the INSERT of each record draws its id and returns it with COMMIT
// (docs/decisions/0023). Values are converted and refused as on the general path. Records that could
// touch others, and ids that are needed earlier, take the general path (docs/notes/writes.md, 72).

import { noteDeferred } from '../../changes/note.ts'
import { deferredId, hasPlannedIds, hasReserved, skipPlannedId } from '../../compute/ids.ts'
import { precomputable } from '../../compute/precompute.ts'
import { type DeferredId, DeferredRecords } from '../../language/deferred.ts'
import type { FieldDef, LooseRecords, LooseVals, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToOne } from '../../language/field-options.ts'
import { satisfiesCached } from '../../load/decide.ts'
import { askedForDefinitions } from '../../read/defined-properties.ts'
import { cached, isSameValue, planCache } from '../../row/plans.ts'
import { spendTexts, weightOf } from '../../row/values.ts'
import { deferredTexts, inOrder, insertOf, listedOf, singleRowInsert } from '../insert.ts'
import { newRowValue } from '../update.ts'
import {
  type CreatePlan,
  type CreateShape,
  createShape,
  type DeferredRow,
  explicitColumns,
  isComplete,
} from './create-plan.ts'
import { type Columns, hooksOf, idReads, MOST_TEXT, shapeKey, UNSAVED } from './shape.ts'

/** Creates of a shape that take the general path after one could not defer its id. */
const DRAWN_FIRST = 20

/** Records of a list: the general path takes less time for each record of a longer one. */
const MOST_RECORDS = 200

/**
 * Creates the records of a list: by the plans of their shapes, or on the general path (`create`). Only
 * for a unit that has read nothing yet: no cached value can differ from what the plan relies on.
 * `mayDefer`: the call may answer with ids that come with COMMIT (`mayReturnDeferred`).
 */
export async function createPlanned(
  env: Environment,
  model: ModelDef,
  list: readonly unknown[],
  { mayDefer, create }: { readonly mayDefer: boolean; readonly create: () => Promise<LooseRecords> },
): Promise<LooseRecords | DeferredRecords> {
  const records = mayDefer ? await createDeferred(env, model, list) : null
  if (records) return records
  const [vals, more] = list
  return more === undefined ? createAndLearn(env, model, vals, create) : create()
}

async function createAndLearn(
  env: Environment,
  model: ModelDef,
  vals: unknown,
  create: () => Promise<LooseRecords>,
): Promise<LooseRecords> {
  const { unit } = env
  const key = shapeKey(env, model, 'create', vals)
  // Statements and changes that wait already are not those of this record.
  if (key === null || cached(key) !== undefined || unit.buffer.waiting().length || unit.changes?.length)
    return create()
  const before = { statements: unit.usage.statements, hooks: hooksOf(env) }
  const records = await create()
  const [id] = records.ids
  if (id !== undefined && unit.recomputation.pending.size === 0 && hooksOf(env) === before.hooks)
    await learn(key, env, model, {
      vals: vals as LooseVals,
      id,
      sent: unit.usage.statements - before.statements,
    })
  return records
}

/** Keeps the plan of a shape if the general path did what the plan would do, and no more. */
async function learn(
  key: string,
  env: Environment,
  model: ModelDef,
  { vals, id, sent }: { readonly vals: LooseVals; readonly id: number; readonly sent: number },
): Promise<void> {
  const { unit } = env
  const isEarly = precomputable(env, model).length > 0
  const shape = createShape(env, model, vals)
  const columns = shape && explicitColumns(shape, env, model, vals)
  const does =
    columns &&
    isComplete(shape, env, columns, id) &&
    (areSame(unit.buffer.waiting(), [insertOf(env, model, [id], [columns])]) ||
      (!isEarly && sent === 1 && unit.buffer.waiting().length === 0))
  const changes = unit.changes?.rows() ?? []
  const isAlone = changes.every(
    ({ op, model: name, ids }) => op === 'c' && name === model.name && isSameValue(ids, [id]),
  )
  const row = does && isAlone ? await deferredRow(shape, env, model, { vals, columns, id }) : null
  const plan: CreatePlan | null = shape && row ? { ...shape, row } : null
  planCache.set(key, plan)
}

const areSame = (
  sent: readonly { readonly text: string; readonly values: readonly unknown[] }[],
  planned: typeof sent,
): boolean =>
  sent.length === planned.length &&
  sent.every(({ text, values }, n) => text === planned[n]?.text && isSameValue(values, planned[n].values))

/**
 * The deferred row of a shape; `columns` are those of the same values with their id. Null where
 * functions use the id for anything but a link to the record.
 */
async function deferredRow(
  shape: CreateShape,
  env: Environment,
  model: ModelDef,
  { vals, columns, id }: { readonly vals: LooseVals; readonly columns: Columns; readonly id: number },
): Promise<DeferredRow | null> {
  // Later changes of the same call are a part of the creation, which the audit log knows by the id.
  if (model.auditing) return null
  const unsaved = explicitColumns(shape, env, model, vals)
  if (
    !unsaved ||
    !isComplete(shape, env, unsaved, UNSAVED) ||
    (await holds(shape, env, model, unsaved)) !== true
  )
    return null
  const selfLinks = new Set<FieldDef>()
  const order = inOrder(model, unsaved.keys())
  for (const field of order) {
    const [saved, value] = [columns.get(field), unsaved.get(field)]
    if (value === UNSAVED && leadsToOne(field)) selfLinks.add(field)
    if (saved !== (selfLinks.has(field) ? id : value)) return null
  }
  if (!areFree(unsaved, selfLinks)) return null
  const definitions = askedForDefinitions(env, model)
  if (definitions === 'many') return null
  const texts = deferredTexts(model, order, { id: deferredId(env, model, definitions), selfLinks })
  return { selfLinks, order: order.filter((field) => !selfLinks.has(field)), ...texts, left: 0 }
}

/** Whether the missing id stands in the links to the record itself, and in no other column. */
function areFree(columns: Columns, selfLinks: ReadonlySet<FieldDef>): boolean {
  for (const [field, value] of columns) {
    if (typeof value === 'object' && value !== null) return false
    if (selfLinks.has(field) ? value !== UNSAVED : value === UNSAVED && leadsToOne(field)) return false
  }
  return true
}

/** Creates the records of a list by their plans; null, with nothing done, where one needs its id first. */
async function createDeferred(
  env: Environment,
  model: ModelDef,
  list: readonly unknown[],
): Promise<DeferredRecords | null> {
  // Ids that were drawn for these records are used.
  const areDrawn = hasReserved(env, model, 1) && !hasPlannedIds(env, model)
  if (areDrawn || list.length === 0 || list.length > MOST_RECORDS) return null
  const rows: Ready[] = []
  for (const vals of list) {
    const key = shapeKey(env, model, 'create', vals)
    const plan = key === null ? null : cached<CreatePlan>(key)
    const preparing = plan ? ready(plan, env, model, vals as LooseVals) : null
    const row = preparing instanceof Promise ? await preparing : preparing
    if (!row) return null
    rows.push(row)
  }
  return new DeferredRecords(rows.map((row) => post(row, env, model)))
}

interface Ready {
  readonly row: DeferredRow
  readonly columns: Columns
}

/** Null where the id is drawn first; a promise where a check has to be awaited before. */
function ready(
  plan: CreatePlan,
  env: Environment,
  model: ModelDef,
  vals: LooseVals,
): Ready | null | Promise<null> {
  const { row, rule } = plan
  if (row.left > 0) {
    row.left--
    return null
  }
  const { selfLinks } = row
  const columns = explicitColumns(plan, env, model, vals)
  if (!columns || weightOf({ columns }) > MOST_TEXT || !isComplete(plan, env, columns, UNSAVED)) return null
  if (!areFree(columns, selfLinks)) return null
  const draftValue = (field: FieldDef) => (selfLinks.has(field) ? undefined : newRowValue(field, columns))
  if (rule && satisfiesCached(rule, null, draftValue) !== true) return null
  const holding = holds(plan, env, model, columns)
  if (!(holding instanceof Promise)) return holding ? { row, columns } : null
  row.left = DRAWN_FIRST
  return holding.then(() => null)
}

function post({ row, columns }: Ready, env: Environment, model: ModelDef): DeferredId {
  const { unit } = env
  const { order, single, rows } = row
  unit.quota.charge('records', 1)
  spendTexts(env, { columns })
  const listed = listedOf(env, model, { order, text: rows }, [{ columns, key: 0 }])
  const id = unit.buffer.postDeferred(
    listed,
    () => singleRowInsert(single, listed, false),
    () => {
      row.left = DRAWN_FIRST
    },
  )
  unit.insertions.note(model.table, 1)
  skipPlannedId(env, model)
  noteDeferred(env, model, id)
  return id
}

/**
 * Whether all checks hold before the record has an id. False also where a check reads the id for more
 * than the place of its result. A check that awaits something has to run once the row exists: the
 * promise gives null when it is done.
 */
function holds(
  { checked }: CreateShape,
  env: Environment,
  { hooks: { checks } }: ModelDef,
  columns: Columns,
): boolean | Promise<null> {
  const record = checked(UNSAVED, columns)
  if (!record) return false
  for (const { rule } of checks) {
    const before = idReads()
    const results = rule.run([record], env)
    if (results instanceof Promise) return results.then(() => null)
    if (results.get(UNSAVED) === false || idReads() > before + 1) return false
  }
  return true
}
