// JSON Pointers (RFC 6901): where in a body something stands.

/** The pointer of a way into a value. */
export const pointerOf = (way: readonly (string | number)[]): string =>
  way.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
