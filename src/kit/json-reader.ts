// Parses JSON that arrives in blocks: no block is kept, values are counted, and complete values can be read
// before the end. Results and errors are those of JSON.parse.
import { isUtf8 } from 'node:buffer'
import { BadRequest } from '../errors.ts'
import { beyond, limits } from '../limits.ts'
import { LongText } from './long-text.ts'
import { Pace } from './pace.ts'
import { LONG_PLAIN, plainText } from './plain-text.ts'

/**
 * Longest number that is accepted, in characters; an incomplete one at the end of a block is kept up to it.
 */
const LONGEST_NUMBER = 1000
/** Digits that make a whole number without a look at its text. */
const EXACT_DIGITS = 15

const [QUOTE, BACKSLASH, COMMA, COLON, LETTER_U] = [0x22, 0x5c, 0x2c, 0x3a, 0x75]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const [ZERO, NINE, MINUS, PLUS, POINT] = [0x30, 0x39, 0x2d, 0x2b, 0x2e]

const literals: ReadonlyMap<number | undefined, readonly [text: string, value: boolean | null]> = new Map([
  [0x74, ['true', true]],
  [0x66, ['false', false]],
  [0x6e, ['null', null]],
])

/** Tokens that may come next outside of texts, as numbers because every character is compared with them. */
const [VALUE, VALUE_OR_END, KEY, KEY_OR_END, AFTER_KEY, AFTER_VALUE, NOTHING] = [0, 1, 2, 3, 4, 5, 6]

type List = unknown[]
type Members = Record<string, unknown>

/** A list or an object that is not closed yet. */
interface Open {
  readonly list: List | null
  readonly members: Members | null
  /** The key whose value comes next. */
  key: string
  /** Keys so far. */
  keys: number
}

const nothing = Buffer.alloc(0)

export class JsonReader {
  /** Values so far: texts, numbers, lists, objects and the three literals. */
  values = 0
  readonly #open: Open[] = []
  #top: Open | undefined
  #root: unknown
  #expected = VALUE
  #isInText = false
  /** The part so far of a text that began in an earlier block. */
  #long: LongText | null = null
  #rest: Buffer = nothing

  /** The value so far: open containers are in their places, with the items read so far. */
  get partial(): unknown {
    return this.#root
  }

