// What was written is known: columns whose values come back as they went in need not be read again.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, isTreePath, leadsToOne } from '../language/relations.ts'
import { heldAsGiven, isOneForAll } from '../row/held.ts'
import type { Sorted } from '../row/values.ts'
import type { Prepared } from './update.ts'

/**
 * Puts written values into the place of those that the cache knows of records, and forgets what else changed.
 * Of a record that nobody has seen nothing is kept: it may not be there.
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
    const isHeld = heldAsGiven(field) && isOneForAll(field)
    const known = isHeld ? cache.of(field, '') : null
    for (const { ids, sorted } of set) {
      const column = sorted.columns.get(field)
      if (!known || column === undefined) {
        cache.forget(field, ids)
        continue
      }
      const value = leadsToOne(field) ? column : field.type.fromColumn(field, column)
      for (const id of ids) if (known.has(id) || seen.has(id)) known.set(id, value)
    }
  }
}

/**
 * Says what the columns of rows hold that were just made: what was given, and nothing in all others; of
 * amounts those that were `rounded` to their currencies.
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

/** What a column of a new row reads as, by what all of them hold; undefined where only a read would tell. */
export function madeValue(field: FieldDef, columns: ReadonlyMap<FieldDef, unknown> | undefined): unknown {
  return standsAsMade(field) ? valueMade(field, columns) : undefined
}

/** The same for a field that stands as it was made. */
export function valueMade(field: FieldDef, columns: ReadonlyMap<FieldDef, unknown> | undefined): unknown {
  const given = columns?.get(field)
  // What was not given for a computed field waits to be computed.
  if (field.compute && given === undefined) return undefined
  const value = given ?? null
  // A given amount is known once it is rounded to its currency.
  if (field.kind === 'monetary' && value !== null) return undefined
  return leadsToOne(field) ? value : field.type.fromColumn(field, value)
}

/** Columns that nobody but a write changes once the row is there: no log fields, no paths in trees. */
export const standsAsMade = (field: FieldDef): boolean =>
  (heldAsGiven(field) || (field.kind === 'monetary' && field.column)) &&
  isOneForAll(field) &&
  !field.automatic &&
  (!field.related || field.compute !== null) &&
  !isTreePath(field)
