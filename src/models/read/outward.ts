// Computed values in the form of answers: documented or typed, records with their names.
import { unsetIn } from '../kinds/shared.ts'
import { decimalText, typedValue } from '../kinds/typed.ts'
import type { FieldDef, Many2oneDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { currencyOf, digitsOf } from '../language/field-options.ts'
import type { Typed } from '../language/preferences.ts'
import { leadsToOne } from '../language/relations.ts'
import { leaf } from '../language/tree.ts'
import { loadFields, loadPaths } from '../load/load.ts'
import { wireProperties } from './properties.ts'
import { searchIds } from './search.ts'
import type { Form } from './selection.ts'

/** Computed values of a field in the form of answers, by record. */
export async function outwardValues(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  ids: readonly number[],
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

/** The targets of a many2one with their names, which one query reads. */
async function namedTargets(
  env: Environment,
  field: Many2oneDef,
  values: ReadonlyMap<number, unknown>,
  ids: readonly number[],
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
  ids: readonly number[],
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
