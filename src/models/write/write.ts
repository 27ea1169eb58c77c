// Writing: one UPDATE for all records; before and after it dependents by old and new relations are
// marked; then lines, files, inverses, checks.

import { oncePer } from '../../kit/once-per.ts'
import { inPortions } from '../../kit/portions.ts'
import { present } from '../../kit/present.ts'
import { noteChange } from '../changes/note.ts'
import { clearPending, modified, protectingExplicit } from '../compute/recompute.ts'
import { settledColumns } from '../compute/store.ts'
import type { Change, FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf, fieldOf, modelFieldOf } from '../language/field-options.ts'
import { loadFields } from '../load/load.ts'
import { normalizeProperties } from '../read/properties.ts'
import { assertModel } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import type { Sorted } from '../row/destinations.ts'
import { currencyPath, roundMonetary } from '../row/monetary.ts'
import { assertVals, prepareVals, sortEach, sortValues, spendTexts } from '../row/values.ts'
import { addToBuffered } from '../unit/cache.ts'
import { runChecks } from './checks.ts'
import { missingRequiredError } from './defaults.ts'
import { assertNoLoop, assertParents, checkLevelsBelow, moveInTree, parentIdOf } from './hierarchy.ts'
import { definitionsIn, redefine, writeElsewhere } from './other-records.ts'
import { cacheWritten, type Prepared, update, updateEach } from './update.ts'

/**
 * Writes the same values on all records. Throws MissingError for records that are gone where rules are in
 * force, AccessError for hidden ones (spec/wire.md section 9), InvalidValue and ValidationError for values
 * that do not fit.
 */
export function writeRecords(env: Environment, model: ModelDef, ids: Ids, vals: unknown): Promise<void> {
  return writeChanges(env, model, [{ ids: [...new Set(ids)], vals }])
}

/**
 * As `writeRecords`, with values of their own for some of the records; none occurs twice. Changes of the same
 * fields are one set.
 */
