// The one row of a statement that always gives one, as a count does.

/** The first of a list that is known to hold one. Throws Error where it holds none. */
export function only<T>(list: readonly T[]): T {
  if (list.length === 0) throw new Error('A list that always holds one held none.')
  return list[0] as T
}
