// What is known of computed, related and x2many fields while records are made: what cannot follow from
// records of the model stays known.
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { leadsToMany } from '../language/relations.ts'
import { isUnruled } from '../row/held.ts'
import { parseOrder } from '../row/order.ts'

/**
 * Whether values of a field of other models in a variant are what they were although records of `model` were
 * made. Nobody refers to these yet, so they come by lists of lines alone.
 */
export const standsWithoutNew =
  (model: ModelDef) =>
  (field: FieldDef, variant: string): boolean => {
    if (field.model === model || (field.comodel && !isUnruled(variant))) return false
    return reachOf(field)?.has(model) === false
  }

const reaches = new WeakMap<FieldDef, { readonly models: ReadonlySet<ModelDef> | null }>()

/** Models whose new records may change values of the field; null where nobody knows. */
function reachOf(field: FieldDef): ReadonlySet<ModelDef> | null {
  const known = reaches.get(field)
  if (known) return known.models
  const models = new Set<ModelDef>()
  const found = { models: addReach(field, models, 0) ? models : null }
  reaches.set(field, found)
  return found.models
}

/** Steps by way of other derived fields. */
const DEEPEST = 8

function addReach(field: FieldDef, models: Set<ModelDef>, depth: number): boolean {
  if (depth > DEEPEST) return false
  if (field.column || field.name === 'id') return true
  if (field.related) return addPath(field.model, field.related, models, depth)
  // Its own function sees what it declares, and no more.
  if (field.compute)
    return (
      field.compute.pure &&
      field.compute.depends.every((path) => addPath(field.model, path.split('.'), models, depth))
    )
  return leadsToMany(field) && addList(field, models)
}

/** Lines of a list, and the records that have it: they may have been made with some. */
function addList({ model, comodel, options }: FieldDef, models: Set<ModelDef>): boolean {
  const isOwn = (leaf: unknown) => !Array.isArray(leaf) || comodel?.fields.get(String(leaf[0]))?.column
  if (!comodel || !(options.domain ?? []).every(isOwn)) return false
  models.add(model)
  models.add(comodel)
  // An order by way of other records is theirs too: those are there already.
  return parseOrder(comodel.order).every(({ path }) => comodel.fields.get(present(path[0]))?.column)
}

function addPath(model: ModelDef, names: readonly string[], models: Set<ModelDef>, depth: number): boolean {
  let here: ModelDef | undefined = model
  for (const name of names) {
    const step: FieldDef | undefined = here?.fields.get(name)
    if (!step || !addReach(step, models, depth + 1)) return false
    here = step.comodel
  }
  return true
}
