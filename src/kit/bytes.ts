// Long contents without holding anybody up: hashes in slices, blanks taken out in one pass.
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

/** A text of signs below 256 without its blanks; a pattern would note the place of each of them. */
export function withoutBlanks(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte > 0x20 || !isBlank(byte)) bytes[length++] = byte
  }
  return bytes.toString('latin1', 0, length)
}

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
