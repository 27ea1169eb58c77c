// Cached columns of records, and values that modules put into the cache.
import type { ModelName } from '../contract/names.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import { isOneForAll, variantOf } from '../row/held.ts'

/** A record's value of a column: null where unset; undefined where it is not known, or waits to be computed. */
export type KnownColumns = (field: FieldDef, id: number) => unknown

/** To be asked at once: what comes to be known later, or to wait, it may not see. */
export function knownColumns(env: Environment): KnownColumns {
  const { cache, pending } = env.unit
  const looked = new Map<FieldDef, ReadonlyMap<number, unknown>>()
  return (field, id) => {
    let known = looked.get(field)
    if (!known) {
      known = cache.of(field, variantOf(env, field))
      looked.set(field, known)
    }
    const value = known.get(id)
    if (value === undefined && !known.has(id)) return undefined
    return pending.get(field)?.has(id) ? undefined : (value ?? null)
  }
}

/**
 * Puts the values of a column that a module's own statement read into the cache, by record. Throws
 * Error for a field whose value depends on the user.
 */
export function keepRead(
  env: Environment,
  model: ModelName,
  column: string,
  values: Iterable<readonly [id: number, value: unknown]>,
): void {
  const field = fieldOf(env.def(model), column)
  if (!isOneForAll(field)) throw new Error(`${model}.${column} is not the same for everybody.`)
  const known = env.unit.cache.of(field, '')
  for (const [id, value] of values) if (!known.has(id)) known.set(id, value)
}
