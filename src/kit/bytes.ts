// Processes long contents without blocking: hashes in slices, base64 normalized in one pass.
import { createHash } from 'node:crypto'
import { turn } from './turns.ts'

const SLICE = 4 * 1024 ** 2

/** Gives memory back at once: the collector does not hurry for what is not in its heap. */
export function releaseMemory({ buffer, byteLength }: Uint8Array | Uint8ClampedArray): void {
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

const BLANKS = [' ', '\n', '\r', '\t', '\v', '\f']

/** Begins like no form of base64. */
const FOREIGN = /[^A-Za-z0-9+/\-_=\s]/
/** Characters of a beginning. */
const BEGINNING = 4096

export interface PlainBase64 {
  readonly content: Buffer
  /** In the usual alphabet, without blanks and with its padding. */
  readonly base64: string
}

/**
 * Decodes base64 that may use the URL alphabet, contain blanks and lack padding; null for other characters,
 * or for a single last character, which does not make a byte. Node.js ignores what it does not know, so the
 * characters that it used are counted: patterns and replacements would note each place, which takes seconds.
 */
export function plainBase64(text: string): PlainBase64 | null {
  if (FOREIGN.test(text.slice(0, BEGINNING)) || Buffer.byteLength(text) !== text.length) return null
  const end = text.indexOf('=')
  const [body, tail] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end).replace(/\s+/g, '')]
  if (!/^={0,2}$/.test(tail)) return null
  const content = Buffer.from(body, 'base64')
  const base64 = content.toString('base64')
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const isWhole = base64.length - padding === body.length - blanksIn(body)
  if (isWhole && (tail === '' || tail.length === padding)) return { content, base64 }
  releaseMemory(content)
  return null
}

function blanksIn(text: string): number {
  if (!BLANKS.some((blank) => text.includes(blank))) return 0
  const bytes = Buffer.from(text, 'latin1')
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) count++
  }
  releaseMemory(bytes)
  return count
}
