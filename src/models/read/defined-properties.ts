// Properties fields of new records: whether any record may define properties for them, found together with
// their ids.

import { type Statement, sql } from '../../sql/index.ts'
import { isDefined } from '../changes/touches.ts'
import { allocateAndAsk, allocateIds, drawForeseen, hasReserved, takeReserved } from '../compute/ids.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { definitionPath } from '../language/field-options.ts'
import { variantOf } from '../row/cache-key.ts'
import { aboutRecords } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { together } from '../unit/independent-reads.ts'
import { perModel } from '../unit/per-model.ts'

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
export function wayOf(field: FieldDef): {
  readonly step?: FieldDef | undefined
  readonly holder?: FieldDef | undefined
} {
  const [via, name] = definitionPath(field)
  const step = field.model.fields.get(via)
  return { step, holder: step?.comodel?.fields.get(name) }
}
