// Cached values of computed, related and x2many fields while records change: those that cannot depend on
// the change stay.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, Ids, ModelDef, One2manyDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/field-options.ts'
import { keepLists } from '../load/decide.ts'
import { listOf, reachOf } from '../load/reach.ts'
import { isCachedVerbatim, isSharedByAll, isUnruled, variantOf } from '../row/cache-key.ts'
import { companyDefault } from '../row/company-values.ts'
import type { Sorted } from '../row/destinations.ts'
import { parseOrder } from '../row/order.ts'

/** Whether values of a field in a variant are what they were; `short`: lists of one line, or of none, are. */
type Stands = (field: FieldDef, variant: string) => boolean | 'short'

/** The effect of new records of a model on cached values of a field. */
type Fate =
  /** They are what they were. */
  | 'stands'
  /** Those of the new records alone may be others: they were computed before these were there. */
  | 'own'
  /** Some of the lists may have got lines, which say whose they are. */
  | 'grows'
  | 'goes'

/**
 * Forgets values that may have changed with new records of a model. No record refers to these yet, so
 * only lists of lines can contain them. Cached lists get their new lines. `linked`: many2many fields of
 * the new records that were computed.
 */
export function forgetAfterCreate(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  linked: ReadonlySet<FieldDef>,
): void {
  const { cache } = env.unit
  const perRecord = new Set<FieldDef>()
  const grown = new Set<One2manyDef>()
  const tables = new Set([...linked].map((field) => field.link?.table))
  cache.forgetDerived((field, variant) => {
    if (mayBeHidden(field, variant) || (field.link && tables.has(field.link.table))) return false
    const fate = effectOn(model, field)
    if (fate === 'own') perRecord.add(field)
    if (fate === 'grows' && field.kind === 'one2many') grown.add(field)
    return fate !== 'goes'
  })
  for (const field of perRecord) cache.forget(field, ids)
  for (const field of grown) grow(env, field, ids)
}

function grow(env: Environment, field: One2manyDef, lines: Ids): void {
  const { cache } = env.unit
  const back = field.comodel.fields.get(field.inverse)
  const owners = back && cache.of(back, '')
  const fresh = Map.groupBy(lines, (line) => owners?.get(line) as number | null | undefined)
  if (fresh.has(undefined)) {
    cache.forget(field)
    return
  }
  const su = env.sudo()
  const cachedLists = cache.of(field, variantOf(su, field))
  const lists = new Map<number, Ids>()
  const touched: number[] = []
  for (const [owner, more] of fresh) {
    if (typeof owner !== 'number') continue
    touched.push(owner)
    const before = cachedLists.get(owner) as Ids | undefined
    if (before) lists.set(owner, [...before, ...more])
  }
  cache.forget(field, touched)
  keepLists(env, field, lists)
}

/** By model of the new records: both are frozen together with their registry. */
const fates = oncePer((_: ModelDef) => new Map<FieldDef, Fate>())

function effectOn(model: ModelDef, field: FieldDef): Fate {
  const fateByField = fates(model)
  let fate = fateByField.get(field)
  if (fate === undefined) {
    fate = computeEffect(model, field)
    fateByField.set(field, fate)
  }
  return fate
}

function computeEffect(model: ModelDef, field: FieldDef): Fate {
  const reach = reachOf(field)
  if (reach === null) return 'goes'
  if (field.stored && leadsToMany(field)) {
    // Links of new records are made by commands, which forget them, or were computed.
    if (field.comodel !== model || field.link) return 'stands'
    const back = field.inverse ? model.fields.get(field.inverse) : undefined
    return back?.kind === 'many2one' && back.column && !back.options.companyDependent ? 'grows' : 'goes'
  }
  if ([...reach].some((one) => leadsToMany(one) && one.comodel === model)) return 'goes'
  return field.model === model ? 'own' : 'stands'
}

/** Although these fields changed. Links that several fields keep change with any of them. */
export function staysValidAfter(changed: readonly FieldDef[]): Stands {
  if (changed.some(leadsToMany)) return () => false
  return (field, variant) => {
    if (mayBeHidden(field, variant)) return false
    const reach = reachOf(field)
    const touching = reach && changed.filter((one) => reach.has(one))
    if (touching?.length === 0) return true
    // A change of order alone leaves lists of one line as they are.
    const sorters = touching && field.stored && leadsToMany(field) ? listOf(field)?.sorters : undefined
    return sorters && touching?.every((one) => sorters.has(one)) ? 'short' : false
  }
}

/** Rules of users may look at anything. */
const mayBeHidden = (field: FieldDef, variant: string): boolean =>
  Boolean(field.comodel) && !isUnruled(variant)

// The cache for new records before they are stored: explicit values, and empty values elsewhere.

/** Caches explicit values of new records under the keys that reads use. */
export function remember(env: Environment, model: ModelDef, ids: Ids, sorted: readonly Sorted[]): void {
  const su = env.sudo()
  for (const field of watched(model, env.unit.registry)) {
    const variant = variantOf(env, field)
    keepGiven(env, field, variant, { ids, sorted })
    const seen = env.su || isSharedByAll(field) ? variant : variantOf(su, field)
    if (seen !== variant) keepGiven(env, field, seen, { ids, sorted })
  }
}

function keepGiven(
  env: Environment,
  field: FieldDef,
  variant: string,
  { ids, sorted }: { readonly ids: Ids; readonly sorted: readonly Sorted[] },
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

const asksNothing = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

export function cacheUnset(env: Environment, field: FieldDef, ids: Ids): void {
  if (!field.column || field.translate || field.options.companyDependent) return
  const cachedValues = env.unit.cache.of(field, variantOf(env, field))
  for (const id of ids) cachedValues.set(id, null)
}

/** Own lists of a model of this registry, and fields that somebody computes from or checks, or that lists follow. */
const watched = oncePer((model: ModelDef, { triggers }: Registry): readonly FieldDef[] => {
  const checked = new Set(model.hooks.checks.flatMap(({ rule }) => rule.depends))
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
