// What is known of computed, related and x2many fields while records change: what cannot follow from the
// change stays known.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { leadsToMany } from '../language/relations.ts'
import { reachOf } from '../load/reach.ts'
import { isUnruled } from '../row/held.ts'
import { perModel } from '../unit/per-model.ts'

/** Whether values of a field in a variant are what they were. */
type Stands = (field: FieldDef, variant: string) => boolean

/**
 * Although records of `model` were made. Nobody refers to these yet, so they come by lists of lines alone.
 */
export const standsWithoutNew = perModel((model): Stands => {
  return (field, variant) => {
    if (field.model === model || mayBeHidden(field, variant)) return false
    return listed(field)?.has(model) === false
  }
})

/**
 * Although values of these fields changed. Links that several fields keep together change with any of them.
 */
export function standsWithoutChanged(changed: readonly FieldDef[]): Stands {
  if (changed.some(leadsToMany)) return () => false
  return (field, variant) => {
    if (mayBeHidden(field, variant)) return false
    const reach = reachOf(field)
    return reach !== null && !changed.some((one) => reach.has(one))
  }
}

/** Rules of users may look at anything. */
const mayBeHidden = (field: FieldDef, variant: string): boolean =>
  Boolean(field.comodel) && !isUnruled(variant)

/** Models whose new records may change values of a field; null where nobody knows. */
function listed(field: FieldDef): ReadonlySet<ModelDef> | null {
  const known = models.get(field)
  if (known) return known.of
  const reach = reachOf(field)
  const of =
    reach &&
    new Set(
      [...reach].filter(leadsToMany).flatMap(({ model, comodel }) => [model, ...(comodel ? [comodel] : [])]),
    )
  models.set(field, { of })
  return of
}

const models = new WeakMap<FieldDef, { readonly of: ReadonlySet<ModelDef> | null }>()
