// Values on their way: whoever wants them meanwhile waits for them, and does not ask again.

/** Values of some records that a read under way brings. */
interface OnTheWay {
  readonly ids: ReadonlySet<number>
  readonly done: Promise<unknown>
}

/** By the place in the cache where they will be kept. */
const coming = new WeakMap<ReadonlyMap<number, unknown>, OnTheWay>()

/** The read that brings the values of all these records to a place; null where there is none. */
export function onTheWay(
  place: ReadonlyMap<number, unknown>,
  ids: readonly number[],
): Promise<unknown> | null {
  const one = coming.get(place)
  return one && ids.every((id) => one.ids.has(id)) ? one.done : null
}

/** Waits for a read, which others may wait for too until it is done. */
export function bring<T>(
  places: readonly ReadonlyMap<number, unknown>[],
  ids: ReadonlySet<number>,
  done: Promise<T>,
): Promise<T> {
  const one = { ids, done }
  for (const place of places) coming.set(place, one)
  const clear = () => {
    for (const place of places) if (coming.get(place) === one) coming.delete(place)
  }
  return done.then(
    (value) => {
      clear()
      return value
    },
    (error: unknown) => {
      clear()
      throw error
    },
  )
}
