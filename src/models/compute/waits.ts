// Functions of modules that were seen to wait for something: who needs a value at once does without them. A
// promise that nobody waits for may send a statement when its call is over, and fail unheard.
const seen = new WeakSet<object>()

/** Whether a function gave a promise before. */
export const isKnownToWait = (made: object): boolean => seen.has(made)

/** Whether what a function gave is a promise: it is remembered, and may be left alone from here on. */
export function waits(made: object, value: unknown): value is Promise<unknown> {
  if (!(value instanceof Promise)) return false
  seen.add(made)
  value.catch(() => undefined)
  return true
}
