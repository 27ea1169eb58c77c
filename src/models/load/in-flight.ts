// Values that a read under way will return: other reads wait for it instead of sending the same
// statement.
import { Slot } from '../../kit/slot.ts'
import type { Unit } from '../language/unit.ts'

/** Values of some records that a read under way brings. */
interface OnTheWay {
  readonly ids: ReadonlySet<number>
  readonly done: Promise<unknown>
}

/** By unit, and by the place in the cache where they will be kept. */
const coming = new Slot<Map<ReadonlyMap<number, unknown>, OnTheWay>>()

/** The read that will return the values of all these records; null without one. */
export function onTheWay(
  unit: Unit,
  place: ReadonlyMap<number, unknown>,
  ids: readonly number[],
): Promise<unknown> | null {
  const one = coming.get(unit)?.get(place)
  return one && ids.every((id) => one.ids.has(id)) ? one.done : null
}

/** Waits for a read, which others may wait for too until it is done. */
export function bring<T>(
  unit: Unit,
  places: readonly ReadonlyMap<number, unknown>[],
  ids: ReadonlySet<number>,
  done: Promise<T>,
): Promise<T> {
  const one = { ids, done }
  const all = coming.get(unit) ?? new Map<ReadonlyMap<number, unknown>, OnTheWay>()
  coming.set(unit, all)
  for (const place of places) all.set(place, one)
  const clear = () => {
    for (const place of places) if (all.get(place) === one) all.delete(place)
  }
  done.then(clear, clear)
  return done
}
