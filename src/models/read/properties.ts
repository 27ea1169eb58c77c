// Properties of records: values joined with the definitions that give them meaning (spec/models-api.md
// sections 4 and 6).

import { and, id, idList, type Statement, sql, TRUE } from '../../sql/index.ts'
import { isDefined } from '../changes/definitions.ts'
import { allocateAndAsk, allocateIds, drawForeseen, hasReserved, takeReserved } from '../compute/ids.ts'
import { cleanAhead, withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { definitionPath } from '../language/field-options.ts'
import { always } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { variantOf } from '../row/held.ts'
import { aboutRecords } from '../row/plans.ts'
import { ruleOf } from '../row/rule.ts'
import { scopeOver } from '../row/scope.ts'
import { perModel } from '../unit/per-model.ts'
import { together } from '../unit/together.ts'
import { givenValue, idOf, type PropertyDefinition, understood, type Values } from './property-values.ts'
import { searchQuery } from './search.ts'

/** Properties fields that a model keeps itself. */
export const propertiesOf = perModel((model): readonly FieldDef[] =>
  [...model.fields.values()].filter(
    (field) => field.kind === 'properties' && field.column && field.options.definition,
  ),
)

/**
 * Ids for new records of a model, and those of its properties fields that may be defined for one of them.
 * `rows`: their columns.
 */
export function idsAndDefined(
  env: Environment,
  model: ModelDef,
  rows: readonly Columns[],
): IdsAndDefined | Promise<IdsAndDefined> {
  const fields = propertiesOf(model).filter((field) => !isKnownUndefined(env, field, rows))
  const ids = fields.length ? null : takeReserved(env, model, rows.length)
  return ids ? [ids, []] : askForBoth(env, model, rows.length, fields)
}

type Columns = ReadonlyMap<FieldDef, unknown>

/** Whether the cache has the definitions of all that the rows link to, and none of them has any. */
function isKnownUndefined(env: Environment, field: FieldDef, rows: readonly Columns[]): boolean {
  const { step, holder } = wayOf(field)
  if (!step?.column || !holder?.column) return false
  const definitions = env.unit.cache.of(holder, variantOf(env, holder))
  return rows.every((columns) => {
    const owner = columns.get(step)
    if (typeof owner !== 'number') return owner === null
    const list = definitions.get(owner)
    return list === null || (Array.isArray(list) && list.length === 0)
  })
}

type IdsAndDefined = readonly [number[], readonly FieldDef[]]

async function askForBoth(
  env: Environment,
  model: ModelDef,
  count: number,
  fields: readonly FieldDef[],
): Promise<IdsAndDefined> {
  if (fields.length === 0) return [await allocateIds(env, model, count), []]
  const question = askedForDefinitions(env, model)
  if (!question || question === 'many' || hasReserved(env, model, count)) {
    await drawForeseen(env)
    return together(allocateIds(env, model, count), definedAnywhere(env, fields))
  }
  let ids: number[] | undefined
  const isFound = await isDefined(env.unit, question, async () => {
    const [drawn, answer] = await allocateAndAsk(env, model, count, question)
    ids = drawn
    return answer
  })
  return [ids ?? (await allocateIds(env, model, count)), isFound ? fields : []]
}

/**
 * The query that finds whether properties may be defined for a new record: null if the model has no
 * such field, 'many' if it takes more than one query without values.
 */
export function askedForDefinitions(env: Environment, model: ModelDef): Statement | null | 'many' {
  const [only, more] = propertiesOf(model)
  if (!only) return null
  const question = more ? null : possibleDefinitions(env.sudo(), only)
  return question && question.values.length === 0 ? question : 'many'
}

/** Those of the fields that may be defined for a record that is not there yet. */
async function definedAnywhere(env: Environment, fields: readonly FieldDef[]): Promise<readonly FieldDef[]> {
  const defined: FieldDef[] = []
  for (const field of fields) {
    const question = possibleDefinitions(env.sudo(), field)
    if (!question || (await isDefined(env.unit, question))) defined.push(field)
  }
  return defined
}

/**
 * Finds whether a record that is not there yet may have definitions: of the one holder where all records have
 * the same, else of any; null where the holder is no column of the linked model.
 */
function possibleDefinitions(env: Environment, field: FieldDef): Statement | null {
  return aboutRecords(env, `definitions of ${field.model.name} ${field.name}`, [], () => {
    const { step, holder } = wayOf(field)
    if (!step?.comodel || !holder?.column) return null
    const row = 'anyrow'
    const way = scopeOver(env, field.model, row).value(step)
    if (!way) return null
    const list = scopeOver(env, step.comodel)
    // Few hold definitions, and mostly none is defined: the way to them is looked for where some are.
    const some = sql`SELECT ${list.id} AS id FROM ${list.from()} WHERE jsonb_array_length(COALESCE(${list.column(holder.name)}, '[]')) > 0 OFFSET 0`
    const isOfRecord = way.compile().text.includes(row)
    return isOfRecord
      ? sql`SELECT 1 FROM (${some}) AS held LIMIT 1`
      : sql`SELECT 1 FROM (${some}) AS held WHERE held.id = ${way}`
  })
}

/** The field that leads to the definitions, and the one that holds them there. */
function wayOf(field: FieldDef): {
  readonly step?: FieldDef | undefined
  readonly holder?: FieldDef | undefined
} {
  const [via, name] = definitionPath(field)
  const step = field.model.fields.get(via)
  return { step, holder: step?.comodel?.fields.get(name) }
}

/**
 * Wire form by record: the definitions in order, each with its `value` when there is one. Names of linked
 * records are read for all at once.
 */
export async function wireProperties(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  ids: readonly number[],
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
      const value = understood(definition, recordValues[definition.name])
      return { ...definition, value: named(definition, value, names) }
    })
  }
}

/**
 * After values were given: what no definition knows is dropped, unknown options become false; new records get
 * the defaults of what they were given no value for.
 */
export async function settleProperties(
  env: Environment,
  fields: readonly FieldDef[],
  ids: readonly number[],
  fresh: boolean,
): Promise<void> {
  for (const field of fields) {
    const rows = await rowsOf(env, field, ids, fresh)
    const cleaned = await cleanAhead(
      env,
      rows.flatMap((row) => markupIn(row, fresh)),
    )
    const changed = withCleaned(cleaned, () => rows.flatMap((row) => settledRow(row, fresh)))
    env.unit.cache.forget(field, ids)
    if (changed.length === 0) continue
    env.unit.send(sql`UPDATE ${id(field.model.table)} AS t SET ${id(field.name)} = x.v
      FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS x(id int, v jsonb) WHERE t."id" = x.id`)
  }
}

/** Values of a record as its definitions allow them; none where they are so already. */
function settledRow(
  { record, values, definitions }: PropertyRow,
  fresh: boolean,
): { id: number; v: Record<string, unknown> }[] {
  const settled: Record<string, unknown> = {}
  for (const definition of definitions) {
    const value = givenValue(definition, values, fresh)
    if (value !== undefined) settled[definition.name] = understood(definition, value)
  }
  const text = JSON.stringify(settled)
  return text === JSON.stringify(values ?? {}) ? [] : [{ id: record, v: settled }]
}

/** Markup among the values of a record. */
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

/**
 * Display names of all records that the values link to, one query a model; only of models that the caller may
 * read.
 */
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

/** Definitions by record. */
async function definitionsOf(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
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
async function rowsOf(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
  defined: boolean,
): Promise<PropertyRow[]> {
  const { step, holder } = wayOf(field)
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
