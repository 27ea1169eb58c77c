// Long texts of JSON without escapes, such as base64: checked as a whole, and not byte by byte.

/** Least length in bytes for which checking all at once is faster. */
export const LONG_PLAIN = 4096

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
/** Characters beyond ASCII, and those that may not stand in a text. */
const OTHERS = /[^ -\x7f]/

/**
 * A text from a place on, to its quotation mark or the end of the bytes; null if it has escapes, characters
 * beyond ASCII, or invalid ones.
 */
export function plainText(bytes: Buffer, from: number): string | null {
  const quote = bytes.indexOf(QUOTE, from)
  const chunk = bytes.subarray(from, quote < 0 ? bytes.length : quote)
  if (chunk.includes(BACKSLASH)) return null
  const text = chunk.toString('latin1')
  return OTHERS.test(text) ? null : text
}
