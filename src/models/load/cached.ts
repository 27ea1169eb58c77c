// Paths all of whose values the cache knows: objects with them are made at once, without a turn of the event
// loop for each model on the way. Functions of computed fields mostly look at what others have looked at.
import { present } from '../../kit/present.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/field-options.ts'
import { variantOf } from '../row/cache-key.ts'
import type { Known } from './columns.ts'
import { isFresh } from './pending-fields.ts'
import { type Level, levelOf, type PathTree, targetLevel } from './tree.ts'

export type Plain = { id: number } & Record<string, unknown>

/**
 * The objects that a load by the superuser returns for records and all that the tree leads to, in the
 * order of `ids`, which are distinct; null if something has to be read or computed.
 */
export function loadFromCache(env: Environment, model: ModelDef, ids: Ids, tree: PathTree): Plain[] | null {
  if (!env.su) return null
  return ids.length === 0 ? [] : levelAtHand(env, levelOf(model, tree), model, ids)
}

function levelAtHand(env: Environment, level: Level, model: ModelDef, ids: Ids): Plain[] | null {
  const columns = valuesFromCache(env, model, ids, level)
  if (!columns) return null
  const records: Plain[] = []
  for (const id of ids) records.push({ id })
  for (const { field, place } of level.plain) {
    const of = columns[place]
    for (const record of records)
      record[field.name] = of?.get(record.id) ?? field.type.fromColumn(field, null)
  }
  for (const step of level.steps) {
    const { field, isMany, deeper } = step
    const of = present(columns[step.place])
    if (!deeper) {
      putTargets(field.name, isMany, of, records, undefined)
      continue
    }
    const targets = targetsOf(isMany, of, ids)
    const targetRecords = targets.length ? levelAtHand(env, targetLevel(step), field.comodel, targets) : []
    if (!targetRecords) return null
    putTargets(field.name, isMany, of, records, byId(targetRecords))
  }
  return records
}

/** Values of fields, in their order, if the cache has all of them and none is pending. */
function valuesFromCache(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  { unknown, fields, same }: Level,
): ReadonlyMap<number, unknown>[] | null {
  if (unknown !== undefined) return null
  const { cache } = env.unit
  const { pending } = env.unit.recomputation
  const all: ReadonlyMap<number, unknown>[] = []
  for (let place = 0; place < fields.length; place++) {
    const field = present(fields[place])
    const cachedValues = cache.of(field, same[place] ? '' : variantOf(env, field))
    for (const id of ids) if (!cachedValues.has(id)) return null
    all.push(cachedValues)
  }
  if (fields.length === 0) {
    const cachedIds = cache.of(fieldOf(model, 'id'), '')
    for (const id of ids) if (!cachedIds.has(id)) return null
  }
  return pending.size === 0 || isFresh(env, fields, ids) ? all : null
}

export function byId(records: readonly Plain[]): ReadonlyMap<number, Plain> {
  const recordsById = new Map<number, Plain>()
  for (const record of records) recordsById.set(record.id, record)
  return recordsById
}

export function plainRecords(ids: Ids, { plain }: Level, of: Known): Map<number, Plain> {
  const records = new Map<number, Plain>()
  for (const id of ids) records.set(id, { id })
  for (const { field } of plain) {
    const column = of.get(field)
    for (const record of records.values())
      record[field.name] = column?.get(record.id) ?? field.type.fromColumn(field, null)
  }
  return records
}

export function targetsOf(isMany: boolean, column: ReadonlyMap<number, unknown>, ids: Iterable<number>): Ids {
  // Mostly to one record, or to what one list has.
  let first: Ids = NOWHERE
  let targets: Set<number> | null = null
  for (const id of ids) {
    const value = column.get(id)
    if (!value) continue
    const more = isMany ? (value as Ids) : [value as number]
    if (targets) for (const target of more) targets.add(target)
    else if (first === NOWHERE) first = more
    else if (more.length !== 1 || first.length !== 1 || more[0] !== first[0])
      targets = new Set([...first, ...more])
  }
  return targets ? [...targets] : first
}

const NOWHERE: Ids = []

/** Puts related records in the place of their ids; without `targetsById`, their ids alone. */
export function putTargets(
  name: string,
  isMany: boolean,
  column: ReadonlyMap<number, unknown>,
  records: Iterable<Plain>,
  targetsById: ReadonlyMap<number, Plain> | undefined,
): void {
  for (const record of records) {
    const value = column.get(record.id)
    if (isMany) {
      const targets: Plain[] = []
      for (const id of (value as Ids | null) ?? []) {
        const target = targetsById ? targetsById.get(id) : { id }
        if (target) targets.push(target)
      }
      record[name] = targets
    } else if (!value) record[name] = null
    else record[name] = targetsById ? (targetsById.get(value as number) ?? null) : { id: value }
  }
}
