// Paths all of whose values the cache knows: objects with them are made at once, without a turn of the event
// loop for each model on the way. Functions of computed fields mostly look at what others have looked at.
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import { variantOf } from '../row/held.ts'
import type { Known } from './columns.ts'
import { isFresh } from './needed.ts'
import { type Level, levelOf, type PathTree } from './tree.ts'

/** A record with values by name. */
export type Plain = { id: number } & Record<string, unknown>

/**
 * What a load for the superuser would give of records and all that the tree leads to; null where something
 * would have to be asked for or computed.
 */
export function atHand(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  tree: PathTree,
): Map<number, Plain> | null {
  if (!env.su) return null
  if (ids.length === 0) return new Map()
  const level = levelOf(model, tree)
  if (level.unknown !== undefined) return null
  const of = knownOf(env, model, ids, level)
  if (!of) return null
  const records = plainRecords(ids, level, of)
  for (const { field, isMany, below, deeper } of level.steps) {
    const known = present(of.get(field))
    const found = deeper ? atHand(env, field.comodel, targetsOf(isMany, known, ids), below) : undefined
    if (found === null) return null
    putTargets(field.name, isMany, known, records, found)
  }
  return records
}

/** Values of fields of all records, if the cache has them and none waits to be computed. */
function knownOf(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  { fields, differing }: Level,
): Known | null {
  const of = new Map<FieldDef, Map<number, unknown>>()
  const looked = fields.length ? fields : [fieldOf(model, 'id')]
  for (const field of looked) {
    const known = env.unit.cache.of(field, differing.has(field) ? variantOf(env, field) : '')
    for (const id of ids) if (!known.has(id)) return null
    of.set(field, known)
  }
  return env.unit.pending.size === 0 || isFresh(env, fields, ids) ? of : null
}

/** Records with the values of fields that lead nowhere. */
export function plainRecords(ids: readonly number[], { plain }: Level, of: Known): Map<number, Plain> {
  const records = new Map<number, Plain>()
  for (const id of ids) records.set(id, { id })
  for (const field of plain) {
    const known = of.get(field)
    for (const record of records.values())
      record[field.name] = known?.get(record.id) ?? field.type.fromColumn(field, null)
  }
  return records
}

/** Where a relation of the records leads, by its values. */
export function targetsOf(
  isMany: boolean,
  known: ReadonlyMap<number, unknown>,
  ids: Iterable<number>,
): number[] {
  const targets = new Set<number>()
  for (const id of ids) {
    const value = known.get(id)
    if (isMany) for (const target of (value as readonly number[] | null) ?? []) targets.add(target)
    else if (value) targets.add(value as number)
  }
  return [...targets]
}

/** Puts related records into the place of their ids; `found` is undefined where nothing but their ids is wanted. */
export function putTargets(
  name: string,
  isMany: boolean,
  known: ReadonlyMap<number, unknown>,
  records: ReadonlyMap<number, Plain>,
  found: ReadonlyMap<number, Plain> | undefined,
): void {
  for (const record of records.values()) {
    const value = known.get(record.id)
    if (isMany) {
      const targets: Plain[] = []
      for (const id of (value as readonly number[] | null) ?? []) {
        const target = found ? found.get(id) : { id }
        if (target) targets.push(target)
      }
      record[name] = targets
    } else if (!value) record[name] = null
    else record[name] = found ? (found.get(value as number) ?? null) : { id: value }
  }
}
