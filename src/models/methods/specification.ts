// Reading by specification: which fields, and what of the records behind relations.
import { InvalidValue } from '../../errors.ts'
import { isEmptyList, unquoted } from '../../kit/nothing.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import { leaf, type Tree } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { type Counting, plainObjects, readForm, searchPage, type WireRow } from '../records/read.ts'
import { searchIds } from '../records/search.ts'
import { type Expanded, type Form, formOf } from '../records/selection.ts'
import { fieldNamed } from '../rights/judge.ts'
import type { SearchOptions } from '../types.ts'
import { expandProperties, expandReference } from './references.ts'

/** Field → {}; for relations `fields`, `order`, `limit`, `context`. */
export type Specification = Readonly<Record<string, unknown>>
export type SpecifiedRow = WireRow

/** What a specification asks of the records behind a field. */
export interface Below {
  readonly fields?: Specification
  readonly order?: string
  readonly limit?: number
  readonly context: Readonly<Record<string, unknown>>
}

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

/** Throws InvalidValue for unknown fields anywhere, AccessError for those that are not the user's to see. */
function wanted(env: Environment, model: ModelDef, specification: Specification): Wanted {
  const parts = Object.entries(specification).map(([name, value]) => ({ field: fieldNamed(env, model, name), below: belowOf(name, value) }))
  for (const { field, below } of parts) if (below.fields && field.comodel) validate(env, field.comodel, below.fields)
  const fields = parts.map(({ field }) => field).filter((field) => field.name !== 'id')
  return { parts, fields, form: formFor(env, parts) }
}

/** Relations that one statement can expand: without an order, a limit or a context of their own; of many2ones the name, lines that the user may read. */
function formFor(env: Environment, parts: readonly Part[]): Form {
  const expanded = new Map<FieldDef, Expanded>()
  for (const { field, below } of parts) {
    const { comodel } = field
    if (!comodel || !below.fields || below.order || below.limit !== undefined || Object.keys(below.context).length) continue
    if (field.kind === 'many2one') {
      if (namesOnly(below.fields))
        expanded.set(field, { fields: 'display_name' in below.fields ? [comodel.displayName] : [], form: formOf(null) })
      continue
    }
    if (comodel.kind === 'abstract' || !(env.su || env.unit.rights.mayModel(env.user, comodel, 'read'))) continue
    const inside = wanted(env, comodel, below.fields)
    if (inside.parts.every((part) => isWhole(part, inside.form))) expanded.set(field, inside)
  }
  return { named: false, expanded }
}

/** Whether nothing is left to do for a part of a row that PostgreSQL gave. */
function isWhole({ field, below }: Part, { expanded }: Form): boolean {
  if (field.kind === 'reference' || field.kind === 'many2one_reference' || field.kind === 'properties') return false
  return !field.comodel || expanded.has(field) || (!below.fields && !below.order)
}

const namesOnly = (fields: Specification): boolean => Object.keys(fields).every((name) => name === 'id' || name === 'display_name')

/** Rows in the order of `ids`; one query a model and level, and one in all where PostgreSQL can do it. Throws as `wanted`, also when there is no record. */
export async function readBySpecification(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  specification: Specification,
): Promise<SpecifiedRow[]> {
  const { parts, fields, form } = wanted(env, model, specification)
  const { answer, bare } = await readForm(env, model, ids, fields, null, form)
  return completed(env, parts, form, plainObjects(answer) as SpecifiedRow[], bare)
}

/** What `readBySpecification` gives of a page of what a domain finds, and how many records there are in all if they were counted. */
export async function searchBySpecification(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  specification: Specification,
  options: SearchOptions,
  counting: Counting,
): Promise<{ readonly rows: SpecifiedRow[]; readonly total: number | null }> {
  const { parts, fields, form } = wanted(env, model, specification)
  const { rows, total, bare } = await searchPage(env, model, domain, fields, form, options, counting)
  return { rows: await completed(env, parts, form, rows, bare), total }
}

/** Puts in what PostgreSQL left out. */
async function completed(
  env: Environment,
  parts: readonly Part[],
  { expanded }: Form,
  rows: SpecifiedRow[],
  bare: readonly FieldDef[],
): Promise<SpecifiedRow[]> {
  for (const { field, below } of parts) {
    if (field.kind === 'reference' || field.kind === 'many2one_reference')
      await expandReference(env, field, below, rows, readBySpecification)
    if (field.kind === 'properties') await expandProperties(env, field, below, rows, readBySpecification)
    if (!field.comodel || (expanded.has(field) && !bare.includes(field))) continue
    if (field.kind === 'many2one') await expandOne(env, field, below, rows)
    else await expandMany(env, field, below, rows)
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

function validate(env: Environment, model: ModelDef, specification: Specification): void {
  for (const [name, value] of Object.entries(specification)) {
    const field = fieldNamed(env, model, name)
    const { fields } = belowOf(name, value)
    if (fields && field.comodel) validate(env, field.comodel, fields)
  }
}

async function expandOne(env: Environment, field: FieldDef, below: Below, rows: SpecifiedRow[]): Promise<void> {
  if (!below.fields) return
  const ids = [...new Set(rows.flatMap((row) => (row[field.name] as number | false) || []))]
  // The name of what a record refers to is part of the record; more of it is only for those who may read it.
  const inner = env.withContext(below.context)
  const found = await readBySpecification(namesOnly(below.fields) ? inner.sudo() : inner, field.comodel as ModelDef, ids, below.fields)
  const byId = new Map(found.map((row) => [row.id, row]))
  for (const row of rows) row[field.name] = row[field.name] ? (byId.get(row[field.name] as number) ?? false) : false
}

async function expandMany(env: Environment, field: FieldDef, below: Below, rows: SpecifiedRow[]): Promise<void> {
  const comodel = field.comodel as ModelDef
  const all = [...new Set(rows.flatMap((row) => row[field.name] as number[]))]
  if (below.order) {
    const ordered = await searchIds(env.withContext({ active_test: false }), comodel, leaf(['id'], 'in', all), { order: below.order })
    const rank = new Map(ordered.map((id, i) => [id, i]))
    for (const row of rows) (row[field.name] as number[]).sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))
  }
  if (!below.fields) return
  const wanted = below.limit === undefined ? all : [...new Set(rows.flatMap((row) => (row[field.name] as number[]).slice(0, below.limit)))]
  const found = await readBySpecification(env.withContext(below.context), comodel, wanted, below.fields)
  const byId = new Map(found.map((row) => [row.id, row]))
  for (const row of rows) {
    row[field.name] = (row[field.name] as number[]).map((id, i) =>
      below.limit !== undefined && i >= below.limit ? { id } : (byId.get(id) ?? { id }),
    )
  }
}
