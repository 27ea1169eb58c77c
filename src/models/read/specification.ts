// Reading by specification: which fields, and what of the records behind relations.

import { InvalidValue } from '../../errors.ts'
import { isEmptyList, unquoted } from '../../kit/nothing.ts'
import { Pace } from '../../kit/pace.ts'
import { assertWithin } from '../../limits.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { leaf } from '../language/tree.ts'
import type { Typed, Wishes } from '../language/wishes.ts'
import { fieldNamed } from '../rights/judge.ts'
import { assertContext } from '../unit/environment.ts'
import { counted } from './count.ts'
import type { Counting, Question } from './question.ts'
import { readObjects } from './read.ts'
import { expandProperties, expandReference } from './references.ts'
import { searchIds } from './search.ts'
import { searchKeysetPage, searchPage } from './searched.ts'
import { type Expanded, type Form, formOf } from './selection.ts'
import type { Below, Specification, SpecifiedRow } from './specified.ts'

interface Part {
  readonly field: FieldDef
  readonly below: Below
}

/** A specification as read: its fields, and what PostgreSQL is to give of the records behind them. */
interface Wanted {
  readonly parts: readonly Part[]
  readonly fields: readonly FieldDef[]
  readonly form: Form
}

/** Levels of a specification: each may be a query. */
const MAX_DEPTH = 40

/**
 * Throws InvalidValue for unknown fields anywhere and for what is no specification, AccessError for fields
 * that are not the user's to see,
 * PayloadTooLarge for too many of them.
 */
function assertSpecification(env: Environment, model: ModelDef, specification: Specification): void {
  let fields = 0
  const judge = (of: ModelDef, asked: Specification, depth: number) => {
    if (depth > MAX_DEPTH) throw new InvalidValue(`A specification is nested at most ${MAX_DEPTH} deep.`)
    for (const [name, value] of Object.entries(asked)) {
      assertWithin('fields', ++fields)
      const field = fieldNamed(env, of, name)
      const below = belowOf(name, value)
      assertContext(below.context)
      if (below.fields && field.comodel) judge(field.comodel, below.fields, depth + 1)
      else if (below.fields) assertWithin('fields', fields + Object.keys(below.fields).length)
    }
  }
  judge(model, specification, 1)
}

function wanted(
  env: Environment,
  model: ModelDef,
  specification: Specification,
  typed: Typed | null,
  among = false,
): Wanted {
  const parts = Object.entries(specification).map(([name, value]) => ({
    field: fieldNamed(env, model, name),
    below: belowOf(name, value),
  }))
  const fields = parts.map(({ field }) => field).filter((field) => field.name !== 'id')
  return { parts, fields, form: formFor(env, parts, typed, among) }
}

/**
 * Relations that one statement can expand: without an order, a limit or a context of their own; of many2ones
 * the name, lines that the user may read. Records that several others share (`among`) get no lines in it:
 * these would be made once for each of them.
 */
function formFor(env: Environment, parts: readonly Part[], typed: Typed | null, among: boolean): Form {
  const expanded = new Map<FieldDef, Expanded>()
  for (const { field, below } of parts) {
    const { comodel } = field
    if (
      !comodel ||
      !below.fields ||
      below.order ||
      below.limit !== undefined ||
      Object.keys(below.context).length
    )
      continue
    if (leadsToOne(field)) {
      if (namesOnly(below.fields))
        expanded.set(field, {
          fields: 'display_name' in below.fields ? [comodel.displayName] : [],
          form: formOf(null, typed),
        })
      continue
    }
    if (
      among ||
      comodel.kind === 'abstract' ||
      !(env.su || env.unit.rights.mayModel(env.user, comodel, 'read'))
    )
      continue
    const inside = wanted(env, comodel, below.fields, typed, field.kind !== 'one2many')
    if (inside.parts.every((part) => isWhole(part, inside.form))) expanded.set(field, inside)
  }
  return { named: false, expanded, typed }
}

/** Whether nothing is left to do for a part of a row that PostgreSQL gave. */
function isWhole({ field, below }: Part, { expanded }: Form): boolean {
  if (field.kind === 'reference' || field.kind === 'many2one_reference' || field.kind === 'properties')
    return false
  return !field.comodel || expanded.has(field) || (!below.fields && !below.order)
}

const namesOnly = (fields: Specification): boolean =>
  Object.keys(fields).every((name) => name === 'id' || name === 'display_name')

/**
 * Rows in the order of `ids`; one query a model and level, and one in all where PostgreSQL can do it. Throws
 * as `assertSpecification`, also when there is no record, and PayloadTooLarge for more than an answer shows.
 */
