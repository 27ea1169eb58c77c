// Properties of records: values joined with the definitions that give them meaning (spec/models-api.md
// sections 4 and 6).

import { and, id, idList, sql, TRUE } from '../../sql/index.ts'
import { sanitizeBeforeWrite, withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, Ids } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { definitionPath } from '../language/field-options.ts'
import { always } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { ruleOf } from '../row/access.ts'
import { scopeOver } from '../row/scope.ts'
import {
  allowedValue,
  definitionFieldsOf,
  givenValue,
  idOf,
  type PropertyDefinition,
  type Values,
} from './defined-properties.ts'
import { searchQuery } from './search.ts'

/**
 * Wire form by record: the definitions in order, each with its `value` when there is one. Names of linked
 * records are read for all at once.
 */
export async function wireProperties(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  ids: Ids,
): Promise<(record: number) => unknown> {
  const definitions = await definitionsOf(env, field, ids)
  const names = await namesOf(env, definitions, values)
  const lengths = new Map(
    [...new Set(definitions.values())].map((list) => [list, JSON.stringify(list).length]),
  )
  return (record) => {
    const recordValues = (values.get(record) ?? {}) as Values
    const list = definitions.get(record) ?? []
    env.unit.shown.addText(lengths.get(list) ?? 0)
    return list.map((definition) => {
      if (!Object.hasOwn(recordValues, definition.name)) return definition
      const value = allowedValue(definition, recordValues[definition.name])
      return { ...definition, value: named(definition, value, names) }
    })
  }
}

export async function normalizeProperties(
  env: Environment,
  fields: readonly FieldDef[],
  ids: Ids,
  fresh: boolean,
): Promise<void> {
  for (const field of fields) {
    const rows = await rowsOf(env, field, ids, fresh)
    const texts = rows.flatMap((row) => markupIn(row, fresh))
    const cleaned = await sanitizeBeforeWrite(env, texts)
    const changed = withCleaned(cleaned, () => rows.flatMap((row) => settledRow(row, fresh)))
    env.unit.cache.forget(field, ids)
    if (changed.length === 0) continue
    env.unit.send(sql`UPDATE ${id(field.model.table)} AS t SET ${id(field.name)} = x.v
      FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS x(id int, v jsonb) WHERE t."id" = x.id`)
  }
}

function settledRow(
  { record, values, definitions }: PropertyRow,
  fresh: boolean,
): { id: number; v: Record<string, unknown> }[] {
  const settled: Record<string, unknown> = {}
  for (const definition of definitions) {
    const value = givenValue(definition, values, fresh)
    if (value !== undefined) settled[definition.name] = allowedValue(definition, value)
  }
  const text = JSON.stringify(settled)
  return text === JSON.stringify(values ?? {}) ? [] : [{ id: record, v: settled }]
}

function markupIn({ values, definitions }: PropertyRow, fresh: boolean): string[] {
  return definitions.flatMap((definition) => {
    const value = definition.type === 'html' ? givenValue(definition, values, fresh) : null
    return typeof value === 'string' ? [value] : []
  })
}

type Names = ReadonlyMap<string, ReadonlyMap<number, unknown>>

function named(definition: PropertyDefinition, value: unknown, names: Names): unknown {
  const targetNames = names.get(String(definition.comodel))
  const pair = (one: unknown) =>
    targetNames?.has(one as number) ? [[one, targetNames.get(one as number)]] : []
  if (definition.type === 'many2one') return pair(value)[0] ?? false
  if (definition.type === 'many2many') return Array.isArray(value) ? value.flatMap(pair) : false
  return value
}

