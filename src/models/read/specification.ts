// Reading by specification: fields of records, and of the records of their relations.

import { Pace } from '../../kit/pace.ts'
import { limits } from '../../limits.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment, Preferences, Typed } from '../language/environment.ts'
import { comodelOf, leadsToOne } from '../language/field-options.ts'
import { leaf } from '../language/tree.ts'
import { cachedPlan, type RequestKey } from '../row/plans.ts'
import { readListed, readObjects, shortList } from './read.ts'
import { expandProperties, expandReference } from './references.ts'
import { type Counting, Listed, type PageSearch, type Question, type SearchedPage } from './rendered.ts'
import { specifiedKey } from './request-keys.ts'
import type { Rest } from './rows.ts'
import { counted, searchIds } from './search.ts'
import { type SearchRest, searchKeysetPage, searchPage } from './searched.ts'
import {
  assertSpecification,
  type Below,
  namesOnly,
  type Specification,
  type SpecifiedRow,
  type Wanted,
  wanted,
} from './wanted.ts'

/**
 * Rows in the order of `ids`; one query a model and level, and one in all where PostgreSQL can do it. Throws
 * as `assertSpecification`, also when there is no record, and PayloadTooLarge for more than an answer shows.
 */
export async function readBySpecification(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  specification: Specification,
  typed: Typed | null = null,
): Promise<SpecifiedRow[]> {
  assertSpecification(env, model, specification)
  const rows = await readSpecified(env, model, ids, specification, typed)
  await assertShown(env, rows)
  return rows
}

/** The most values that a text of this many pairs of characters can hold: shorter texts need no count. */
const FEW = 100_000

/** Rows, once it is known that an answer may show so many values: as text where that is short. */
async function shown(env: Environment, rows: SpecifiedRow[] | Listed): Promise<SpecifiedRow[] | Listed> {
  if (rows instanceof Listed && rows.json.length <= 2 * Math.min(FEW, limits.cells)) return rows
  const objects = objectsOf(rows)
  await assertShown(env, objects)
  return objects
}

export const objectsOf = (rows: SpecifiedRow[] | Listed): SpecifiedRow[] =>
  rows instanceof Listed ? (JSON.parse(rows.json) as SpecifiedRow[]) : rows

/** As `readBySpecification`, as text where one statement gives all of it. */
export async function listBySpecification(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  specification: Specification,
  typed: Typed | null,
): Promise<SpecifiedRow[] | Listed> {
  const request = specifiedKey(env, model, ids, specification, typed)
  const plan = cachedPlan<Rest>(request)
  const cachedList = plan && (await shortList(env, model, ids, plan))
  if (cachedList) return shown(env, cachedList)
  assertSpecification(env, model, specification)
  const { fields, form, whole } = wanted(env, model, specification, typed)
  const isText = whole && new Set(ids).size === ids.length
  const list = isText ? await readListed(env, model, ids, { fields, form, tight: true }, request) : null
  return shown(env, list ?? (await readSpecified(env, model, ids, specification, typed)))
}

async function readSpecified(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  specification: Specification,
  typed: Typed | null,
): Promise<SpecifiedRow[]> {
  const specified = wanted(env, model, specification, typed)
  const { rows, bare } = await readObjects(env, model, [...new Set(ids)], specified)
  return inOrder(await completed(env, specified, rows, bare), ids)
}

