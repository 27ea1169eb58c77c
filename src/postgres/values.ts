// Values on their way to and from PostgreSQL: what a column's text becomes in TypeScript, and how parameters are written.

export type Parser = (text: string) => unknown

const raw: Parser = (text) => text
const bytes: Parser = (text) => Buffer.from(text.slice(2), 'hex')
const boolean: Parser = (text) => text === 't'

/** `{1,2,NULL}`, also nested, becomes numbers: such arrays are JSON but for their brackets. */
function numbers(text: string): unknown {
  const json = text.replaceAll('{', '[').replaceAll('}', ']')
  return JSON.parse(json.includes('N') ? json.replaceAll('NULL', 'null') : json)
}

/** `{a,"b \"c\"",NULL}` becomes strings and nulls; one dimension. */
function texts(text: string): (string | null)[] {
  const items: (string | null)[] = []
  for (const [, quoted, plain] of text.matchAll(/"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs)) {
    if (quoted !== undefined) items.push(quoted.replace(/\\(.)/gs, '$1'))
    else items.push(plain === 'NULL' ? null : (plain ?? ''))
  }
  return items
}

/** By type id (pg_type.oid, fixed in PostgreSQL). Dates, timestamps, JSON and all others stay the text PostgreSQL prints. */
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

/** What the driver asks for each column of an answer. */
export const types = { getTypeParser: (oid: number): Parser => parsers[oid] ?? raw }

/**
 * A parameter as the driver shall send it. Numbers, booleans, strings, buffers and null pass; arrays of numbers become an array
 * literal at once (the driver would quote each element), dates are UTC whatever the zone of this process, other objects JSON.
 */
export function encode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.every(isNumber) ? `{${value.join(',')}}` : value.map(encodeItem)
  if (value instanceof Date) return value.toISOString().slice(0, -1).replace('T', ' ')
  return JSON.stringify(value)
}

function encodeItem(item: unknown): unknown {
  return Array.isArray(item) ? item : encode(item)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
