// What follows from a model alone, or from some fields, is worked out once: models are frozen, and are made
// anew together with their registry.
import { ByList } from '../../kit/by-list.ts'
import { oncePer } from '../../kit/once-per.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'

/**
 * `make`, run once a model; for lists of fields and texts that calls would otherwise put together each time.
 */
export const perModel = <T extends NonNullable<unknown> | null>(make: (model: ModelDef) => T) =>
  oncePer<ModelDef, T, []>(make)

/**
 * `make`, run once for a set of fields of a registry, by the order in which they are given. What was made is
 * kept for `most` sets; those not asked for longest go.
 */
export function perFields<T>(
  most: number,
  make: (registry: Registry, fields: readonly FieldDef[]) => T,
): (registry: Registry, fields: Iterable<FieldDef>) => T {
  const setsOf = oncePer((_: Registry) => new ByList<FieldDef, { readonly value: T }>(most))
  return (registry, given) => {
    const sets = setsOf(registry)
    // What is gone through once is gone.
    const fields = [...given]
    const cached = sets.get(fields)
    if (cached) return cached.value
    const value = make(registry, fields)
    sets.set(fields, { value })
    return value
  }
}