export async function readBySpecification(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  specification: Specification,
  typed: Typed | null = null,
): Promise<SpecifiedRow[]> {
  assertSpecification(env, model, specification)
  const rows = await readSpecified(env, model, ids, specification, typed)
  await assertShown(env, rows)
  return rows
}

async function readSpecified(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  specification: Specification,
  typed: Typed | null,
): Promise<SpecifiedRow[]> {
  const { parts, fields, form } = wanted(env, model, specification, typed)
  const { rows, bare } = await readObjects(env, model, [...new Set(ids)], { fields, form })
  return inOrder(await completed(env, parts, form, rows, bare), ids)
}

/** Rows of distinct records as often as they were asked for, each a row of its own. */
function inOrder(rows: SpecifiedRow[], ids: readonly number[]): SpecifiedRow[] {
  if (rows.length === ids.length) return rows
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Counts what the rows show: a record that stands in many places is read once, and shown in each. Throws
 * PayloadTooLarge.
 */
async function assertShown(env: Environment, rows: readonly SpecifiedRow[]): Promise<void> {
  const known = new Map<object, number>()
  const pace = new Pace()
  let cells = 0
  for (const row of rows) {
    cells += cellsOf(row, known)
    env.unit.shown.reach(cells)
    await pace.step()
  }
}

/** Values in a value, each as often as JSON shows it. */
function cellsOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1
  const before = known.get(value)
  if (before !== undefined) return before
  let cells = 1
  if (Array.isArray(value)) {
    if (typeof value[0] !== 'object') return value.length + 1
    for (const one of value) cells += cellsOf(one, known)
  } else for (const key in value) cells += cellsOf((value as Record<string, unknown>)[key], known)
  known.set(value, cells)
  return cells
}

interface SpecifiedSearch extends Question {
  readonly specification: Specification
  readonly counting: Counting
}

/**
 * What `readBySpecification` gives of a page of what a domain finds, and how many records there are in all if
 * they were counted.
 */
export async function searchBySpecification(
  env: Environment,
  { specification, counting, ...question }: SpecifiedSearch,
  wishes: Wishes,
): Promise<{ readonly rows: SpecifiedRow[]; readonly total: number | null }> {
  const { model, tree } = question
  const { page, tell } = wishes
  assertSpecification(env, model, specification)
  const { parts, fields, form } = wanted(env, model, specification, wishes.typed)
  const found = await counted(env, model, tree, wishes, async () =>
    page
      ? searchKeysetPage(env, question, { fields, form, counting }, { page, tell })
      : searchPage(env, question, { fields, form, counting }),
  )
  const rows = await completed(env, parts, form, found.rows, found.bare)
  await assertShown(env, rows)
  return { rows, total: found.total }
}

/** Puts in what PostgreSQL left out. */
async function completed(
  env: Environment,
  parts: readonly Part[],
  { expanded, typed }: Form,
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

/** PHP's empty lists are empty objects here, at every depth. */
function belowOf(name: string, given: unknown): Below {
  const value = isEmptyList(given) ? {} : given
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValue(`The specification of ${name} must be an object.`)
  const { fields: inside, order, limit: most, context } = value as Record<string, unknown>
  const [fields, limit] = [isEmptyList(inside) ? {} : inside, unquoted(most)]
  if (fields !== undefined && (typeof fields !== 'object' || fields === null || Array.isArray(fields))) {
    throw new InvalidValue(`The fields of ${name} must be an object.`)
  }
  if (typeof limit === 'number' && !(Number.isInteger(limit) && limit >= 0))
    throw new InvalidValue(`The limit of ${name} must be a whole number, and not below zero.`)
  return {
    ...(fields === undefined ? {} : { fields: fields as Specification }),
    ...(typeof order === 'string' && order ? { order } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
    context: typeof context === 'object' && context !== null ? (context as Record<string, unknown>) : {},
  }
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
  const found = await readSpecified(
    namesOnly(below.fields) ? inner.sudo() : inner,
    field.comodel as ModelDef,
    ids,
    below.fields,
    typed,
  )
  const byId = new Map(found.map((row) => [row.id, row]))
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
  const comodel = field.comodel as ModelDef
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
  const found = await readSpecified(env.withContext(below.context), comodel, wanted, below.fields, typed)
  const byId = new Map(found.map((row) => [row.id, row]))
  for (const row of rows) {
    row[field.name] = (row[field.name] as number[]).map((id, i) =>
      below.limit !== undefined && i >= below.limit ? { id } : (byId.get(id) ?? { id }),
    )
  }
}
