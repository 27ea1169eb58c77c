// JSON of strangers into values: bytes that are not UTF-8 or not JSON, nested without end or too many values
// are refused before anything is made of them.
import { isUtf8 } from 'node:buffer'
import { BadRequest } from '../errors.ts'
import { JsonReader, noUtf8, tooDeep } from '../kit/json-reader.ts'
import { turn } from '../kit/turns.ts'
import { beyond, limits } from '../limits.ts'

/**
 * Bytes that are parsed at once; longer bodies are read in blocks, so that others have their turn meanwhile.
 */
const AT_ONCE = 1024 ** 2
const BLOCK = 64 * 1024

/** Bodies of fewer values weigh nothing: their bytes say enough. */
const FEW_VALUES = 5000

/** No method takes nearly as many arguments, and each more is work before anybody looks at it. */
const MOST_MEMBERS = 1000

/** A body that was read while it arrived. */
export class Parsed {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/** Reads a body block by block. */
export interface BodyReader {
  /** Values so far. */
  readonly values: number
  /** The value as far as it has been read. */
  readonly partial: unknown
  write(block: Buffer): void
  end(): unknown
}

/**
 * Called with the number of values in a body before they are created, for callers that account for memory;
 * parsing waits for a promise.
 */
export type Weigh = (values: number) => void | Promise<void>

/**
 * Parses a body of JSON. Of a key given twice the last value counts; `__proto__` arrives as an ordinary own
 * key.
 * Throws BadRequest (400) for anything that is no JSON text in UTF-8 (spec/wire.md section 3),
 * PayloadTooLarge (413) for too many values.
 * A promise only where the body is long, or has to wait.
 */
export function parseJson(bytes: Buffer, weigh?: Weigh): unknown {
  if (bytes.length > AT_ONCE) return parseLong(bytes)
  if (!isUtf8(bytes)) throw noUtf8()
  // Fewer bytes than brackets cannot nest too deeply: most bodies need no second look.
  if (bytes.length > 2 * limits.depth) {
    const { depth, values, members } = measure(bytes)
    if (depth > limits.depth) throw tooDeep()
    if (values > limits.values) throw beyond('values')
    if (members > limits.members) throw beyond('members')
    const waiting = values > FEW_VALUES ? weigh?.(values) : undefined
    if (waiting) return waiting.then(() => parse(bytes))
  }
  return parse(bytes)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw refusal(error)
  }
}

async function parseLong(bytes: Buffer): Promise<unknown> {
  const reader = new JsonReader()
  try {
    for (let at = 0; at < bytes.length; at += BLOCK) {
      reader.write(bytes.subarray(at, at + BLOCK))
      await turn()
    }
    return reader.end()
  } catch (error) {
    throw refusal(error)
  }
}

/** The client's error for bytes that could not be read. */
export function refusal(error: unknown): unknown {
  return error instanceof SyntaxError
    ? new BadRequest('The request body is not valid JSON', { cause: error })
    : error
}

/** Measures of a JSON text: its depth, the number of values, and the members of its widest object. */
interface Measures {
  readonly depth: number
  readonly values: number
  readonly members: number
}

/**
 * Depth of brackets outside of strings, and the number of values and members. Counts in one pass, whether or
 * not the text is JSON, and stops where it is too deep.
 */
export function measure(bytes: Uint8Array): Measures {
  let [now, depth, values, members, quoted] = [0, 0, 1, 0, false]
  // Members of the objects that are open; of a list nothing is counted.
  const open: number[] = []
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (quoted) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) quoted = false
    } else if (byte === 0x22) quoted = true
    else if (byte === 0x2c) {
      values++
      const more = (open[now] ?? 0) + 1
      open[now] = more
      if (more > members) members = more
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++now > depth) {
        depth = now
        if (depth > limits.depth) break
      }
      open[now] = byte === 0x7b ? 1 : Number.NEGATIVE_INFINITY
      // Counts the first value inside; an empty list or object subtracts it again.
      values++
    } else if (byte === 0x5d || byte === 0x7d) {
      now--
      const before = bytes[i - 1]
      if (before === 0x5b || before === 0x7b) values--
    }
  }
  return { depth, values, members }
}

/** Throws BadRequest for an object with more members than a call can have arguments. */
export function assertFewMembers(object: object): void {
  let count = 0
  for (const _ in object)
    if (++count > MOST_MEMBERS) throw new BadRequest(`The request has more than ${MOST_MEMBERS} arguments`)
}

/** Whether a value is a JSON object: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A copy without a prototype and without the keys named: a parameter called `__proto__` or `constructor` is
 * an own key or absent.
 */
export function copyWithout(
  object: Readonly<Record<string, unknown>>,
  ...left: readonly string[]
): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(object)) if (!left.includes(key)) copy[key] = object[key]
  return copy
}

/** The media type of a content type, in lower case and without parameters; undefined without one. */
export function mediaType(contentType: string | undefined): string | undefined {
  if (contentType === undefined) return undefined
  const end = contentType.indexOf(';')
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/**
 * Whether a field of a form, or an argument of RPC, means yes. Checkboxes that are not ticked send nothing;
 * programs send `false`, `0` or `off`.
 */
export const isYes = (value: unknown): boolean =>
  typeof value === 'string'
    ? !['', '0', 'false', 'no', 'off', 'f', 'n'].includes(value.trim().toLowerCase())
    : Boolean(value)
