// The cache after a write: columns whose values a read would return unchanged need not be read again.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, isTreePath, leadsToOne } from '../language/relations.ts'
import { isCachedVerbatim, isOneForAll } from '../row/cache-key.ts'
import type { Sorted } from '../row/destinations.ts'
import type { Prepared } from './update.ts'

/**
 * Replaces cached values of written fields, and forgets other changed ones. A record that was not read
 * may not exist: nothing is cached for it.
 */
export function keepWritten(
  env: Environment,
  model: ModelDef,
  changed: Iterable<FieldDef>,
  set: readonly Prepared[],
): void {
  const { cache } = env.unit
  const seen = cache.of(fieldOf(model, 'id'), '')
  for (const field of changed) {
    const isHeld = isCachedVerbatim(field) && isOneForAll(field)
    const cachedValues = isHeld ? cache.of(field, '') : null
    for (const { ids, sorted } of set) {
      const column = sorted.columns.get(field)
      if (!cachedValues || column === undefined) {
        cache.forget(field, ids)
        continue
      }
      const value = leadsToOne(field) ? column : field.type.fromColumn(field, column)
      for (const id of ids) if (cachedValues.has(id) || seen.has(id)) cachedValues.set(id, value)
    }
  }
}

/**
 * Caches the columns of new rows: explicit values, and NULL in all others; amounts only where they were
 * `rounded` to their currencies.
 */
export function keepMade(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Pick<Sorted, 'columns'>[],
  rounded?: ReadonlySet<FieldDef>,
): void {
  env.unit.cache.made(model, ids, (field, n) => {
    if (field.name === 'id') return ids[n]
    const columns = sorted[n]?.columns
    const amount = rounded?.has(field) ? columns?.get(field) : undefined
    return typeof amount === 'number' ? field.type.fromColumn(field, amount) : madeValue(field, columns)
  })
}

/**
 * The value that a read of a new row's column would return; undefined where only PostgreSQL knows it.
 */
export function madeValue(field: FieldDef, columns: ReadonlyMap<FieldDef, unknown> | undefined): unknown {
  return standsAsMade(field) ? valueMade(field, columns) : undefined
}

/** The same for a field that stands as it was made. */
export function valueMade(field: FieldDef, columns: ReadonlyMap<FieldDef, unknown> | undefined): unknown {
  const explicit = columns?.get(field)
  // A computed field without an explicit value is pending.
  if (field.compute && explicit === undefined) return undefined
  const value = explicit ?? null
  // An explicit amount is known once it is rounded to its currency.
  if (field.kind === 'monetary' && value !== null) return undefined
  return leadsToOne(field) ? value : field.type.fromColumn(field, value)
}

/** Columns that change by writes alone once the row exists: no log fields, no paths in trees. */
export const standsAsMade = (field: FieldDef): boolean =>
  (isCachedVerbatim(field) || (field.kind === 'monetary' && field.column)) &&
  isOneForAll(field) &&
  !field.automatic &&
  (!field.related || field.compute !== null) &&
  !isTreePath(field)
