// Values that client languages send for "nothing" and for numbers: PHP writes an empty object as an empty
// list, JavaScript's `undefined` arrives as an empty text.

/** Null, false and the empty text: for parameters that cannot have these values, each means "not set". */
export function isNothing(value: unknown): value is undefined | null | false | '' {
  return value === undefined || value === null || value === false || value === ''
}

/** For parameters that are objects: nothing, or PHP's empty list in its place. */
export function isNoObject(value: unknown): boolean {
  return isNothing(value) || isEmptyList(value)
}

export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** An id or a count written as digits is that number; everything else is what it was. */
export function unquoted(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
}
