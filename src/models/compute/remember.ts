// The cache for new records before they are stored: explicit values, and empty values elsewhere.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/relations.ts'
import { isCachedVerbatim, isOneForAll, variantOf } from '../row/cache-key.ts'
import { companyDefault } from '../row/company-values.ts'
import type { Sorted } from '../row/destinations.ts'
import { parseOrder } from '../row/order.ts'

/** Caches explicit values of new records under the keys that reads use. */
export function remember(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Sorted[],
): void {
  const su = env.sudo()
  for (const field of watched(model, env.unit.registry)) {
    const variant = variantOf(env, field)
    keepGiven(env, field, variant, { ids, sorted })
    const seen = env.su || isOneForAll(field) ? variant : variantOf(su, field)
    if (seen !== variant) keepGiven(env, field, seen, { ids, sorted })
  }
}

function keepGiven(
  env: Environment,
  field: FieldDef,
  variant: string,
  { ids, sorted }: { readonly ids: readonly number[]; readonly sorted: readonly Sorted[] },
): void {
  const cachedValues = env.unit.cache.of(field, variant)
  if (leadsToMany(field)) {
    for (let i = 0; i < ids.length; i++)
      if (asksNothing(sorted[i]?.lines.get(field))) cachedValues.set(present(ids[i]), [])
    return
  }
  const { companyDependent } = field.options
  const fallsBack = companyDependent && companyDefault(env, field) !== null
  for (let i = 0; i < ids.length; i++) {
    const value = sorted[i]?.columns.get(field) ?? null
    // An explicit amount is known once it is rounded to its currency.
    if (field.kind === 'monetary' && value !== null) continue
    // A company may have given a value, or all may fall back to one.
    if (companyDependent && (value !== null || fallsBack)) continue
    cachedValues.set(present(ids[i]), field.type.fromColumn(field, value))
  }
}

/** Whether a value for lines, if there is one, has no command. */
const asksNothing = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

/** Caches that a column of new records is empty. */
export function keepUnset(env: Environment, field: FieldDef, ids: readonly number[]): void {
  if (!field.column || field.translate || field.options.companyDependent) return
  const cachedValues = env.unit.cache.of(field, variantOf(env, field))
  for (const id of ids) cachedValues.set(id, null)
}

/** Own lists of a model of this registry, and fields that somebody computes from or checks, or that lists follow. */
const watched = oncePer((model: ModelDef, { triggers }: Registry): readonly FieldDef[] => {
  const checked = new Set(model.checks.flatMap(({ rule }) => rule.depends))
  for (const { path } of parseOrder(model.order)) checked.add(present(path[0]))
  if (model.active) checked.add(model.active.name)
  return [...model.fields.values()].filter((field) => {
    if (field.automatic || field.compute || field.related) return false
    if (leadsToMany(field)) return field.stored
    if (!checked.has(field.name) && !triggers.has(field)) return false
    return (
      isCachedVerbatim(field) ||
      (field.column && (field.kind === 'monetary' || field.options.companyDependent))
    )
  })
})
