// Long texts of JSON without anything to be made of them, such as base64: looked at as a whole, and not byte
// by byte.

/** Bytes from which on it pays to ask for all of them at once. */
export const LONG_PLAIN = 4096

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
/** Characters beyond ASCII, and those that may not stand in a text. */
const OTHERS = /[^ -\x7f]/

/**
 * A text from a place on, to its quotation mark or the end of the bytes; null where it has escapes, other
 * signs than those of ASCII, or such as may not stand in a text.
 */
export function plainText(bytes: Buffer, from: number): string | null {
  const quote = bytes.indexOf(QUOTE, from)
  const chunk = bytes.subarray(from, quote < 0 ? bytes.length : quote)
  if (chunk.includes(BACKSLASH)) return null
  const text = chunk.toString('latin1')
  return OTHERS.test(text) ? null : text
}
