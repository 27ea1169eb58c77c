// Rows of a long body, one after the other while it arrives: lines of JSON, or records of CSV (RFC 4180).

import { isUtf8 } from 'node:buffer'
import { BadRequest, PayloadTooLarge } from '../errors.ts'
import { present } from '../kit/present.ts'
import { beyond, limits } from '../limits.ts'

/** A row as JSON text, and the line that it begins in. */
export interface TextRow {
  readonly line: number
  readonly text: string
}

/** Reads rows one by one: a small block may hold very many, and each may be long. */
export interface RowReader {
  write(block: Buffer): Iterable<TextRow>
  end(): Iterable<TextRow>
}

const LINE_FEED = 0x0a
/** Bytes of a line that is looked at as it is. */
const SHORT = 8
/** Space, tabulator and carriage return. */
const BLANKS = [0x20, 0x09, 0x0d]

/** Whether a line is a few spaces or nothing: such come by the million, and no text is made of them. */
function isBlank(block: Buffer, from: number, to: number): boolean {
  if (to - from > SHORT) return false
  for (let at = from; at < to; at++) if (!BLANKS.includes(present(block[at]))) return false
  return true
}

/** A JSON object a line; empty lines count, and are no rows. */
export class JsonLines implements RowReader {
  #rest: Buffer[] = []
  #held = 0
  #line = 0

  end(): Iterable<TextRow> {
    return this.#held ? this.#rowUpTo(Buffer.alloc(0)) : []
  }

  *write(block: Buffer): Generator<TextRow, void> {
    let from = 0
    for (let at = block.indexOf(LINE_FEED); at >= 0; at = block.indexOf(LINE_FEED, from)) {
      if (this.#held || !isBlank(block, from, at)) yield* this.#rowUpTo(block.subarray(from, at))
      else this.#count()
      from = at + 1
    }
    this.#hold(block.subarray(from))
  }

  #count(): void {
    if (++this.#line > 2 * limits['bulk-rows']) throw beyond('bulk-rows')
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#rest.push(bytes)
    this.#held += bytes.length
    if (this.#held > limits['bulk-row']) throw beyond('bulk-row')
  }

  #rowUpTo(end: Buffer): TextRow[] {
    this.#count()
    this.#hold(end)
    const [first = end] = this.#rest
    const bytes = this.#rest.length > 1 ? Buffer.concat(this.#rest, this.#held) : first
    this.#rest = []
    this.#held = 0
    if (!isUtf8(bytes)) throw new BadRequest(`Line ${this.#line} is not UTF-8.`)
    // PostgreSQL stores no NUL in text. JSON forbids raw control characters, so the parser refuses U+0001.
    const text = bytes.toString('utf8').trim().replaceAll('\0', '\u0001')
    return text ? [{ line: this.#line, text }] : []
  }
}

/** Every row names all columns: records that leave most of them out stand for much more than they are. */
const GROWTH = 100

/** Records of cells under the names of the first one; each becomes an object of texts. */
export class CsvRows implements RowReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #header: readonly string[] | undefined
  #cells: string[] = []
  #cell = ''
  /** Inside of quotation marks; after a closing one, which may be the first half of an escaped one. */
  #isQuoted = false
  #isBehind = false
  /** Bytes that came, and characters of the rows that were made of them. */
  #given = 0
  #made = 0
  #line = 1
  #begin = 1

  write(block: Buffer): Iterable<TextRow> {
    this.#given += block.length
    return this.#read(this.#decode(block, true))
  }

  *end(): Generator<TextRow, void> {
    yield* this.#read(this.#decode(Buffer.alloc(0), false))
    if (this.#isQuoted && !this.#isBehind)
      throw new BadRequest(`The quotation mark of line ${this.#begin} is never closed.`)
    if (this.#cell || this.#cells.length) yield* this.#endRecord()
  }

  #decode(block: Buffer, stream: boolean): string {
    try {
      return this.#decoder.decode(block, { stream })
    } catch (error) {
      throw new BadRequest(`Line ${this.#line} or one soon after it is not UTF-8.`, { cause: error })
    }
  }

  *#read(text: string): Generator<TextRow, void> {
    let from = 0
    for (const { 0: mark, index } of text.matchAll(/[",\n]/g)) {
      if (this.#isBehind && (mark !== '"' || index > from)) this.#isQuoted = false
      if (this.#isQuoted && mark !== '"') {
        if (mark === '\n') this.#line++
        continue
      }
      this.#add(text.slice(from, index))
      from = index + 1
      if (mark === '"') this.#quote()
      else if (mark === ',') this.#endCell()
      else {
        yield* this.#endRecord()
        this.#begin = ++this.#line
        if (this.#line > 2 * limits['bulk-rows']) throw beyond('bulk-rows')
      }
    }
    if (from < text.length && this.#isBehind) this.#isQuoted = false
    this.#add(text.slice(from))
  }

  #add(text: string): void {
    if (text) this.#isBehind = false
    this.#cell += text
    if (this.#cell.length > limits['bulk-row']) throw beyond('bulk-row')
  }

  /** Within a cell that began without one it stands for itself, as in 5" pipe. */
  #quote(): void {
    if (!this.#isQuoted && this.#cell.trim()) {
      this.#cell += '"'
      return
    }
    if (this.#isBehind) this.#cell += '"'
    this.#isBehind = this.#isQuoted && !this.#isBehind
    this.#isQuoted = true
  }

  #endCell(): void {
    if (this.#cells.length > limits.fields) throw beyond('fields')
    this.#cells.push(this.#cell.replace(/\r$/, ''))
    this.#cell = ''
    this.#isQuoted = false
    this.#isBehind = false
  }

  *#endRecord(): Generator<TextRow, void> {
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    if (!this.#header) {
      this.#header = headerOf(cells)
      return
    }
    if (cells.length === 1 && cells[0] === '') return
    if (cells.length > this.#header.length)
      throw new BadRequest(`Line ${this.#begin} has more cells than the first one has names.`)
    const entries = this.#header.map((name, i) => [name, (cells[i] ?? '').replaceAll('\0', '')])
    const text = JSON.stringify(Object.fromEntries(entries))
    this.#made += text.length
    if (text.length > limits['bulk-row']) throw beyond('bulk-row')
    if (this.#made > limits['bulk-row'] + GROWTH * this.#given)
      throw new PayloadTooLarge(
        `The rows take more than ${GROWTH} times the bytes that were sent: send fewer columns per line.`,
      )
    yield { line: this.#begin, text }
  }
}

/** The names of columns. Throws BadRequest for what another mark separates, and for names that come twice. */
function headerOf(cells: readonly string[]): string[] {
  const names = cells.map((name) => name.trim())
  if (names.length === 1 && /[;\t|]/.test(names[0] ?? ''))
    throw new BadRequest('The first line has no comma: columns must be separated by commas.')
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at)
  if (twice !== undefined) throw new BadRequest(`The first line names '${twice.slice(0, 100)}' twice.`)
  return names
}
