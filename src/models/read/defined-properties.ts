// Properties fields of new records: whether any record may define properties for them, found together with
// their ids.

import { isDate, isMoment } from '../../kit/dates.ts'
import { oncePer } from '../../kit/once-per.ts'
import { isInteger } from '../../kit/present.ts'
import { type Statement, sql } from '../../sql/index.ts'
import { isDefined } from '../changes/log.ts'
import { allocateAndQuery, allocateIds, drawPlannedIds, hasReserved, takeReserved } from '../compute/ids.ts'
import { cleaned } from '../kinds/cleaning.ts'
import { INT32_MAX } from '../kinds/shared.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { definitionPath } from '../language/field-options.ts'
import { variantOf } from '../row/cache-key.ts'
import { aboutRecords } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { together } from '../unit/reads.ts'

export const propertiesOf = oncePer((model: ModelDef): readonly FieldDef[] =>
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
  const { step, holder } = definitionFieldsOf(field)
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
    await drawPlannedIds(env)
    return together(allocateIds(env, model, count), definedAnywhere(env, fields))
  }
  let ids: number[] | undefined
  const isFound = await isDefined(env.unit, question, async () => {
    const [drawn, answer] = await allocateAndQuery(env, model, count, question)
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
    const { step, holder } = definitionFieldsOf(field)
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
export function definitionFieldsOf(field: FieldDef): {
  readonly step?: FieldDef | undefined
  readonly holder?: FieldDef | undefined
} {
  const [via, name] = definitionPath(field)
  const step = field.model.fields.get(via)
  return { step, holder: step?.comodel?.fields.get(name) }
}

// Values of properties as their definitions allow them.

/** `name` and `type` are always there. */
export interface PropertyDefinition {
  readonly name: string
  readonly type: string
  readonly comodel?: unknown
  readonly default?: unknown
  readonly selection?: unknown
  readonly tags?: unknown
}
export type Values = Readonly<Record<string, unknown>>

/** The explicit value of a property, or the default of a new record; undefined without either. */
export function givenValue(definition: PropertyDefinition, values: Values | null, fresh: boolean): unknown {
  if (values !== null && Object.hasOwn(values, definition.name)) return values[definition.name] ?? null
  return fresh && definition.default ? definition.default : undefined
}

/** False in place of what the definition does not allow. */
export function allowedValue(definition: PropertyDefinition, value: unknown): unknown {
  if (value === null || value === undefined) return false
  switch (definition.type) {
    case 'selection':
      return keysOfOptions(definition.selection).has(value) ? value : false
    case 'tags': {
      const tagKeys = keysOfOptions(definition.tags)
      return Array.isArray(value) ? value.filter((key) => tagKeys.has(key)) : false
    }
    case 'many2one':
      return idOf(value) ?? false
    case 'many2many':
      return Array.isArray(value) ? value.flatMap((one) => idOf(one) ?? []) : false
    case 'integer':
    case 'float':
    case 'monetary': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number !== 'number' || !Number.isFinite(number)) return false
      return definition.type === 'integer' ? Math.trunc(number) : number
    }
    case 'date':
      return typeof value === 'string' && isDate(value.slice(0, 10)) ? value.slice(0, 10) : false
    case 'datetime':
      return typeof value === 'string' && isMoment(value) ? value : false
    case 'boolean':
      return Boolean(value)
    case 'char':
    case 'text':
      return typeof value === 'string' ? value : false
    case 'html':
      return typeof value === 'string' ? cleaned(value) : false
    default:
      return value
  }
}

export const keysOfOptions = (options: unknown): ReadonlySet<unknown> =>
  Array.isArray(options) ? keysOf(options) : new Set()

/** Many records have one definition. */
const keysOf = oncePer(
  (options: readonly unknown[]): ReadonlySet<unknown> =>
    new Set(options.map((option) => (Array.isArray(option) ? option[0] : undefined))),
)

/** Records are given by id, or as they are read: `[id, name]`. */
export function idOf(value: unknown): number | null {
  const candidate: unknown = Array.isArray(value) ? value[0] : value
  return isInteger(candidate) && candidate > 0 && candidate <= INT32_MAX ? candidate : null
}
