// The scalar types of XML-RPC, from the text between their tags to a value (spec/wire.md section 11).
import { BadRequest } from '../../errors.ts'

const MOMENT = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?Z?$/

function integer(text: string): number {
  const trimmed = text.trim()
  if (!/^[+-]?\d{1,300}$/.test(trimmed)) throw broken('an integer', text)
  return Number(trimmed)
}

/** More digits than this no number has. */
const LONGEST = 1000

function double(text: string): number {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST) throw broken('a number', text)
  const value = Number(trimmed)
  if (trimmed === '' || !/^[-+.\deE]+$/.test(trimmed) || !Number.isFinite(value))
    throw broken('a number', text)
  return value
}

function boolean(text: string): boolean {
  const trimmed = text.trim()
  if (trimmed !== '0' && trimmed !== '1') throw broken('0 or 1', text)
  return trimmed === '1'
}

/** Moments arrive in UTC without a zone, and are known here as `YYYY-MM-DD HH:MM:SS`. */
function moment(text: string): string {
  const parts = MOMENT.exec(text.trim())
  if (!parts) throw broken('a moment such as 20240131T12:00:00', text)
  const [, year, month, day, hour, minute, second] = parts
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

function nil(text: string): null {
  if (text.trim() !== '') throw broken('nothing', text)
  return null
}

function base64(): never {
  throw new BadRequest('The type base64 is not supported: send bytes as base64 in a string')
}

/** Tag → reader. Readers throw BadRequest. */
export const scalars: ReadonlyMap<string, (text: string) => unknown> = new Map<
  string,
  (text: string) => unknown
>([
  ...['int', 'i1', 'i2', 'i4', 'i8', 'biginteger'].map((tag) => [tag, integer] as const),
  ['double', double],
  ['boolean', boolean],
  ['string', (text: string) => text],
  ['dateTime.iso8601', moment],
  ['nil', nil],
  ['base64', base64],
])

function broken(wanted: string, text: string): BadRequest {
  return new BadRequest(
    `The request body is not an XML-RPC call: expected ${wanted}, got ${JSON.stringify(text.slice(0, 40))}`,
  )
}
