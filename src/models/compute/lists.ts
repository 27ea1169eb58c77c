// What lists of lines follow from: whose they are, which are archived, and their order.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/relations.ts'
import { variantOf } from '../row/held.ts'
import { parseOrder } from '../row/order.ts'
import { perModel } from '../unit/per-model.ts'

/**
 * Whether a list in the cache is what it was although values of a column changed. Rules of users may look at
 * anything, so it is the superuser's, of `env`.
 */
export function standsWithout(env: Environment, list: FieldDef, variant: string, changed: FieldDef): boolean {
  if (!leadsToMany(list) || !list.stored || !list.comodel || list.options.domain) return false
  if (!changed.column || changed.name === list.inverse || variant !== variantOf(env, list)) return false
  return orderOf(list.comodel)?.has(changed) === false
}

/** Fields that say which records come first, and which are archived; null where that is not in columns. */
const orderOf = perModel((model): ReadonlySet<FieldDef> | null => {
  const fields = new Set<FieldDef>(model.active ? [model.active] : [])
  return addOrder(model, model.order, fields, 0) ? fields : null
})

/** Relations in a row that an order may lead through. */
const DEEPEST = 5

function addOrder(model: ModelDef, order: string, fields: Set<FieldDef>, depth: number): boolean {
  return parseOrder(order).every(({ path }) => {
    let here: ModelDef | undefined = model
    for (const name of path) {
      const field: FieldDef | undefined = here?.fields.get(name)
      if (!field?.column || depth > DEEPEST) return false
      fields.add(field)
      here = field.comodel
    }
    return !here || addOrder(here, here.order, fields, depth + 1)
  })
}
