// Cached columns of records: whether records satisfy a domain by these alone, and values that modules put
// into the cache.

import type { ModelName } from '../contract/names.ts'
import { type Lowered, matches } from '../domain/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToOne } from '../language/relations.ts'
import { isOneForAll, variantOf } from '../row/cache-key.ts'

/** A record's value of a field: null if unset, many2ones as ids; undefined if it is not cached. */
type CachedField = (field: FieldDef) => unknown

/**
 * A test of single records against the domain; it returns undefined if more than the cached columns of
 * the record is needed.
 */
export function deciding(env: Environment, domain: Lowered): (id: number) => boolean | undefined {
  const columns = cachedColumns(env)
  let currentId = 0
  const cachedValueOf: CachedField = (field) => columns(field, currentId)
  return (id) => {
    currentId = id
    return decidedBy(domain, id, cachedValueOf)
  }
}

/** Whether a record satisfies the domain by what `cachedValueOf` says of the record's own columns. */
export function decidedBy(
  domain: Lowered,
  id: number | null,
  cachedValueOf: CachedField,
): boolean | undefined {
  switch (domain.type) {
    case 'always':
      return domain.value
    case 'not': {
      const child = decidedBy(domain.child, id, cachedValueOf)
      return child === undefined ? undefined : !child
    }
    case 'all':
      return firstOf(domain.children, id, cachedValueOf, false)
    case 'anyOf':
      return firstOf(domain.children, id, cachedValueOf, true)
    case 'value':
    case 'id': {
      const value = valueIn(domain, id, cachedValueOf)
      return value === undefined ? undefined : matches(domain, { value: () => value, all: () => [] }, id ?? 0)
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
    const decision = decidedBy(child, id, cachedValueOf)
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
  const { cache, pending } = env.unit
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
export function keepRead(
  env: Environment,
  model: ModelName,
  column: string,
  values: Iterable<readonly [id: number, value: unknown]>,
): void {
  const field = fieldOf(env.def(model), column)
  if (!isOneForAll(field)) throw new Error(`${model}.${column} is not the same for everybody.`)
  const cachedValues = env.unit.cache.of(field, '')
  for (const [id, value] of values) if (!cachedValues.has(id)) cachedValues.set(id, value)
}
