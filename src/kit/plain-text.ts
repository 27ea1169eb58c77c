// Long texts of JSON without anything to be made of them, such as base64: looked at as a whole, and not byte
// by byte.
import { isAscii } from 'node:buffer'

/** Bytes from which on it pays to ask for all of them at once. */
export const LONG_PLAIN = 4096

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not stand there
const CONTROL = /[\0-\x1f]/

/**
 * A text from a place on, to its quotation mark or the end of the bytes; null where it has escapes, other
 * signs than those of ASCII, or such as may not stand in a text.
 */
export function plainText(bytes: Buffer, from: number): string | null {
  const quote = bytes.indexOf(QUOTE, from)
  const own = bytes.subarray(from, quote < 0 ? bytes.length : quote)
  if (own.includes(BACKSLASH) || !isAscii(own)) return null
  const text = own.toString('latin1')
  return CONTROL.test(text) ? null : text
}
