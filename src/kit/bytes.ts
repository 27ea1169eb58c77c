// Long contents without holding anybody up: hashes in slices, base64 made plain in one pass.
import { createHash } from 'node:crypto'
import { turn } from './turns.ts'

const SLICE = 4 * 1024 ** 2

/** Gives memory back at once: the collector does not hurry for what is not in its heap. */
export function letGo({ buffer, byteLength }: Uint8Array | Uint8ClampedArray): void {
  // Small contents share theirs.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** The hash of a content in hexadecimal digits; others have their turn while a long one is read. */
export async function hashOf(algorithm: 'sha1' | 'sha256', content: Uint8Array): Promise<string> {
  const hash = createHash(algorithm)
  for (let start = 0; start < content.byteLength; start += SLICE) {
    if (start > 0) await turn()
    hash.update(content.subarray(start, start + SLICE))
  }
  return hash.digest('hex')
}

/** What is no sign of base64, and what is passed over. */
const [FOREIGN, BLANK] = [0, 1]
/** By byte: the sign that it is in the usual alphabet, whichever it came in. */
const SIGNS = new Uint8Array(256).fill(FOREIGN)
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='))
  SIGNS[byte] = byte
SIGNS[0x2d] = 0x2b
SIGNS[0x5f] = 0x2f
for (const byte of Buffer.from(' \t\n\v\f\r')) SIGNS[byte] = BLANK

/**
 * Base64 in the usual alphabet and without blanks, of text that may be in the one for addresses; null where
 * other signs stand in it. One pass: patterns and replacements note each place, which takes seconds.
 */
export function plainBase64(text: string): string | null {
  if (Buffer.byteLength(text) !== text.length) return null
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const sign = SIGNS[bytes[i] ?? 0] ?? FOREIGN
    if (sign > BLANK) bytes[length++] = sign
    else if (sign === FOREIGN) return null
  }
  const plain = bytes.toString('latin1', 0, length)
  letGo(bytes)
  return plain
}
