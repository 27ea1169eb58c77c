// Facts derived from a model or from a set of fields, computed once: models are frozen, and a new
// registry has new ones.
import { ByList } from '../../kit/by-list.ts'
import { oncePer } from '../../kit/once-per.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'

/**
 * `make`, run once for each model; for lists of fields and texts that each call would compose otherwise.
 */
export const perModel = <T extends NonNullable<unknown> | null>(make: (model: ModelDef) => T) =>
  oncePer<ModelDef, T, []>(make)

/**
 * `make`, run once for a list of fields of a registry, in this order. Results are kept for the `most`
 * lists that were used last.
 */
export function perFields<T>(
  most: number,
  make: (registry: Registry, fields: readonly FieldDef[]) => T,
): (registry: Registry, fields: Iterable<FieldDef>) => T {
  const setsOf = oncePer((_: Registry) => new ByList<FieldDef, { readonly value: T }>(most))
  return (registry, input) => {
    const sets = setsOf(registry)
    // An iterator can be read once only.
    const fields = [...input]
    const cached = sets.get(fields)
    if (cached) return cached.value
    const value = make(registry, fields)
    sets.set(fields, { value })
    return value
  }
}
