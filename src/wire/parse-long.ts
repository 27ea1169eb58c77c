// Long JSON in slices: between two of them other requests have their turn. What it gives is what JSON.parse would give, refusals too.
import { setImmediate as turn } from 'node:timers/promises'
import { BadRequest } from '../errors.ts'

/** Containers are taken apart down to this level; what is deeper is parsed at once. Each level reads what lies below it once more. RPC's records begin at the fifth. */
const LEVELS = 8
/** Deeper nesting than this is an attack or a mistake; nothing of the interface needs more than a few dozen levels. */
export const DEEPEST = 500

/** No method takes nearly as many arguments, and each more is work before anybody looks at it. */
const MOST_MEMBERS = 1000

/** Milliseconds of work after which others have their turn. */
const PATIENCE = 8

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The value of a JSON text in UTF-8, which the bytes must be (`isUtf8`). `slice` bytes are parsed at once. Throws SyntaxError, and BadRequest for one nested too deeply. */
export function parseLong(bytes: Buffer, slice = 1 << 20): Promise<unknown> {
  return new Slices(bytes, slice).value(0, bytes.length, 0)
}

class Slices {
  readonly #bytes: Buffer
  readonly #slice: number
  #since = performance.now()

  constructor(bytes: Buffer, slice: number) {
    this.#bytes = bytes
    this.#slice = slice
  }

  /** The value that fills the bytes from `start` to `end`, white space apart. */
  async value(start: number, end: number, level: number): Promise<unknown> {
    const [from, to] = this.#trim(start, end)
    if (to - from <= this.#slice || level === LEVELS) return this.#parse(this.#text(from, to))
    const [first, last] = [this.#bytes[from], this.#bytes[to - 1]]
    if (first === OPEN_LIST && last === CLOSE_LIST) return this.#list(from + 1, to - 1, level)
    if (first === OPEN_OBJECT && last === CLOSE_OBJECT) return this.#object(from + 1, to - 1, level)
    // No other value of this length is JSON, but for texts and absurd numbers.
    if (first === OPEN_LIST || first === OPEN_OBJECT) throw new SyntaxError('A bracket is not closed')
    if (first === QUOTE && last === QUOTE) return this.#string(from + 1, to - 1)
    return this.#parse(this.#text(from, to))
  }

  async #list(start: number, end: number, level: number): Promise<unknown[]> {
    const list: unknown[] = []
    await this.#parts(start, end, {
      many: (text) => {
        for (const item of this.#parse(`[${text}]`) as unknown[]) list.push(item)
      },
      one: async (from, to) => {
        list.push(await this.value(from, to, level + 1))
      },
    })
    return list
  }

