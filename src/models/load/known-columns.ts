// What the cache knows of columns of records, of one after the other.
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { variantOf } from '../row/held.ts'

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
