// Reading by specification: which fields, and what of the records behind relations.
import { InvalidValue } from '../../errors.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import { leaf } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { plainObjects, readRows, type WireRow } from '../records/read.ts'
import { searchIds } from '../records/search.ts'
import { fieldNamed } from '../rights/judge.ts'
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

/** Rows in the order of `ids`; one query a model and level. Throws InvalidValue for unknown fields anywhere, also when there is no record. */
export async function readBySpecification(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  specification: Specification,
): Promise<SpecifiedRow[]> {
  const parts = Object.entries(specification).map(([name, value]) => ({ field: fieldNamed(env, model, name), below: belowOf(name, value) }))
  for (const { field, below } of parts) if (below.fields && field.comodel) validate(env, field.comodel, below.fields)
  const fields = parts.map(({ field }) => field).filter((field) => field.name !== 'id')
  const rows = plainObjects(await readRows(env, model, ids, fields, null)) as SpecifiedRow[]
  for (const { field, below } of parts) {
    if (field.kind === 'reference' || field.kind === 'many2one_reference')
      await expandReference(env, field, below, rows, readBySpecification)
    if (field.kind === 'properties') await expandProperties(env, field, below, rows, readBySpecification)
    if (!field.comodel) continue
    if (field.kind === 'many2one') await expandOne(env, field, below, rows)
    else await expandMany(env, field, below, rows)
  }
  return rows
}

function belowOf(name: string, value: unknown): Below {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValue(`The specification of ${name} must be an object.`)
  const { fields, order, limit, context } = value as Record<string, unknown>
  if (fields !== undefined && (typeof fields !== 'object' || fields === null || Array.isArray(fields))) {
    throw new InvalidValue(`The fields of ${name} must be an object.`)
  }
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
  const named = Object.keys(below.fields).every((name) => name === 'id' || name === 'display_name')
  const inner = env.withContext(below.context)
  const found = await readBySpecification(named ? inner.sudo() : inner, field.comodel as ModelDef, ids, below.fields)
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
