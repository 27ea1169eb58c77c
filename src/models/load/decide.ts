// Cached columns of records: whether records satisfy a domain by these alone, and values that modules put
// into the cache.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import type { ModelName } from '../contract/names.ts'
import { type Lowered, lower, matches, needsPreparation, parseDomain } from '../domain/index.ts'
import type { FieldDef, Ids, ModelDef, RelationDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToOne } from '../language/field-options.ts'
import { isSharedByAll, variantOf } from '../row/cache-key.ts'
import { parseOrder } from '../row/order.ts'

/** A record's value of a field: null if unset, many2ones as ids; undefined if it is not cached. */
type CachedField = (field: FieldDef) => unknown

/** Tests records against the domain; undefined if more than their cached columns is needed. */
export function cachedTest(env: Environment, domain: Lowered): (id: number) => boolean | undefined {
  const columns = cachedColumns(env)
  let currentId = 0
  const cachedValueOf: CachedField = (field) => columns(field, currentId)
  return (id) => {
    currentId = id
    return satisfiesCached(domain, id, cachedValueOf)
  }
}

export function satisfiesCached(
  domain: Lowered,
  id: number | null,
  cachedValueOf: CachedField,
): boolean | undefined {
  switch (domain.type) {
    case 'always':
      return domain.value
    case 'not': {
      const child = satisfiesCached(domain.child, id, cachedValueOf)
      return child === undefined ? undefined : !child
    }
    case 'all':
      return firstOf(domain.children, id, cachedValueOf, false)
    case 'anyOf':
      return firstOf(domain.children, id, cachedValueOf, true)
    case 'value':
    case 'id': {
      const value = valueIn(domain, id, cachedValueOf)
      return value === undefined ? undefined : matches(domain, () => value, id ?? 0)
    }
    default:
      return undefined
  }
}

/** One condition that is `decisive` decides; otherwise all of them must be known. */
function firstOf(
  children: readonly Lowered[],
  id: number | null,
  cachedValueOf: CachedField,
  decisive: boolean,
): boolean | undefined {
  let isOpen = false
  for (const child of children) {
    const decision = satisfiesCached(child, id, cachedValueOf)
    if (decision === decisive) return decisive
    isOpen ||= decision === undefined
  }
  return isOpen ? undefined : !decisive
}

type Own = Extract<Lowered, { readonly type: 'value' | 'id' }>

function valueIn(domain: Own, id: number | null, cachedValueOf: CachedField): unknown {
  const { field } = domain
  if (field.name === 'id') return id ?? undefined
  if (domain.type === 'value' && domain.text) return undefined
  if (!field.column || (domain.type === 'id' && !leadsToOne(field))) return undefined
  return cachedValueOf(field)
}

/** A record's value of a column: null if unset; undefined if it is not cached, or must be computed again. */
export type CachedColumns = (field: FieldDef, id: number) => unknown

/** Valid until the next read or write: it may miss later changes of the cache. */
export function cachedColumns(env: Environment): CachedColumns {
  const { cache } = env.unit
  const { pending } = env.unit.recomputation
  const looked = new Map<FieldDef, ReadonlyMap<number, unknown>>()
  return (field, id) => {
    let column = looked.get(field)
    if (!column) {
      column = cache.of(field, variantOf(env, field))
      looked.set(field, column)
    }
    const value = column.get(id)
    if (value === undefined && !column.has(id)) return undefined
    return pending.get(field)?.has(id) ? undefined : (value ?? null)
  }
}

/**
 * Puts the values of a column that a module's own statement read into the cache, by record. Throws
 * Error for a field whose value depends on the user.
 */
export function cacheReadColumn(
  env: Environment,
  model: ModelName,
  column: string,
  values: Iterable<readonly [id: number, value: unknown]>,
): void {
  const field = fieldOf(env.def(model), column)
  if (!isSharedByAll(field)) throw new Error(`${model}.${column} is not the same for everybody.`)
  const cachedValues = env.unit.cache.of(field, '')
  for (const [id, value] of values) if (!cachedValues.has(id)) cachedValues.set(id, value)
}

// Lists of lines that need not be read: of what was just made or linked the cache knows all that decides
// which lines there are, and in what order.

/**
 * Keeps what a read by the superuser would give of an x2many field of these records, whose lines are these
 * and no others; where that is not known, nothing is kept.
 */
export function keepLists(env: Environment, field: FieldDef, lines: ReadonlyMap<number, Ids>): void {
  const su = env.sudo()
  const cachedLists = su.unit.cache.of(field, variantOf(su, field))
  const shown = field.comodel ? shownBy(su, field) : null
  for (const [record, ids] of lines) {
    const list = shown && field.comodel ? listOf(su, field, field.comodel, shown, ids) : null
    if (list) cachedLists.set(record, list)
    else cachedLists.delete(record)
  }
}

type Shown = (id: number) => boolean | undefined

/** By the field's domain, and what is archived; null where that takes a look at the tables. */
function shownBy(env: Environment, field: RelationDef): Shown | null {
  const { comodel } = field
  const inside = env.withContext(field.options.context ?? {})
  const domain = parseDomain(field.options.domain ?? [])
  if (needsPreparation(comodel, domain)) return null
  const children = [lower(inside, comodel, domain)]
  if (comodel.active && inside.activeTest)
    children.push(lower(inside, comodel, parseDomain([[comodel.active.name, '=', true]])))
  const open = children.filter((child) => child.type !== 'always' || !child.value)
  return open.length ? cachedTest(inside, { type: 'all', children: open }) : () => true
}

/** Lines that the field shows, in order; null if the cache does not decide that. */
function listOf(
  env: Environment,
  field: FieldDef,
  comodel: ModelDef,
  shown: Shown,
  ids: Ids,
): number[] | null {
  const visible: number[] = []
  for (const id of new Set(ids)) {
    const isShown = shown(id)
    if (isShown === undefined) return null
    if (isShown) visible.push(id)
  }
  return visible.length > 1 ? ordered(env, field, comodel, visible) : visible
}

const termsOf = oncePer(({ order }: ModelDef) => parseOrder(order))

/** By whole numbers alone: what text comes first only PostgreSQL knows. */
function ordered(env: Environment, field: FieldDef, comodel: ModelDef, ids: number[]): number[] | null {
  const keys: { readonly of: ReadonlyMap<number, unknown> | null; readonly sign: number }[] = []
  for (const { path, descending, nulls } of termsOf(comodel)) {
    const by = comodel.fields.get(present(path[0]))
    if (by && by.name === field.inverse) continue
    if (!by || path.length > 1 || nulls || (by.name !== 'id' && (by.kind !== 'integer' || !by.column)))
      return null
    const of = by.name === 'id' ? null : env.unit.cache.of(by, variantOf(env, by))
    // 0 may stand for what is unset, which comes last.
    if (of && !ids.every((id) => of.get(id))) return null
    keys.push({ of, sign: descending ? -1 : 1 })
  }
  const value = (of: ReadonlyMap<number, unknown> | null, id: number) => (of ? (of.get(id) as number) : id)
  const compare = (a: number, b: number) => {
    for (const { of, sign } of keys) {
      const apart = (value(of, a) - value(of, b)) * sign
      if (apart) return apart
    }
    return a - b
  }
  // Lines are mostly made in their order.
  const stand = ids.every((id, n) => n === 0 || compare(ids[n - 1] ?? 0, id) <= 0)
  return stand ? ids : ids.sort(compare)
}