/** Names of records that the values link to, a query each for models that the caller may read. */
async function namesOf(
  env: Environment,
  definitions: ReadonlyMap<number, readonly PropertyDefinition[]>,
  values: ReadonlyMap<number, unknown>,
): Promise<Names> {
  const wanted = new Map<string, Set<number>>()
  for (const [record, list] of definitions) {
    for (const { name, type, comodel } of list) {
      if ((type !== 'many2one' && type !== 'many2many') || typeof comodel !== 'string') continue
      const value = (values.get(record) as Values | null | undefined)?.[name]
      const ids =
        type === 'many2many' && Array.isArray(value)
          ? value.flatMap((one) => idOf(one) ?? [])
          : [idOf(value) ?? 0]
      const targetIds = wanted.get(comodel) ?? new Set<number>()
      for (const targetId of ids) if (targetId) targetIds.add(targetId)
      wanted.set(comodel, targetIds)
    }
  }
  const names = new Map<string, Map<number, unknown>>()
  for (const [comodel, ids] of wanted) {
    const model = env.unit.registry.get(comodel)
    if (!model?.hasRows || ids.size === 0 || !(env.su || env.unit.rights.mayModel(env.user, model, 'read')))
      continue
    const rows = await loadPaths(env.sudo(), model, [...ids], ['display_name'])
    names.set(comodel, new Map(rows.map((row) => [row.id, row.display_name ?? false])))
  }
  return names
}

/** The definition of a property that some record defines for a properties field; null when none does. */
export async function definitionNamed(
  env: Environment,
  field: FieldDef,
  property: string,
): Promise<PropertyDefinition | null> {
  const [via, name] = definitionPath(field)
  const owner = field.model.fields.get(via)?.comodel
  const holder = owner?.fields.get(name)
  if (!owner || !holder?.column) return null
  // Every user who reads the values sees their definitions, whatever their rights on the model of the
  // holder; rules still hide holders.
  const { scope, where: all } = await searchQuery(env.sudo(), owner, always(true))
  const where = and([all, ruleOf(scope.seenBy(env), owner, 'read') ?? TRUE])
  const rows = await env.query<[PropertyDefinition | undefined]>(
    sql`SELECT d.definition FROM ${scope.from()} CROSS JOIN LATERAL jsonb_array_elements(${scope.column(name)}) AS d(definition) WHERE ${where} AND d.definition ->> 'name' = ${property} ORDER BY ${scope.id} LIMIT 1`,
  )
  const stored = rows[0]?.[0]
  return typeof stored === 'string' ? (JSON.parse(stored) as PropertyDefinition) : (stored ?? null)
}

async function definitionsOf(
  env: Environment,
  field: FieldDef,
  ids: Ids,
): Promise<Map<number, readonly PropertyDefinition[]>> {
  const owners = await rowsOf(env, field, ids, true)
  return new Map(owners.map((row) => [row.record, row.definitions]))
}

interface PropertyRow {
  readonly record: number
  readonly values: Values | null
  readonly definitions: readonly PropertyDefinition[]
}

/**
 * Values and definitions of records; `defined`: only of those that have definitions. Records that are defined
 * together share one list, which is read once.
 */
async function rowsOf(env: Environment, field: FieldDef, ids: Ids, defined: boolean): Promise<PropertyRow[]> {
  const { step, holder } = definitionFieldsOf(field)
  if (!step || !holder || ids.length === 0) return []
  const scope = scopeOver(env.sudo(), field.model)
  const [value, way] = [scope.value(field), scope.value(step)]
  const definitions = way && scope.join(step).value(holder)
  if (!value || !way || !definitions) return []
  const some = defined ? sql` AND jsonb_array_length(COALESCE(${definitions}, '[]')) > 0` : sql``
  const first = sql`row_number() OVER (PARTITION BY ${way} ORDER BY ${scope.id}) = 1`
  const rows = await env.query<[number, unknown, unknown, unknown]>(
    sql`SELECT ${scope.id}, ${value}, ${way}, CASE WHEN ${first} THEN ${definitions} END FROM ${scope.from()}
      WHERE ${scope.id} = ANY(${idList([...ids])})${some} ORDER BY ${scope.id}`,
  )
  const lists = new Map<unknown, PropertyDefinition[]>()
  return rows.map(([record, values, at, list]) => {
    const definitions =
      lists.get(at) ?? ((holder.type.fromColumn(holder, list) ?? []) as PropertyDefinition[])
    lists.set(at, definitions)
    return {
      record: record,
      values: field.type.fromColumn(field, values) as Values | null,
      definitions,
    }
  })
}
