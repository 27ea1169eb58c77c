// JSON of strangers into values: bytes that are no UTF-8, no JSON or nested without end are refused before anything looks at them.
import { isUtf8 } from 'node:buffer'
import { BadRequest } from '../errors.ts'
import { DEEPEST, parseLong, tooDeep } from './parse-long.ts'

/** Bytes from which on a body is parsed in slices, so that others have their turn meanwhile. */
const LONG = 2 * 1024 ** 2

/**
 * Parses a body of JSON. Of a key given twice the last value counts; `__proto__` arrives as an ordinary own key.
 * Throws BadRequest (400) for anything that is no JSON text in UTF-8 (spec/wire.md section 3). A promise only where the body is long.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new BadRequest('The request body is no UTF-8 text')
  if (bytes.length > LONG) return parseLong(bytes).catch(refuse)
  // Fewer bytes than brackets cannot nest too deeply: most bodies need no second look.
  if (bytes.length > 2 * DEEPEST && depth(bytes) > DEEPEST) throw tooDeep()
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    return refuse(error)
  }
}

function refuse(error: unknown): never {
  if (error instanceof BadRequest) throw error
  throw new BadRequest('The request body is not valid JSON', { cause: error })
}

/** How deep brackets nest outside of strings; counts in one pass, whether or not the text is JSON. */
export function depth(bytes: Uint8Array): number {
  let now = 0
  let most = 0
  let quoted = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (quoted) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) quoted = false
    } else if (byte === 0x22) quoted = true
    else if (byte === 0x5b || byte === 0x7b) {
      if (++now > most) most = now
    } else if (byte === 0x5d || byte === 0x7d) now--
  }
  return most
}

/** Whether a value is a JSON object: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy without a prototype and without the keys named: a parameter called `__proto__` or `constructor` is an own key or absent. */
export function without(object: Readonly<Record<string, unknown>>, ...left: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(object)) if (!left.includes(key)) copy[key] = object[key]
  return copy
}

/** The media type of a content type, in lower case and without parameters; undefined where there is none. */
export function mediaType(contentType: string | undefined): string | undefined {
  if (contentType === undefined) return undefined
  const end = contentType.indexOf(';')
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}
