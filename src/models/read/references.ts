// Reading by specification of records that no foreign key refers to: references by model and id,
// records that properties link to.

import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { modelFieldOf } from '../language/field-options.ts'
import type { Typed } from '../language/preferences.ts'
import { leaf } from '../language/tree.ts'
import { existing } from '../load/existing.ts'
import { loadFields } from '../load/load.ts'
import { namedReferences } from './outward.ts'
import { searchIds } from './search.ts'
import type { Below, ReadSpecified, Specification, SpecifiedRow } from './wanted.ts'

/** Takes the place of a record that the user may not read. */
const HIDDEN = 'This record is not yours to see'

/**
 * `reference` and `many2one_reference`: with `fields`, the record, whose id is `{id, model}` in a reference.
 * Records that are gone are false, hidden ones say so in the place of their name. One query a model and
 * level.
 */
export async function expandReference(
  env: Environment,
  field: FieldDef,
  below: Below,
  rows: SpecifiedRow[],
  { read, typed }: { readonly read: ReadSpecified; readonly typed: Typed | null },
): Promise<void> {
  const isReference = field.kind === 'reference'
  if (!below.fields && typed && isReference) {
    const referenceOf = await namedReferences(env, [...new Set(rows.map((row) => row[field.name]))])
    for (const row of rows) row[field.name] = referenceOf(row[field.name])
  }
  if (!below.fields) return
  const targets = await targetsOf(env, field, rows)
  const inner = env.withContext(below.context)
  const by = modelFieldOf(field)
  for (const [model, group] of Map.groupBy(targets, ({ model }) => model)) {
    const ids = [...new Set(group.map(({ id }) => id))]
    const records = model
      ? await readVisible(inner, model, ids, below.fields, read, typed)
      : new Map<number, SpecifiedRow>()
    for (const { row, id } of group) {
      const record = records.get(id)
      const whole = record && isReference ? referred(record, model?.name, typed) : record
      row[field.name] = whole ?? (typed && isReference ? null : false)
      // An id of nothing is an id in no model.
      if (!whole && by) row[by] = false
    }
  }
}

const referred = (record: SpecifiedRow, model: string | undefined, typed: Typed | null) =>
  typed ? { model, ...record } : { ...record, id: { id: record.id, model } }

interface Target {
  readonly row: SpecifiedRow
  readonly model: ModelDef | null
  readonly id: number
}

async function targetsOf(
  env: Environment,
  field: FieldDef,
  rows: readonly SpecifiedRow[],
): Promise<Target[]> {
  const { registry } = env.unit
  const modelNamed = (name: unknown) => (typeof name === 'string' ? registry.get(name) : undefined)
  const model = (name: unknown) => (modelNamed(name)?.hasRows ? (modelNamed(name) ?? null) : null)
  if (field.kind === 'reference')
    return rows.flatMap((row) => {
      const [name, id] = String(row[field.name] || '').split(',')
      return name ? [{ row, model: model(name), id: Number(id) }] : []
    })
  const by = field.model.fields.get(modelFieldOf(field) ?? '')
  if (!by) return []
  const ids = [...new Set(rows.map((row) => row.id))]
  const names = (await loadFields(env.sudo(), field.model, ids, [by])).of.get(by)
  return rows.flatMap((row) =>
    row[field.name] ? [{ row, model: model(names?.get(row.id)), id: row[field.name] as number }] : [],
  )
}

async function readVisible(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: Specification,
  read: ReadSpecified,
  typed: Typed | null = null,
): Promise<Map<number, SpecifiedRow>> {
  const existingIds = await existing(env, model, ids)
  const may = env.su || env.unit.rights.mayModel(env.user, model, 'read')
  const seen = may
    ? await searchIds(env.withContext({ active_test: false }), model, leaf(['id'], 'in', existingIds), {})
    : []
  const hidden = existingIds.map((id): SpecifiedRow => ({ id, display_name: HIDDEN }))
  const rows = seen.length || may ? await read(env, model, seen, fields, typed) : []
  return new Map([...hidden, ...rows].map((row) => [row.id, row]))
}

/**
 * Properties: `fields` names them; a linked record with `fields` of its own is read in the place of `[id,
 * name]`.
 */
export async function expandProperties(
  env: Environment,
  field: FieldDef,
  below: Below,
  rows: SpecifiedRow[],
  read: ReadSpecified,
): Promise<void> {
  for (const [name, request] of Object.entries(below.fields ?? {})) {
    const { fields, context } = (request ?? {}) as {
      fields?: Specification
      context?: Record<string, unknown>
    }
    if (!fields) continue
    const properties = rows.flatMap((row) =>
      (row[field.name] as Property[]).filter((property) => property.name === name),
    )
    const [{ type, comodel } = { type: '', comodel: undefined }] = properties
    const model = typeof comodel === 'string' ? env.unit.registry.get(comodel) : undefined
    if (!model?.hasRows || (type !== 'many2one' && type !== 'many2many')) continue
    const pairs = (value: unknown) =>
      (type === 'many2one' ? [value] : ((value as unknown[]) ?? [])) as (readonly [number, unknown] | false)[]
    const ids = properties.flatMap(({ value }) => pairs(value || []).flatMap((pair) => (pair ? pair[0] : [])))
    const visibleById = await readVisible(
      env.withContext(context ?? {}),
      model,
      [...new Set(ids)],
      fields,
      read,
    )
    for (const property of properties) {
      if (!property.value) continue
      const records = pairs(property.value).flatMap((pair) => (pair && visibleById.get(pair[0])) || [])
      property.value = type === 'many2one' ? (records[0] ?? false) : records
    }
  }
}

interface Property {
  readonly name: string
  readonly type: string
  readonly comodel?: unknown
  value?: unknown
}
