// Values on their way to and from PostgreSQL: what a column's text becomes in TypeScript, and how parameters
// are written.
import { InvalidValue } from '../errors.ts'

export type Parser = (text: string) => unknown

const raw: Parser = (text) => text
const bytes: Parser = (text) => Buffer.from(text.slice(2), 'hex')
const boolean: Parser = (text) => text === 't'

/** `{1,2,NULL}`, also nested, becomes numbers: such arrays are JSON but for their brackets. */
function numbers(text: string): unknown {
  // Lists of ids are the commonest of all.
  if (text.lastIndexOf('{') === 0 && !text.includes('N')) return JSON.parse(`[${text.slice(1, -1)}]`)
  const json = text.replaceAll('{', '[').replaceAll('}', ']')
  return JSON.parse(json.includes('N') ? json.replaceAll('NULL', 'null') : json)
}

/** `{a,"b \"c\"",NULL}` becomes strings and nulls; one dimension. */
function texts(text: string): (string | null)[] {
  if (text === '{}') return []
  if (!text.includes('"'))
    return text
      .slice(1, -1)
      .split(',')
      .map((item) => (item === 'NULL' ? null : item))
  const items: (string | null)[] = []
  for (const [, quoted, plain] of text.matchAll(/"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs)) {
    if (quoted !== undefined) items.push(quoted.replace(/\\(.)/gs, '$1'))
    else items.push(plain === 'NULL' ? null : (plain ?? ''))
  }
  return items
}

/**
 * By type id (pg_type.oid, fixed in PostgreSQL). Dates, timestamps, JSON and all others stay the text
 * PostgreSQL prints.
 */
const parsers: Readonly<Record<number, Parser>> = {
  16: boolean, // bool
  17: bytes, // bytea
  20: Number, // int8: counts and sums, far below 2^53
  21: Number, // int2
  23: Number, // int4
  26: Number, // oid
  700: Number, // float4
  701: Number, // float8
  1700: Number, // numeric
  1005: numbers, // int2[]
  1007: numbers, // int4[]
  1016: numbers, // int8[]
  1003: texts, // name[]
  1009: texts, // text[]
  1015: texts, // varchar[]
}

/** The driver's lookup of the parser of each column. */
export const types = { getTypeParser: (oid: number): Parser => parsers[oid] ?? raw }

/**
 * A parameter in its sent form: bytes as bytes, all else as text. Arrays become array literals, dates are UTC
 * in any zone of this process, other objects JSON. Throws for values without such a form, such as an invalid
 * date.
 */
export function encode(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (typeof value !== 'object') return String(value)
  if (ArrayBuffer.isView(value)) return bytesOf(value)
  if (Array.isArray(value)) return arrayLiteral(value)
  if (value instanceof Date) return value.toISOString().slice(0, -1).replace('T', ' ')
  return JSON.stringify(value)
}

/** The protocol counts parameters in 16 bits. */
const MAX_PARAMETERS = 65_535

/** Parameters of one statement. Throws InvalidValue for more than the protocol can count, and as `encode`. */
export function encodeAll(values: readonly unknown[]): (string | Buffer | null)[] {
  if (values.length > MAX_PARAMETERS) throw new InvalidValue('Too many values for one statement.')
  return values.map(encode)
}

const bytesOf = (view: ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength)

/**
 * `{1,"b \"c\"",NULL}`, nested as deep as the value; items that are not arrays are encoded as a single value.
 */
function arrayLiteral(items: readonly unknown[]): string {
  // Lists of ids are the commonest of all, and need no quotes.
  return `{${items.every(isNumber) ? items.join() : items.map(arrayItem).join()}}`
}

function arrayItem(item: unknown): string {
  if (typeof item === 'number') return String(item)
  if (Array.isArray(item)) return arrayLiteral(item)
  const value = encode(item)
  if (value === null) return 'NULL'
  const text = typeof value === 'string' ? value : `\\x${value.toString('hex')}`
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
