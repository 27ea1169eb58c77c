// Reading by specification of records that no foreign key refers to: references by model and id,
// records that properties link to.
import { decimalText, typedValue, unsetIn } from '../kinds/shared.ts'
import type { FieldDef, Ids, Many2oneDef, ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import { currencyOf, digitsOf, leadsToOne, modelFieldOf } from '../language/field-options.ts'
import { leaf } from '../language/tree.ts'
import { existing } from '../load/links.ts'
import { loadFields, loadPaths } from '../load/load.ts'
import { wireProperties } from './properties.ts'
import { searchIds } from './search.ts'
import type { Form } from './selection.ts'
import type { Below, ReadSpecified, Specification, SpecifiedRow } from './wanted.ts'

/** Takes the place of a record that the user may not read. */
const HIDDEN = 'You may not see this record'

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
  ids: Ids,
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

/** `fields` names properties; a linked record with `fields` is read in the place of `[id, name]`. */
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

// Computed values in the form of answers: documented or typed, records with their names.

export async function outwardValues(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  ids: Ids,
  { named, typed }: Form,
): Promise<(id: number) => unknown> {
  if (typed && named && field.type.typedAs === 'reference') {
    const referenceOf = await namedReferences(env, [...new Set(values.values())])
    return (record) => referenceOf(values.get(record))
  }
  if (field.kind === 'properties') return wireProperties(env, field, values, ids)
  if (named && leadsToOne(field)) return namedTargets(env, field, values, ids, typed)
  const wire = (record: number) => field.type.toWire(field, values.get(record))
  if (!typed) return wire
  const scales = typed.decimal ? await scalesOf(env, field, ids) : null
  if (scales) return (record) => decimalText(Number(wire(record) ?? 0), scales(record))
  return (record) => typedValue(field, wire(record), typed)
}

async function namedTargets(
  env: Environment,
  field: Many2oneDef,
  values: ReadonlyMap<number, unknown>,
  ids: Ids,
  typed: Typed | null,
): Promise<(id: number) => unknown> {
  const targets = new Set(ids.flatMap((record) => (values.get(record) as number | null) ?? []))
  const records = await loadPaths(env.sudo(), field.comodel, [...targets], ['display_name'])
  const names = new Map(records.map((target) => [target.id, target.display_name ?? unsetIn(field, typed)]))
  return (record) => {
    const id = values.get(record) as number | null | undefined
    const unset = unsetIn(field, typed)
    if (!id) return unset
    const name = names.get(id) ?? unset
    return typed ? { id, display_name: name } : [id, name]
  }
}

/** The least number of decimals of a field's numbers; null for other fields. */
async function scalesOf(
  env: Environment,
  field: FieldDef,
  ids: Ids,
): Promise<((id: number) => number) | null> {
  const [digits, currency] = [digitsOf(field), currencyOf(field)]
  if (field.type.typedAs !== 'decimal') return null
  if (field.kind !== 'monetary') return digits ? () => digits[1] : null
  const by = field.model.fields.get(currency)
  if (by?.kind !== 'many2one') return () => 0
  const rows = await loadPaths(env.sudo(), field.model, [...ids], [`${currency}.rounding`])
  const counts = new Map(
    rows.map((row) => [row.id, scaleOf((row[currency] as { rounding?: unknown } | null)?.rounding)]),
  )
  return (id) => counts.get(id) ?? 0
}

const scaleOf = (rounding: unknown): number => String(rounding ?? 1).split('.')[1]?.length ?? 0

/**
 * The references that texts `model,id` stand for: model, id, and the name where the user may read the record.
 * One search and one read a model.
 */
export async function namedReferences(
  env: Environment,
  texts: readonly unknown[],
): Promise<(text: unknown) => unknown> {
  const { registry, rights } = env.unit
  const wanted = new Map<ModelDef, number[]>()
  for (const text of texts) {
    const [name = '', id] = String(text || '').split(',')
    const model = registry.get(name)
    if (!model?.hasRows || !(env.su || rights.mayModel(env.user, model, 'read'))) continue
    wanted.set(model, [...(wanted.get(model) ?? []), Number(id)])
  }
  const names = new Map<string, unknown>()
  for (const [model, ids] of wanted) {
    const all = env.withContext({ active_test: false })
    const seen = await searchIds(all, model, leaf(['id'], 'in', ids), {})
    const { of } = await loadFields(env, model, seen, [model.displayName])
    for (const id of seen) names.set(`${model.name},${id}`, of.get(model.displayName)?.get(id) ?? null)
  }
  return (text) => {
    if (typeof text !== 'string' || text === '') return null
    const [model, id] = text.split(',')
    return { model, id: Number(id), display_name: names.get(text) ?? null }
  }
}