/** Rows of distinct records as often as they were asked for, each a row of its own. */
function inOrder(rows: SpecifiedRow[], ids: Ids): SpecifiedRow[] {
  if (rows.length === ids.length) return rows
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Counts what the rows show, a record once in each place. Throws PayloadTooLarge. */
async function assertShown(env: Environment, rows: readonly SpecifiedRow[]): Promise<void> {
  const countedCells = new Map<object, number>()
  const pace = new Pace()
  let cells = 0
  for (const row of rows) {
    cells += cellsOf(row, countedCells)
    env.unit.shown.reach(cells)
    await pace.step()
  }
}

/** Values in a value, each as often as JSON shows it. */
function cellsOf(value: unknown, countedCells: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1
  const before = countedCells.get(value)
  if (before !== undefined) return before
  let cells = 1
  if (Array.isArray(value)) {
    if (typeof value[0] !== 'object') return value.length + 1
    for (const item of value) cells += cellsOf(item, countedCells)
  } else for (const key in value) cells += cellsOf((value as Record<string, unknown>)[key], countedCells)
  countedCells.set(value, cells)
  return cells
}

interface SpecifiedSearch extends Question {
  readonly specification: Specification
  readonly counting: Counting
}

export interface SpecifiedPage {
  readonly rows: SpecifiedRow[] | Listed
  readonly total: number | null
}

/** As `listBySpecification`, a page of what a domain finds. The plan is cached for `request`. */
export async function searchBySpecification(
  env: Environment,
  request: RequestKey | null,
  search: () => SpecifiedSearch,
  preferences: Preferences,
): Promise<SpecifiedPage> {
  let parsed: ParsedPage | null = null
  const parse = (): ParsedPage => {
    parsed ??= parsePage(env, search(), preferences.typed)
    return parsed
  }
  const plan = cachedPlan<SearchRest>(request)
  const page = plan
    ? await searchPage(env, request, () => parse().page, plan)
    : await readPage(env, request, parse(), preferences)
  // Only pages that need no further reads have a cached plan.
  const isDone = page.bare.length === 0 && (plan !== null || parse().whole)
  const rows = isDone ? page.rows : await completed(env, parse(), objectsOf(page.rows), page.bare)
  return { rows: await shown(env, rows), total: page.total }
}

interface ParsedPage extends Wanted {
  readonly page: PageSearch
}

function parsePage(env: Environment, search: SpecifiedSearch, typed: Typed | null): ParsedPage {
  const { specification, counting, ...question } = search
  assertSpecification(env, question.model, specification)
  const specified = wanted(env, question.model, specification, typed)
  const { fields, form, whole } = specified
  return {
    ...specified,
    page: { env, lines: env, question, reading: { fields, form, counting, tight: whole } },
  }
}

async function readPage(
  env: Environment,
  request: RequestKey | null,
  { page, whole }: ParsedPage,
  preferences: Preferences,
): Promise<SearchedPage> {
  const { model, tree } = page.question
  const { page: keyset, tell } = preferences
  return counted(env, model, tree, preferences, async () =>
    keyset
      ? searchKeysetPage(page, { page: keyset, tell })
      : searchPage(env, whole ? request : null, () => page, null),
  )
}

async function completed(
  env: Environment,
  { parts, form: { expanded, typed } }: Wanted,
  rows: SpecifiedRow[],
  bare: readonly FieldDef[],
): Promise<SpecifiedRow[]> {
  for (const { field, below } of parts) {
    if (field.kind === 'reference' || field.kind === 'many2one_reference')
      await expandReference(env, field, below, rows, { read: readBySpecification, typed })
    if (field.kind === 'properties') await expandProperties(env, field, below, rows, readBySpecification)
    if (!field.comodel || (expanded.has(field) && !bare.includes(field))) continue
    if (leadsToOne(field)) await expandOne(env, field, below, rows, typed)
    else await expandMany(env, field, below, rows, typed)
  }
  return rows
}

async function expandOne(
  env: Environment,
  field: FieldDef,
  below: Below,
  rows: SpecifiedRow[],
  typed: Typed | null,
): Promise<void> {
  if (!below.fields) return
  const ids = [...new Set(rows.flatMap((row) => (row[field.name] as number | false) || []))]
  // The name of what a record refers to is part of the record; more of it is only for those who may read it.
  const inner = env.withContext(below.context)
  const specified = await readSpecified(
    namesOnly(below.fields) ? inner.sudo() : inner,
    comodelOf(field),
    ids,
    below.fields,
    typed,
  )
  const byId = new Map(specified.map((row) => [row.id, row]))
  const none = typed ? null : false
  for (const row of rows)
    row[field.name] = row[field.name] ? (byId.get(row[field.name] as number) ?? none) : none
}

async function expandMany(
  env: Environment,
  field: FieldDef,
  below: Below,
  rows: SpecifiedRow[],
  typed: Typed | null,
): Promise<void> {
  const comodel = comodelOf(field)
  const all = [...new Set(rows.flatMap((row) => row[field.name] as number[]))]
  if (below.order) {
    const ordered = await searchIds(
      env.withContext({ active_test: false }),
      comodel,
      leaf(['id'], 'in', all),
      { order: below.order },
    )
    const rank = new Map(ordered.map((id, i) => [id, i]))
    for (const row of rows)
      (row[field.name] as number[]).sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))
  }
  if (!below.fields) return
  const wanted =
    below.limit === undefined
      ? all
      : [...new Set(rows.flatMap((row) => (row[field.name] as number[]).slice(0, below.limit)))]
  const specified = await readSpecified(env.withContext(below.context), comodel, wanted, below.fields, typed)
  const byId = new Map(specified.map((row) => [row.id, row]))
  for (const row of rows) {
    row[field.name] = (row[field.name] as number[]).map((id, i) =>
      below.limit !== undefined && i >= below.limit ? { id } : (byId.get(id) ?? { id }),
    )
  }
}