  async #object(start: number, end: number, level: number): Promise<Record<string, unknown>> {
    const object: Record<string, unknown> = {}
    await this.#parts(start, end, {
      many: (text) => {
        for (const [key, value] of Object.entries(this.#parse(`{${text}}`) as object)) put(object, key, value)
        if (level === 0) assertFewMembers(object)
      },
      one: async (from, to) => {
        const [key, after] = this.#key(from, to)
        put(object, key, await this.value(after, to, level + 1))
      },
    })
    return object
  }

  /** A long text, such as a file in base64: cut where no character and no escape is cut. */
  async #string(start: number, end: number): Promise<string> {
    let text = ''
    for (let from = start; from < end; ) {
      // A step holds the longest escape, whatever the slice.
      let to = Math.min(from + Math.max(this.#slice, 16), end)
      // Back to the beginning of a character, then in front of the escape that the cut may lie in; `\\u1234` is the longest.
      while (to < end && to > from && ((this.#bytes[to] as number) & 0xc0) === 0x80) to--
      if (to < end) to = this.#beforeEscape(from, to)
      text += this.#parse(`"${this.#text(from, to)}"`) as string
      from = to
      await this.#breathe()
    }
    return text
  }

  /** The last place at or before `to` that is in no escape. */
  #beforeEscape(from: number, to: number): number {
    for (let i = to - 1; i >= Math.max(from, to - 5); i--) {
      if (this.#bytes[i] !== BACKSLASH) continue
      let first = i
      while (first > from && this.#bytes[first - 1] === BACKSLASH) first--
      // Of a run of backslashes the odd one begins an escape, the others are pairs.
      if ((i - first) % 2 === 1) return to
      const length = this.#bytes[i + 1] === 0x75 ? 6 : 2
      return i + length > to ? i : to
    }
    return to
  }

  /** Goes over the parts between commas: runs of short ones together, a long one by itself. */
  async #parts(
    start: number,
    end: number,
    take: { many(text: string): void; one(from: number, to: number): Promise<void> },
  ): Promise<void> {
    if (this.#trim(start, end)[0] === end) return
    /** Where the run of short parts begins; up to `part` it is complete. */
    let run = start
    let part = start
    const flush = async (to: number) => {
      // Nothing between two commas: JSON has no such thing, and `[]` would hide it.
      if (this.#trim(run, to)[0] === to) throw new SyntaxError('A value is missing')
      take.many(this.#text(run, to))
      await this.#breathe()
    }
    while (part <= end) {
      const comma = await this.#comma(part, end)
      if (comma - part > this.#slice) {
        if (part > run) await flush(part - 1)
        await take.one(part, comma)
        run = comma + 1
      } else if (comma - run > this.#slice || comma === end) {
        await flush(comma)
        run = comma + 1
      }
      part = comma + 1
    }
  }

  /** The next comma that is in no string and no bracket, or `end`. */
  async #comma(start: number, end: number): Promise<number> {
    const bytes = this.#bytes
    let depth = 0
    let quoted = false
    let pause = start + this.#slice
    for (let i = start; i < end; i++) {
      if (i >= pause) {
        await this.#breathe()
        pause = i + this.#slice
      }
      const byte = bytes[i]
      if (quoted) {
        if (byte === BACKSLASH) i++
        else if (byte === QUOTE) quoted = false
      } else if (byte === QUOTE) quoted = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        // The scan of the outermost container sees every byte.
        if (++depth >= DEEPEST) throw tooDeep()
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
      else if (byte === COMMA && depth === 0) return i
    }
    return end
  }

  /** The key of a member, and where its value begins. */
  #key(start: number, end: number): [key: string, after: number] {
    const [from] = this.#trim(start, end)
    if (this.#bytes[from] !== QUOTE) throw new SyntaxError('A key is missing')
    let close = from + 1
    while (close < end && this.#bytes[close] !== QUOTE) close += this.#bytes[close] === BACKSLASH ? 2 : 1
    const [colon] = this.#trim(close + 1, end)
    if (this.#bytes[colon] !== COLON) throw new SyntaxError('A colon is missing')
    return [this.#parse(this.#text(from, close + 1)) as string, colon + 1]
  }

  #parse(text: string): unknown {
    return JSON.parse(text)
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to)
  }

  /** Without the white space that JSON knows, at both ends; both are `end` where nothing else is there. */
  #trim(start: number, end: number): [from: number, to: number] {
    let [from, to] = [start, end]
    while (from < end && isSpace(this.#bytes[from])) from++
    while (to > from && isSpace(this.#bytes[to - 1])) to--
    return [from, from === end ? end : to]
  }

  async #breathe(): Promise<void> {
    if (performance.now() - this.#since < PATIENCE) return
    await turn()
    this.#since = performance.now()
  }
}

/** Throws BadRequest for an object with more members than a call can have arguments. */
export function assertFewMembers(object: object): void {
  let count = 0
  for (const _ in object) if (++count > MOST_MEMBERS) throw new BadRequest(`The request has more than ${MOST_MEMBERS} arguments`)
}

export const tooDeep = (): BadRequest => new BadRequest(`The request body is nested deeper than ${DEEPEST} levels`)

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** As JSON.parse sets it: `__proto__` is a key like any other. */
function put(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
