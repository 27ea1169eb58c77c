// What follows from a model alone is worked out once: models are frozen, and are made anew together with
// their registry.
import type { ModelDef } from '../language/definitions.ts'

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
