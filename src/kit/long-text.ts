// A text that arrives in parts. V8 keeps concatenated parts, and copies all of them when the text is first
// read; a long text is therefore collected outside of its heap, and copied once.
import { releaseMemory } from './bytes.ts'

/** Characters that are concatenated as strings, and bytes of a chunk of longer texts. */
const [SHORT, CHUNK] = [256 * 1024, 1024 ** 2]

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

export class LongText {
  /** A short text, or one with characters beyond ASCII. */
  #text: string
  /** The chunks of a long text; the last one is filled up to `#used`. */
  #chunks: Buffer[] = []
  #used = 0
  #isPlain = true

  constructor(text = '') {
    this.#text = text
  }

  /** Takes the next part. */
  add(part: string): void {
    const isLong = this.#chunks.length > 0 || this.#text.length + part.length > SHORT
    if (!isLong || !this.#isPlain) this.#text += part
    else if (isAscii(part) && isAscii(this.#text)) {
      this.#write(this.#text)
      this.#write(part)
      this.#text = ''
    } else {
      this.#text = `${this.take()}${part}`
      this.#isPlain = false
    }
  }

  /** The whole text, which is given once. */
  take(): string {
    if (this.#chunks.length === 0) return this.#text
    const bytes = Buffer.allocUnsafeSlow((this.#chunks.length - 1) * CHUNK + this.#used)
    for (const [at, chunk] of this.#chunks.entries()) {
      chunk.copy(bytes, at * CHUNK)
      releaseMemory(chunk)
    }
    this.#chunks = []
    const text = bytes.toString('latin1')
    releaseMemory(bytes)
    return text
  }

  #write(text: string): void {
    for (let at = 0; at < text.length; ) {
      let chunk = this.#chunks.at(-1)
      if (!chunk || this.#used === CHUNK) {
        chunk = Buffer.allocUnsafeSlow(CHUNK)
        this.#chunks.push(chunk)
        this.#used = 0
      }
      const to = Math.min(text.length, at + CHUNK - this.#used)
      this.#used += chunk.write(text.slice(at, to), this.#used, 'latin1')
      at = to
    }
  }
}
