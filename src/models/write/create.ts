// Creating: defaults, delegates, one INSERT for all records, then lines, files, computed values, rules and
// checks.

import { inPortions } from '../../kit/portions.ts'
import { present } from '../../kit/present.ts'
import { turn } from '../../kit/turns.ts'
import { noteChange } from '../changes/note.ts'
import { cacheUnset, remember } from '../compute/derived.ts'
import { computesLater, hasLines, type Links, precompute } from '../compute/precompute.ts'
import { mark, markForNewRecords, protectingExplicit, storedComputed } from '../compute/recompute.ts'
import { insertLinks } from '../compute/store.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/field-options.ts'
import { keepLists } from '../load/decide.ts'
import { normalizeProperties } from '../read/properties.ts'
import { assertModel } from '../rights/judge.ts'
import type { Sorted } from '../row/destinations.ts'
import { roundMonetary, roundNew } from '../row/monetary.ts'
import { assertVals, dropEmptyLists, prepareVals, sortEach, spendTexts } from '../row/values.ts'
import { runChecks } from './checks.ts'
import { assertRequired, withDefaults } from './defaults.ts'
import { assertParents, checkLevels, parentIdOf, placeInTree } from './hierarchy.ts'
import { deferInsert, idsBeforeInsert, insert } from './insert.ts'
import { createDelegates, writeElsewhere } from './other-records.ts'
import { assertVisible } from './shown-links.ts'
import { cacheNewColumns } from './update.ts'

/** Records made at once: others wait while the server works between two statements. */
const TOGETHER = 1000

/** Records whose making is one piece of work: of more, others have their turn between two steps of it. */
const FEW = 200

/**
 * Creates records and gives their ids in the order of `list`. Nothing stays when one of them fails: the
 * call's transaction is discarded.
 * Throws PayloadTooLarge for more records or longer texts than a call may ask for.
 */
export async function createRecords(
  env: Environment,
  model: ModelDef,
  list: readonly unknown[],
): Promise<number[]> {
  if (list.length === 0) return []
  assertModel(env, model, 'create')
  env.unit.quota.charge('records', list.length)
  if (list.length <= TOGETHER) return createTogether(env, model, list)
  const ids: number[] = []
  for await (const portion of inPortions(list, TOGETHER))
    ids.push(...(await createTogether(env, model, portion)))
  return ids
}

async function createTogether(
  env: Environment,
  model: ModelDef,
  list: readonly unknown[],
): Promise<number[]> {
  const isLong = list.length > FEW
  const complete = await withDefaults(env, model, list.map(assertVals))
  if (isLong) await turn()
  for (const vals of complete) prepareVals(env, model, vals, null)
  const sorting = sortEach(env, model, complete)
  const sorted = sorting instanceof Promise ? await sorting : sorting
  if (isLong) await turn()
  for (const values of sorted) {
    spendTexts(env, values)
    dropEmptyLists(values)
  }
  const givenFields = new Set(sorted.flatMap(({ columns }) => [...columns.keys()]))
  if (model.inherits.size) await createDelegates(env, model, sorted)
  assertRequired(model, sorted)
  const stands = givenBesideLines(sorted)
  const drawing = idsBeforeInsert(env, model, sorted)
  const [reserved, defined] = drawing instanceof Promise ? await drawing : drawing
  const links = reserved
    ? await env.unit.cache.withoutTrimming(() => precompute(env, model, reserved, sorted))
    : new Map<never, never>()
  if (isLong) await turn()
  const rounded = roundNew(env, givenFields, sorted)
  // Values computed later, from lines for example, join the INSERT, unless a statement reads the row before.
  const isAwaited = computesLater(env, model) || sorted.some(({ lines }) => lines.size > 0)
  const isLate = reserved && isAwaited && deferInsert(env, model, reserved, sorted)
  const ids = isLate ? [...reserved] : await insert(env, model, reserved, sorted)
  noteChange(env, model, 'c', ids)
  if (isLong) await turn()
  if (!reserved) remember(env, model, ids, sorted)
  cacheNewColumns(env, model, ids, sorted, rounded)
  env.unit.authorized.forget()
  roundMonetary(env, model, givenFields.difference(rounded), ids)
  if (model.parentStore) {
    const parents = sorted.map((values) => parentIdOf(model, values))
    await assertParents(env, model, parents)
    placeInTree(env, model, ids, parents)
  } else if (model.parent !== null) {
    const below = ids.filter((_, i) => parentIdOf(model, present(sorted[i])) !== null)
    if (below.length) checkLevels(env, model, below)
  }
  if (defined.length) await normalizeProperties(env, defined, ids, true)
  for (const [field, of] of links) insertLinks(env, field, of)
  if (stands.size)
    await protectingExplicit(
      env,
      new Map([...stands].map(([field, at]) => [field, at.map((i) => present(ids[i]))])),
      () => follow(env, model, ids, sorted, links),
    )
  else await follow(env, model, ids, sorted, links)
  const judging = assertVisible(env, model, ids)
  if (judging) await judging
  await runChecks(env, model, ids, null, (field, id, place) => linkedTo(sorted[place], links, field, id))
  return ids
}

/** Links of a new record: those that were computed, or none if none were given; its own value by company. */
function linkedTo(sorted: Sorted | undefined, links: Links, field: FieldDef, id: number): Ids | undefined {
  if (field.options.companyDependent) {
    const target = sorted?.columns.get(field) ?? null
    return target === null ? [] : undefined
  }
  const computed = links.get(field)?.get(id)
  if (computed || !field.link) return computed
  return field.compute || (leadsToMany(field) && sorted?.lines.has(field)) ? undefined : []
}

/** Explicit values of stored computed fields of records with lines: indexes into `sorted`. */
function givenBesideLines(sorted: readonly Sorted[]): Map<FieldDef, number[]> {
  const explicit = new Map<FieldDef, number[]>()
  for (const [i, { columns, lines }] of sorted.entries()) {
    if (lines.size === 0) continue
    for (const field of [...columns.keys(), ...lines.keys()]) {
      if (!field.compute) continue
      const at = explicit.get(field) ?? []
      at.push(i)
      explicit.set(field, at)
    }
  }
  return explicit
}

/** Everything beyond the row: lines, files, related and inverse writes, and what is to be computed. */
async function follow(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  sorted: readonly Sorted[],
  links: Links,
): Promise<void> {
  const late: [FieldDef, number[]][] = []
  for (const field of storedComputed(model)) {
    const isMany = leadsToMany(field)
    const linked = links.get(field)
    const [soon, later]: [number[], number[]] = [[], []]
    for (let i = 0; i < ids.length; i++) {
      const values = sorted[i]
      if (values?.columns.has(field) || (isMany && values?.lines.has(field))) continue
      const id = present(ids[i])
      if (linked?.has(id)) continue
      // A field that reads lines is marked once these exist.
      if (values?.lines.size && hasLines(field, values)) later.push(id)
      else soon.push(id)
    }
    if (soon.length || later.length) cacheUnset(env, field, [...soon, ...later])
    if (soon.length) mark(env, field, soon)
    if (later.length) late.push([field, later])
  }
  await markForNewRecords(env, model, ids, new Set(links.keys()))
  for (const [field, of] of links) keepLists(env, field, of)
  const records = sorted.map((values, i) => [present(ids[i]), values] as const)
  await writeElsewhere(env, records, true, () => {
    for (const [field, waiting] of late) mark(env, field, waiting)
  })
}
