// Reads an archive in PostgreSQL's custom format, from Comptoir or pg_dump: its table of contents, then the
// rows of each table as a stream.

import type { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import { present } from '../../kit/present.ts'
import { DATA_BLOCK, MAGIC } from './custom.ts'
import { foreignScriptError } from './script.ts'

export interface ArchiveEntry {
  readonly id: number
  readonly desc: string
  readonly hasData: boolean
  readonly section: number
  readonly definition: string
  readonly copy: string
}

/**
 * Nothing in a table of contents is longer than this, in bytes: a damaged length must not fill the memory.
 */
const LONGEST = 1024 * 1024
/** Nor is all of it together. */
const LONGEST_CONTENTS = 32 * 1024 * 1024
const MOST_ENTRIES = 50_000
const OLDEST = 12
const NEWEST = 16

export class CustomReader {
  readonly #bytes: Bytes
  #intSize = 4
  #offSize = 8
  #minor = 0
  #compressed = false
  /** Bytes of texts so far. */
  #texts = 0

  constructor(stream: Readable) {
    this.#bytes = new Bytes(stream)
  }

  /** The table of contents. Throws UserError for what is not an archive or one of another version. */
  async contents(): Promise<ArchiveEntry[]> {
    await this.#head()
    const count = await this.#integer()
    if (count < 0 || count > MOST_ENTRIES) throw foreignScriptError()
    const entries: ArchiveEntry[] = []
    for (let n = 0; n < count; n++) entries.push(await this.#entry())
    return entries
  }

  /**
   * The entries that have rows, in the order of the file, with their rows; each has to be read before the
   * next.
   */
  async *data(): AsyncGenerator<{ readonly id: number; readonly rows: AsyncIterable<Buffer> }> {
    for (;;) {
      const kind = await this.#bytes.byteOrEnd()
      if (kind === undefined) return
      if (kind !== DATA_BLOCK) throw foreignScriptError()
      const id = await this.#integer()
      const chunks = this.#chunks()
      yield { id, rows: this.#compressed ? inflated(chunks) : chunks }
      // The rest is skipped.
      for await (const chunk of chunks) void chunk
    }
  }

  async #head(): Promise<void> {
    const head = await this.#bytes.take(MAGIC.length + 6)
    const [major, minor, , intSize, offSize, format] = head.subarray(MAGIC.length)
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC || major !== 1 || format !== 1)
      throw foreignScriptError()
    if (
      minor === undefined ||
      minor < OLDEST ||
      minor > NEWEST ||
      !intSize ||
      intSize > 8 ||
      !offSize ||
      offSize > 8
    )
      throw foreignScriptError()
    this.#minor = minor
    this.#intSize = intSize
    this.#offSize = offSize
    this.#compressed = await this.#compression()
    // Seven numbers of the moment, then three texts.
    for (let n = 0; n < 7; n++) await this.#integer()
    for (let n = 0; n < 3; n++) await this.#text()
  }

  /** Whether rows are compressed, by zlib: newer archives name the method, older ones a level. */
  async #compression(): Promise<boolean> {
    if (this.#minor < 15) return (await this.#integer()) !== 0
    const method = (await this.#bytes.take(1))[0]
    if (method === undefined || method > 1) throw foreignScriptError()
    return method === 1
  }

  async #entry(): Promise<ArchiveEntry> {
    const id = await this.#integer()
    const hasData = (await this.#integer()) !== 0
    await this.#text()
    await this.#text()
    await this.#text()
    const desc = (await this.#text()) ?? ''
    const section = await this.#integer()
    const definition = (await this.#text()) ?? ''
    await this.#text()
    const copy = (await this.#text()) ?? ''
    // Schema, tablespace, and in newer archives the way of storing and the kind of relation.
    for (let n = this.#minor >= 14 ? 3 : 2; n > 0; n--) await this.#text()
    if (this.#minor >= 16) await this.#integer()
    // Owner, and a word of old.
    for (let n = 0; n < 2; n++) await this.#text()
    while ((await this.#text()) !== null);
    await this.#bytes.take(1 + this.#offSize)
    return { id, desc, hasData, section, definition, copy }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      let length = await this.#integer()
      if (length === 0) return
      if (length < 0) throw foreignScriptError()
      while (length > 0) {
        const piece = await this.#bytes.upTo(length)
        length -= piece.length
        yield piece
      }
    }
  }

  async #integer(): Promise<number> {
    const bytes = await this.#bytes.take(1 + this.#intSize)
    let value = 0
    for (let n = this.#intSize; n > 0; n--) value = value * 256 + present(bytes[n])
    return bytes[0] === 0 ? value : -value
  }

  async #text(): Promise<string | null> {
    const length = await this.#integer()
    if (length < 0) return null
    this.#texts += length
    if (length > LONGEST || this.#texts > LONGEST_CONTENTS) throw foreignScriptError()
    return (await this.#bytes.take(length)).toString('utf8')
  }
}

async function* inflated(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflate = createInflate()
  const fed = (async () => {
    for await (const chunk of chunks)
      if (!inflate.write(chunk)) await new Promise<void>((done) => drained(inflate, done))
    inflate.end()
  })()
  fed.catch((error: Error) => inflate.destroy(error))
  for await (const piece of inflate) yield piece as Buffer
  await fed
}

/** Waits until more may be written, or nothing will be any more. */
function drained(stream: NodeJS.EventEmitter, done: () => void): void {
  const go = () => {
    stream.off('drain', go)
    stream.off('close', go)
    done()
  }
  stream.on('drain', go)
  stream.on('close', go)
}

/** Takes a stream by bytes, with no more in memory than a piece of it. */
class Bytes {
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async take(length: number): Promise<Buffer> {
    while (this.#rest.length < length) if (!(await this.#more())) throw foreignScriptError()
    const taken = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return taken
  }

  /** Some bytes, at least one and at most so many. */
  async upTo(length: number): Promise<Buffer> {
    if (this.#rest.length === 0 && !(await this.#more())) throw foreignScriptError()
    return this.take(Math.min(length, this.#rest.length))
  }

  async byteOrEnd(): Promise<number | undefined> {
    if (this.#rest.length === 0 && !(await this.#more())) return undefined
    return (await this.take(1))[0]
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#pieces.next()
    if (done) return false
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, value]) : value
    return true
  }
}
