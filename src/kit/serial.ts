// Numbers for objects, for keys that are texts: the same object has the same number as long as it lives, and
// no other object ever has it.

const serials = new WeakMap<object, number>()
let last = 0

/** The number of an object: from 1, in the order of first use. */
export function serial(object: object): number {
  const existing = serials.get(object)
  if (existing) return existing
  serials.set(object, ++last)
  return last
}