  /**
   * Takes the next block. Throws SyntaxError for what is not JSON, BadRequest for no UTF-8 and deep nesting,
   * PayloadTooLarge for too many values.
   */
  write(block: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, block]) : block
    this.#rest = nothing
    let at = 0
    while (at < bytes.length) {
      const next = this.#isInText ? this.#string(bytes, at) : this.#token(bytes, at)
      if (next === at) {
        // A copy: a few bytes must not hold a block.
        this.#rest = Buffer.from(bytes.subarray(at))
        return
      }
      at = next
    }
  }

  /** The value. Throws like `write`, and SyntaxError if the end is missing. */
  end(): unknown {
    // White space ends a number, and nothing else that is incomplete.
    this.write(Buffer.from(' '))
    if (this.#expected !== NOTHING || this.#isInText || this.#rest.length > 0)
      throw new SyntaxError('The end is missing')
    return this.#root
  }

  /** Reads the token at a place outside of texts; returns its end, or the same place if it is incomplete. */
  #token(bytes: Buffer, at: number): number {
    const byte = bytes[at]
    switch (byte) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        return at + 1
      case COMMA:
        return this.#comma(at)
      case COLON:
        if (this.#expected !== AFTER_KEY) throw unexpected()
        this.#expected = VALUE
        return at + 1
      case QUOTE:
        if (this.#expected > KEY_OR_END) throw unexpected()
        this.#isInText = true
        return at + 1
      case OPEN_LIST:
        return this.#begin({ list: [], members: null, key: '', keys: 0 }, at)
      case OPEN_OBJECT:
        return this.#begin({ list: null, members: {}, key: '', keys: 0 }, at)
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        return this.#close(byte, at)
      default:
        return literals.has(byte) ? this.#literal(bytes, at) : this.#number(bytes, at)
    }
  }

  #comma(at: number): number {
    if (this.#expected !== AFTER_VALUE) throw unexpected()
    this.#expected = this.#top?.members ? KEY : VALUE
    return at + 1
  }

  #begin(open: Open, at: number): number {
    if (this.#open.length >= limits.depth) throw tooDeep()
    this.#put(open.list ?? open.members)
    this.#open.push(open)
    this.#top = open
    this.#expected = open.list ? VALUE_OR_END : KEY_OR_END
    return at + 1
  }

  #close(byte: number, at: number): number {
    const isList = byte === CLOSE_LIST
    const isEmpty = this.#expected === (isList ? VALUE_OR_END : KEY_OR_END)
    if (!isEmpty && this.#expected !== AFTER_VALUE) throw unexpected()
    if (!(isList ? this.#top?.list : this.#top?.members)) throw unexpected()
    this.#open.pop()
    this.#top = this.#open[this.#open.length - 1]
    this.#expected = this.#top ? AFTER_VALUE : NOTHING
    return at + 1
  }

  /** Sets a value in its place. */
  #put(value: unknown): void {
    if (this.#expected > VALUE_OR_END) throw unexpected()
    if (++this.values > limits.values) throw beyond('values')
    const top = this.#top
    if (!top) this.#root = value
    else if (top.list) top.list.push(value)
    else if (top.members) setMember(top.members, top.key, value)
    this.#expected = top ? AFTER_VALUE : NOTHING
  }

  #literal(bytes: Buffer, at: number): number {
    const literal = literals.get(bytes[at])
    if (!literal) throw unexpected()
    const [text, value] = literal
    const read = bytes.toString('latin1', at, at + text.length)
    if (read !== text) {
      if (at + text.length > bytes.length && text.startsWith(read)) return at
      throw unexpected()
    }
    this.#put(value)
    return at + text.length
  }

  #number(bytes: Buffer, at: number): number {
    let to = at
    let whole = 0
    let isPlain = true
    for (; to < bytes.length; to++) {
      const byte = bytes[to] ?? 0
      if (byte >= ZERO && byte <= NINE) whole = whole * 10 + byte - ZERO
      else if (isOfNumber(byte)) isPlain = false
      else break
    }
    if (to - at > LONGEST_NUMBER)
      throw new BadRequest(`The request body has a number of more than ${LONGEST_NUMBER} digits`)
    if (to === at) throw unexpected()
    if (to === bytes.length) return at
    const isExact = isPlain && to - at <= EXACT_DIGITS && (bytes[at] !== ZERO || to - at === 1)
    this.#put(isExact ? whole : JSON.parse(bytes.toString('latin1', at, to)))
    return to
  }

  /** Reads on in a text: to its end, or as far as whole characters and escapes go. */
  #string(bytes: Buffer, from: number): number {
    let to = from
    let isAscii = true
    let hasEscapes = false
    for (let end = Math.min(bytes.length, from + LONG_PLAIN); ; end = bytes.length) {
      for (; to < end; to++) {
        const byte = bytes[to] ?? 0
        if (byte === QUOTE) break
        if (byte >= 0x80) isAscii = false
        else if (byte === BACKSLASH) {
          const length = escapeLength(bytes, to)
          if (to + length > bytes.length) break
          hasEscapes = true
          to += length - 1
        } else if (byte < 0x20) throw new SyntaxError('A control character stands in a text')
      }
      if (to < end || end === bytes.length) break
      const plain = isAscii && !hasEscapes ? plainText(bytes, from) : null
      if (plain !== null) return this.#take(plain, from + plain.length, bytes)
    }
    const isWhole = bytes[to] === QUOTE
    if (!isWhole && !isAscii) to = wholeCharacters(bytes, from, to)
    const piece =
      isAscii && !hasEscapes
        ? bytes.toString('latin1', from, to)
        : textOf(bytes.subarray(from, to), isAscii, hasEscapes)
    return this.#take(piece, to, bytes)
  }

  /** Takes what a text has up to a place; gives where to go on. */
  #take(piece: string, to: number, bytes: Buffer): number {
    const isWhole = bytes[to] === QUOTE
    if (isWhole && !this.#long) this.#closeText(piece)
    else {
      this.#long ??= new LongText()
      this.#long.add(piece)
      if (isWhole) this.#closeText(this.#long.take())
    }
    return isWhole ? to + 1 : to
  }

  #closeText(text: string): void {
    this.#isInText = false
    this.#long = null
    if (this.#top?.members && this.#expected >= KEY) {
      if (++this.#top.keys > limits.members) throw beyond('members')
      this.#top.key = text
      this.#expected = AFTER_KEY
    } else this.#put(text)
  }
}

/** As JSON.parse sets it: `__proto__` is a key like any other. */
function setMember(object: Members, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

const isOfNumber = (byte: number): boolean =>
  byte === MINUS || byte === PLUS || byte === POINT || byte === 0x65 || byte === 0x45

const escapeLength = (bytes: Buffer, at: number): number => (bytes[at + 1] === LETTER_U ? 6 : 2)

/**
 * Where the last whole character at or before `to` ends. Invalid UTF-8 is detected when the text is decoded.
 */
function wholeCharacters(bytes: Buffer, from: number, to: number): number {
  let lead = to - 1
  while (lead > from && to - lead < 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--
  const byte = bytes[lead] ?? 0
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return lead + length > to ? lead : to
}

function textOf(bytes: Buffer, isAscii: boolean, hasEscapes: boolean): string {
  if (!isAscii && !isUtf8(bytes)) throw noUtf8()
  const text = bytes.toString(isAscii ? 'latin1' : 'utf8')
  return hasEscapes ? (JSON.parse(`"${text}"`) as string) : text
}

const unexpected = (): SyntaxError => new SyntaxError('Something else was expected here')
/** Characters that are read in a row, and of which a text is read at once. */
const [BLOCK, SHORT] = [64 * 1024, 256 * 1024]

/** Parses a text that the server wrote around a body, as `JSON.parse` does; long ones in turns. */
export async function parsedInTurns(text: string): Promise<unknown> {
  if (text.length <= SHORT) return JSON.parse(text)
  const [reader, pace, bytes] = [new JsonReader(), new Pace(), Buffer.from(text)]
  try {
    for (let at = 0; at < bytes.length; at += BLOCK) {
      reader.write(bytes.subarray(at, at + BLOCK))
      await pace.step()
    }
    return reader.end()
  } catch {
    // A body was within its limits; with what stands around it, it may be a little beyond.
    return JSON.parse(text)
  }
}

export const noUtf8 = (): BadRequest => new BadRequest('The request body is not UTF-8 text')
export const tooDeep = (): BadRequest =>
  new BadRequest(`The request body is nested deeper than ${limits.depth} levels`)
