// Shrinking for the property tests: the smallest finding that still shows a difference.

/**
 * Takes `candidates` of the best so far as long as `differs` says that they still show the difference. At
 * most `tries` attempts.
 */
export async function shrinkBy<T>(
  smallest: T,
  candidates: (best: T) => Iterable<T>,
  differs: (smaller: T) => Promise<boolean>,
  tries: number,
): Promise<T> {
  let best = smallest
  let left = tries
  for (let improved = true; improved; ) {
    improved = false
    for (const smaller of candidates(best)) {
      if (left-- <= 0) return best
      if (!(await differs(smaller))) continue
      best = smaller
      improved = true
      break
    }
  }
  return best
}
