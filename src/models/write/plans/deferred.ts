// Creates by a cached plan of records whose ids are not needed before COMMIT: the INSERT draws the id
// and returns it (docs/decisions/0119). `create.ts` draws the id first where it is needed earlier.

import { noteDeferred } from '../../changes/note.ts'
import { deferredId, hasReserved, isForeseen, passForeseen } from '../../compute/ids.ts'
import { type DeferredId, DeferredRecords } from '../../language/deferred.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToOne } from '../../language/relations.ts'
import { askedForDefinitions } from '../../read/properties.ts'
import { spendTexts, weightOf } from '../../row/values.ts'
import { aloneOf, listedOf } from '../insert.ts'
import { deferredTexts, inOrder } from '../insert-form.ts'
import { madeValue } from '../kept.ts'
import { givenColumns, isAllowed, isComplete } from './columns.ts'
import { type CreatePlan, type DeferredRow, plans } from './create-plan.ts'
import { type Columns, idReads, UNSAVED } from './new-row.ts'
import { MOST_TEXT, shapeKey, type Vals } from './shape.ts'

/** Creates that draw the id first, after the INSERT could not. */
const DRAWN_FIRST = 20

/** Records of a list: of more, the general path takes less for each. */
const MOST_RECORDS = 200

/**
 * The deferred row of a plan; `columns` are those of the same values with their id. Null where functions
 * use the id for anything but a link to the record.
 */
export async function deferredRow(
  plan: CreatePlan,
  env: Environment,
  model: ModelDef,
  { vals, columns, id }: { readonly vals: Vals; readonly columns: Columns; readonly id: number },
): Promise<DeferredRow | null> {
  // Later changes of the same call are a part of the creation, which the audit log knows by the id.
  if (model.auditing) return null
  const unsaved = givenColumns(plan, env, model, vals)
  if (
    !unsaved ||
    !isComplete(plan, env, unsaved, UNSAVED) ||
    (await holds(plan, env, model, unsaved)) !== true
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

/**
 * Creates the records of a list by their plans; null where one of them needs its id first, and nothing
 * is done. Only for a unit that has read nothing yet and may defer ids (`Unit.takesDeferred`).
 */
export async function createDeferred(
  env: Environment,
  model: ModelDef,
  list: readonly unknown[],
): Promise<DeferredRecords | null> {
  // Ids that were drawn for these records are used.
  const areDrawn = hasReserved(env, model, 1) && !isForeseen(env, model)
  if (areDrawn || list.length > MOST_RECORDS) return null
  const rows: Ready[] = []
  for (const vals of list) {
    const key = shapeKey(env, model, 'create', vals)
    const plan = key === null ? null : plans.get(key)
    const preparing = plan?.deferred ? ready(plan, plan.deferred, env, model, vals as Vals) : null
    const row = preparing instanceof Promise ? await preparing : preparing
    if (!row) return null
    rows.push(row)
  }
  return new DeferredRecords(rows.map((row) => post(row, env, model)))
}

/** A row that passed the checks of the plan. */
interface Ready {
  readonly deferred: DeferredRow
  readonly columns: Columns
}

/** Null where the id is drawn first; a promise where a check has to be waited for before. */
function ready(
  plan: CreatePlan,
  deferred: DeferredRow,
  env: Environment,
  model: ModelDef,
  vals: Vals,
): Ready | null | Promise<null> {
  if (deferred.left > 0) {
    deferred.left--
    return null
  }
  const { selfLinks } = deferred
  const columns = givenColumns(plan, env, model, vals)
  if (!columns || weightOf({ columns }) > MOST_TEXT || !isComplete(plan, env, columns, UNSAVED)) return null
  if (!areFree(columns, selfLinks)) return null
  const draftValue = (field: FieldDef) => (selfLinks.has(field) ? undefined : madeValue(field, columns))
  const verdict = isAllowed(plan, null, draftValue) && holds(plan, env, model, columns)
  if (!(verdict instanceof Promise)) return verdict ? { deferred, columns } : null
  deferred.left = DRAWN_FIRST
  return verdict.then(() => null)
}

function post({ deferred, columns }: Ready, env: Environment, model: ModelDef): DeferredId {
  const { unit } = env
  const { order, one, rows } = deferred
  unit.spend('records', 1)
  spendTexts(env, { columns })
  const row = listedOf(env, model, { order, text: rows }, [{ columns, key: 0 }])
  const id = unit.postDeferred(
    row,
    () => aloneOf(one, row, false),
    () => {
      deferred.left = DRAWN_FIRST
    },
  )
  unit.grew(model.table, 1)
  passForeseen(env, model)
  noteDeferred(env, model, id)
  return id
}

/**
 * Whether all checks hold before the record has an id. False also where a check reads the id for more
 * than the place of its verdict. A check that waits for something has to run once the row is there: the
 * promise gives null when it is done.
 */
function holds(
  { checked }: CreatePlan,
  env: Environment,
  { checks }: ModelDef,
  columns: Columns,
): boolean | Promise<null> {
  const record = checked(UNSAVED, columns)
  if (!record) return false
  for (const { rule } of checks) {
    const before = idReads()
    const verdicts = rule.run([record], env)
    if (verdicts instanceof Promise) return verdicts.then(() => null)
    if (verdicts.get(UNSAVED) === false || idReads() > before + 1) return false
  }
  return true
}
