// What follows from a model alone, or from some fields, is worked out once: models are frozen, and are made
// anew together with their registry.
import { ByList } from '../../kit/by-list.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'

/**
 * `make`, run once a model; for lists of fields and texts that calls would otherwise put together each time.
 */
export function perModel<T>(make: (model: ModelDef) => T): (model: ModelDef) => T {
  const known = new WeakMap<ModelDef, { readonly made: T }>()
  return (model) => {
    const found = known.get(model)
    if (found) return found.made
    const made = make(model)
    known.set(model, { made })
    return made
  }
}

/**
 * `make`, run once for a set of fields of a registry, by the order in which they are given. What was made is
 * kept for `most` sets; those not asked for longest go.
 */
export function perFields<T>(
  most: number,
  make: (registry: Registry, fields: readonly FieldDef[]) => T,
): (registry: Registry, fields: Iterable<FieldDef>) => T {
  const known = new WeakMap<Registry, ByList<FieldDef, { readonly made: T }>>()
  return (registry, given) => {
    let kept = known.get(registry)
    if (!kept) {
      kept = new ByList(most)
      known.set(registry, kept)
    }
    // What is gone through once is gone.
    const fields = [...given]
    const found = kept.get(fields)
    if (found) return found.made
    const made = make(registry, fields)
    kept.set(fields, { made })
    return made
  }
}