export async function writeChanges(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> {
  const ids = changes.flatMap((change) => change.ids)
  if (ids.length === 0) {
    for (const { vals } of changes) sortValues(env, model, assertVals(vals))
    return
  }
  assertModel(env, model, 'write')
  await guardRecords(env, model, ids, 'write', 'refuse')
  if (changes.length <= TOGETHER) return writePortion(env, model, changes)
  for await (const portion of inPortions(changes, TOGETHER)) await writePortion(env, model, portion)
}

async function writePortion(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const all = await prepared(env, model, changes)
  const sets =
    all.length === 1 ? [all] : Map.groupBy(all, ({ vals }) => Object.keys(vals).sort().join()).values()
  for (const set of sets) await writeSet(env, model, set)
}

/** Changes written at once: others wait while the server works between two statements. */
const TOGETHER = 1000

async function prepared(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<Prepared[]> {
  const list = changes.map(({ ids, vals: input }) => {
    const vals = { ...assertVals(input) }
    prepareVals(env, model, vals, ids)
    return vals
  })
  const each = await sortEach(env, model, list)
  return changes.map(({ ids }, i) => {
    const sorted = present(each[i])
    if (sorted.emptied) throw missingRequiredError(sorted.emptied)
    spendTexts(env, sorted, ids.length)
    return { ids, vals: present(list[i]), sorted }
  })
}

async function writeSet(env: Environment, model: ModelDef, set: readonly Prepared[]): Promise<void> {
  const { vals, sorted } = present(set[0])
  const ids = set.flatMap((one) => one.ids)
  const changed = [...sorted.columns.keys(), ...sorted.lines.keys(), ...sorted.files.keys()]
  for (const { ids, vals, sorted } of set) {
    for (const field of sorted.columns.keys()) {
      const definitions = field.kind === 'properties' ? definitionsIn(vals[field.name]) : null
      if (definitions) await redefine(env, field, ids, definitions)
    }
  }
  const links = changed.filter(leads)
  if (links.length) await modified(env, links, ids)
  const tops =
    model.parent !== null && sorted.columns.has(fieldOf(model, model.parent))
      ? await moving(env, model, set)
      : null
  const amounts = amountsOf(model, sorted)
  noteChange(env, model, 'u', ids, [...changed, ...amounts])
  if (!joinsInsert(env, model, set, amounts)) {
    if (set.length === 1) update(env, model, ids, sorted)
    else await updateEach(env, model, set)
    // A new currency rounds all amounts of the record, written or not.
    roundMonetary(env, model, amounts, ids)
  }
  changed.push(...amounts.filter((field) => field.column && !changed.includes(field)))
  const properties = [...sorted.columns.keys()].filter((field) => field.kind === 'properties')
  await normalizeProperties(env, properties, ids, false)
  env.unit.authorized.forget()
  cacheWritten(env, model, changed, set)
  if (tops && model.parentStore) moveInTree(env, model, [...tops.keys()])
  else if (tops) checkLevelsBelow(env, model, tops)
  await modified(env, changed, ids)
  const explicit = [...sorted.columns.keys(), ...sorted.lines.keys()].filter(
    (field) => field.compute && field.stored,
  )
  for (const field of explicit) clearPending(env, field, ids)
  if (explicit.length)
    await protectingExplicit(env, new Map(explicit.map((field) => [field, ids])), () =>
      beyond(env, model, set),
    )
  else await beyond(env, model, set)
  await runChecks(env, model, ids, new Set(Object.keys(vals)))
}

/**
 * Whether what is written goes into the INSERT of these records, which has not left: PostgreSQL looks at all
 * keys of a new row again when it is updated (docs/decisions/0077).
 */
function joinsInsert(
  env: Environment,
  model: ModelDef,
  set: readonly Prepared[],
  amounts: readonly FieldDef[],
): boolean {
  const fields = [...present(set[0]).sorted.columns.keys()]
  if (fields.length === 0 || amounts.some((field) => field.column && !fields.includes(field))) return false
  // Amounts would be rounded to the currency of before.
  const ways = new Set(amounts.map((field) => currencyPath(field)?.[0]))
  if (fields.some(({ name }) => ways.has(name))) return false
  const ids = set.flatMap((one) => one.ids)
  return addToBuffered(env, model, ids, () => {
    const columnsOf = (field: FieldDef) =>
      new Map(set.flatMap((one) => one.ids.map((id) => [id, one.sorted.columns.get(field)] as const)))
    return settledColumns(env, new Map(fields.map((field) => [field, columnsOf(field)])), ids)
  })
}

/** Whether the field reaches other records, from here or backwards: the earlier ones follow too. */
export function leads(field: FieldDef): boolean {
  return (
    Boolean(field.comodel) || field.kind === 'many2one_reference' || modelFields(field.model).has(field.name)
  )
}

const modelFields = oncePer(
  (model: ModelDef) => new Set([...model.fields.values()].flatMap((field) => modelFieldOf(field) ?? [])),
)

/** Judges new parents first; gives the records that move with all below them, and their levels. */
async function moving(
  env: Environment,
  model: ModelDef,
  set: readonly Prepared[],
): Promise<Map<number, number>> {
  const moves = new Map(
    set.flatMap(({ ids, sorted }) => ids.map((record) => [record, parentIdOf(model, sorted)] as const)),
  )
  if (model.parentStore) await assertParents(env, model, [...new Set(moves.values())])
  return assertNoLoop(env, model, moves)
}

const amountsIn = oncePer((model: ModelDef) =>
  [...model.fields.values()].filter((field) => field.kind === 'monetary'),
)

/** Amounts that were written, and all of them when a currency was. */
function amountsOf(model: ModelDef, { columns }: Sorted): FieldDef[] {
  const amounts = amountsIn(model)
  if (amounts.length === 0) return []
  const written = new Set([...columns.keys()].map((field) => field.name))
  return amounts.filter((f) => written.has(f.name) || written.has(f.options.currency ?? 'currency_id'))
}

async function beyond(env: Environment, model: ModelDef, set: readonly Prepared[]): Promise<void> {
  const { sorted } = present(set[0])
  for (const via of sorted.delegated.keys()) {
    const field = fieldOf(model, via)
    const recordIds = set.flatMap(({ ids }) => ids)
    const { of } = await loadFields(env, model, recordIds, [field])
    const targets = of.get(field) as ReadonlyMap<number, number>
    await env.unit.registry.engine.writeEach(
      env,
      comodelOf(field),
      set.map(({ ids, sorted }) => ({
        ids: [...new Set(ids.flatMap((record) => targets.get(record) ?? []))],
        vals: sorted.delegated.get(via),
      })),
    )
  }
  const records = set.flatMap(({ ids, sorted }) => ids.map((id) => [id, sorted] as const))
  await writeElsewhere(env, records)
}
