// The values that the panel next to a list offers as filters, with their counts (spec/wire.md section 5).

import { UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { id, sql } from '../../sql/index.ts'
import { optional, required, returns } from '../contract/param.ts'
import { parseDomain } from '../domain/index.ts'
import type { FieldDef, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf } from '../language/field-options.ts'
import { all, leaf, type Tree } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { searchIds, searchQuery } from '../read/search.ts'
import { fieldNamed } from '../rights/judge.ts'
import { type Labels, labelsOf } from '../terms/labels.ts'
import { type GenericMethods, generic } from './bind.ts'

const domain = optional<unknown[]>('domain', [], { annotation: 'DomainType' })
const flag = (fallback: boolean) => optional<unknown>('any', fallback, { annotation: 'bool' })
const common = {
  field_name: required<unknown>('any', { annotation: 'str' }),
  category_domain: domain,
  comodel_domain: domain,
  enable_counters: flag(false),
  expand: flag(false),
  filter_domain: domain,
  limit: optional<unknown>('limit', null, { annotation: 'int | None' }),
  search_domain: domain,
} as const

type Value = Record<string, unknown>
const panel = returns<object>('object', 'dict', '`values`, or `error_msg` when there are too many')

export const searchPanelMethods: GenericMethods = {
  search_panel_select_range: generic({
    doc: 'Values of a many2one or selection to choose one from, in a tree where their model is one.',
    level: 'model',
    readonly: true,
    params: { ...common, hierarchize: flag(true) },
    returns: panel,
    run: async ({ env, def }, p) => {
      const field = panelField(env, def, p.field_name, ['many2one', 'selection'])
      const shown = all([
        parseDomain(p.search_domain),
        parseDomain(p.category_domain),
        parseDomain(p.filter_domain),
      ])
      const counts = await countsOf(env, field, shown)
      if (!field.comodel)
        return { parent_field: false, values: selectionValues(field, await labelsOf(env, def), counts, p) }
      const parent = p.hierarchize && field.comodel.parent ? field.comodel.parent : null
      const values = await relatedValues(env, field, counts, p, parent)
      return values ? { parent_field: parent ?? false, values } : tooMany
    },
  }),
  search_panel_select_multi_range: generic({
    doc: 'Values of a relation or selection to choose several from, in groups where group_by names a field of theirs.',
    level: 'model',
    readonly: true,
    params: {
      ...common,
      group_by: optional<unknown>('any', null, { annotation: 'str | None' }),
      group_domain: optional<unknown>('object', null, {
        doc: 'Further conditions for the counts, by group id as JSON',
        annotation: 'dict | None',
      }),
    },
    returns: panel,
    run: async ({ env, def }, p) => {
      const field = panelField(env, def, p.field_name, ['many2one', 'many2many', 'selection'])
      const shown = all([
        parseDomain(p.search_domain),
        parseDomain(p.category_domain),
        parseDomain(p.filter_domain),
      ])
      const counts = await countsOf(env, field, shown)
      if (!field.comodel) return { values: selectionValues(field, await labelsOf(env, def), counts, p) }
      const values = await relatedValues(env, field, counts, p, null)
      if (!values) return tooMany
      if (!p.group_by) return { values }
      const grouped = await withGroups(env, field.comodel, values, p.group_by)
      if (p.enable_counters)
        await recount(env, field, shown, grouped, (p.group_domain ?? {}) as Record<string, unknown>)
      return { values: grouped }
    },
  }),
}

interface Choice {
  readonly comodel_domain: unknown[]
  readonly enable_counters: unknown
  readonly expand: unknown
  readonly limit: unknown
}

const tooMany = { error_msg: 'Too many items to display.' }

function panelField(
  env: Environment,
  model: ModelDef,
  name: unknown,
  kinds: readonly FieldDef['kind'][],
): FieldDef {
  const field = fieldNamed(env, model, name)
  if (!kinds.includes(field.kind))
    throw new UserError(
      `A panel takes fields of the kinds ${kinds.join(', ')}; ${field.name} is ${field.kind}.`,
    )
  return field
}

/** The number of records by value, in one query. Throws UserError for a field that is not stored. */
async function countsOf(env: Environment, field: FieldDef, domain: Tree): Promise<Map<unknown, number>> {
  const { scope, where } = await searchQuery(env, field.model, domain)
  if (field.kind === 'many2many') {
    if (!field.link || !field.stored) throw notStored(field)
    const { table, column, other } = field.link
    const rows = await env.query<[unknown, number]>(
      sql`SELECT ${id(other)}, count(*)::int FROM ${id(table)} WHERE ${id(column)} IN (SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}) GROUP BY 1`,
    )
    return new Map(rows.map((row) => [row[0], row[1]]))
  }
  const value = scope.value(field)
  if (!value) throw notStored(field)
  const rows = await env.query<[unknown, number]>(
    sql`SELECT ${value}, count(*)::int FROM ${scope.from()} WHERE ${where} GROUP BY 1`,
  )
  return new Map(rows.filter((row) => row[0] !== null).map((row) => [row[0], row[1]]))
}

const notStored = (field: FieldDef) =>
  new UserError(`${field.model.name}.${field.name} is not stored and cannot be counted.`)

function selectionValues(
  field: FieldDef,
  labels: Labels,
  counts: ReadonlyMap<unknown, number>,
  { expand, enable_counters }: Choice,
): Value[] {
  return Object.entries(labels.options(field))
    .filter(([key]) => expand || counts.has(key))
    .map(([key, label]) => ({
      id: key,
      display_name: label,
      ...(enable_counters ? { __count: counts.get(key) ?? 0 } : {}),
    }))
}

/**
 * Related records: all of them with `expand`, else those in use, with their ancestors in a tree. Null when
 * there are more than `limit`.
 */
async function relatedValues(
  env: Environment,
  field: FieldDef,
  counts: ReadonlyMap<unknown, number>,
  choice: Choice,
  parent: string | null,
): Promise<Value[] | null> {
  const model = comodelOf(field)
  const used = [...counts.keys()] as number[]
  const inUse = choice.expand ? [] : [leaf(['id'], parent ? 'parent_of' : 'in', used)]
  const limit = typeof choice.limit === 'number' && choice.limit > 0 ? choice.limit : null
  const ids = await searchIds(
    env,
    model,
    all([parseDomain(choice.comodel_domain), ...inUse]),
    limit ? { limit } : {},
  )
  if (limit && ids.length >= limit) return null
  const plain = env.withContext({ hierarchical_naming: false })
  const records = await loadPaths(plain, model, ids, ['display_name', ...(parent ? [parent] : [])])
  const shown = new Map(records.map((record) => [record.id, record]))
  const parentOf = (record: Value) =>
    parent ? ((record[parent] as { id: number } | null)?.id ?? null) : null
  return records
    .filter((record) => {
      // A record whose ancestors are not all there has no place in the tree.
      for (let up = parentOf(record); up !== null; up = parentOf(present(shown.get(up))))
        if (!shown.has(up)) return false
      return true
    })
    .map((record) => ({
      id: record.id,
      display_name: record.display_name,
      ...(parent ? { [parent]: parentOf(record) ?? false } : {}),
      ...(choice.enable_counters ? { __count: counts.get(record.id) ?? 0 } : {}),
    }))
}

/** Adds `group_id` and `group_name` by a field of the related model. */
async function withGroups(
  env: Environment,
  model: ModelDef,
  values: readonly Value[],
  groupBy: unknown,
): Promise<Value[]> {
  const field = panelField(env, model, groupBy, ['many2one', 'selection', 'char', 'integer', 'boolean'])
  const path = field.comodel ? `${field.name}.display_name` : field.name
  const ids = values.map((value) => value.id as number)
  const records = await loadPaths(env, model, ids, [path])
  const labels = await labelsOf(env, model)
  const groups = new Map(records.map((record) => [record.id, groupOf(field, labels, record[field.name])]))
  return values.map((value) => ({ ...value, ...groups.get(value.id as number) }))
}

function groupOf(field: FieldDef, labels: Labels, value: unknown): Value {
  if (value === null || value === undefined || value === '') return { group_id: false, group_name: 'Not Set' }
  if (field.comodel) {
    const { id: group, display_name } = value as { id: number; display_name: string }
    return { group_id: group, group_name: display_name }
  }
  const name =
    field.kind === 'selection' ? (labels.options(field)[value as string] ?? String(value)) : String(value)
  return { group_id: value, group_name: name }
}

/** Counts anew where a group has conditions of its own: one query a group. */
async function recount(
  env: Environment,
  field: FieldDef,
  shown: Tree,
  values: readonly Value[],
  conditions: LooseVals,
): Promise<void> {
  for (const [group, members] of Map.groupBy(values, (value) => JSON.stringify(value.group_id))) {
    if (!Object.hasOwn(conditions, group)) continue
    env.unit.shown.addQuery()
    const counts = await countsOf(env, field, all([shown, parseDomain(conditions[group])]))
    for (const value of members) value.__count = counts.get(value.id) ?? 0
  }
}
