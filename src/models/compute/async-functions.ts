// Functions of modules that returned a promise before: code that needs a value at once does not call
// them, as an abandoned promise may send a statement after the end of its call, and its failure would be
// lost.
const seen = new WeakSet<object>()

/** Whether a function returned a promise before. */
export const isKnownToWait = (run: object): boolean => seen.has(run)

/** Whether a result is a promise; records that of its function, and lets the promise be abandoned. */
export function waits(run: object, value: unknown): value is Promise<unknown> {
  if (!(value instanceof Promise)) return false
  seen.add(run)
  value.catch(() => undefined)
  return true
}
