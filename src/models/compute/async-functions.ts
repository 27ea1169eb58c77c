// Functions of modules that returned a promise before: code that needs a value at once does not call
// them, as an abandoned promise may send a statement after the end of its call, and its failure would be
// lost.
import { oncePer } from '../../kit/once-per.ts'

/**
 * Observations of earlier runs of a function. `isSameForAll`: it was asynchronous and returned the same for
 * two records, so it runs once for all records of a list; others, such as a random token, run for each.
 */
export const learnedOf = oncePer((_run: object) => ({ returnsPromises: false, isSameForAll: false }))

/** Whether a function returned a promise before. */
export const isKnownToWait = (run: object): boolean => learnedOf(run).returnsPromises

/** Whether a result is a promise; records that of its function, and lets the promise be abandoned. */
export function waits(run: object, value: unknown): value is Promise<unknown> {
  if (!(value instanceof Promise)) return false
  learnedOf(run).returnsPromises = true
  value.catch(() => undefined)
  return true
}
