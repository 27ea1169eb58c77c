// Values into answers of XML-RPC: written by hand, as the output is all ours (spec/wire.md section 11).

import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'

const HEAD = "<?xml version='1.0'?>\n<methodResponse>"

/** Integers below this bound are written as `int`. */
const INT = 2 ** 31

/**
 * Whether the member of this name is a double even when it is whole: JSON does not distinguish the two, typed
 * clients do.
 */
export type Doubles = (name: string) => boolean

/** Options of the encoding. */
export interface Writing {
  readonly doubles: Doubles
  /** Typed values: nothing is `nil`, and whole numbers beyond 32 bits are `i8`. */
  readonly typed: boolean
}
const PLAIN: Writing = { doubles: () => false, typed: false }

/**
 * A method's answer. Throws InvalidValue for a value that is or holds nothing, which this wire cannot say;
 * clients look for these words (spec/client-needs.md section 6).
 */
export function encodeResult(value: unknown, writing: Writing = PLAIN): string {
  return `${HEAD}<params><param>${encode(value, writing)}</param></params></methodResponse>`
}

/**
 * The beginning of an answer of many rows, which come in pieces: these, then others (`encodeRows`), and
 * `ROWS_END`.
 */
export function beginRows(rows: readonly unknown[], writing: Writing): string {
  return `${HEAD}<params><param><value><array><data>${encodeRows(rows, writing)}`
}

/** Further rows of an answer that `beginRows` began. */
export function encodeRows(rows: readonly unknown[], writing: Writing): string {
  let items = ''
  for (const row of rows) items += encode(row, writing)
  return items
}

export const ROWS_END = '</data></array></value></param></params></methodResponse>'

/** A fault with a number or, on the older path, a text as its code. */
export function encodeFault(code: number | string, text: string): string {
  return `${HEAD}<fault>${encode({ faultCode: code, faultString: text }, PLAIN)}</fault></methodResponse>`
}

function encode(value: unknown, writing: Writing): string {
  switch (typeof value) {
    case 'string':
      return `<value><string>${escaped(value)}</string></value>`
    case 'boolean':
      return `<value><boolean>${value ? 1 : 0}</boolean></value>`
    case 'number':
      return Number.isInteger(value) && value >= -INT && value < INT
        ? `<value><int>${value}</int></value>`
        : writing.typed && Number.isSafeInteger(value)
          ? `<value><i8>${value}</i8></value>`
          : `<value><double>${plain(value)}</double></value>`
  }
  if (value === null && writing.typed) return '<value><nil/></value>'
  if (Array.isArray(value)) {
    let items = ''
    for (const item of value) items += encode(item, writing)
    return `<value><array><data>${items}</data></array></value>`
  }
  if (typeof value !== 'object' || value === null)
    throw new InvalidValue('cannot marshal None unless allow_none is enabled')
  let members = ''
  for (const [name, member] of Object.entries(value)) {
    const inside =
      typeof member === 'number' && writing.doubles(name)
        ? `<value><double>${plain(member)}</double></value>`
        : encode(member, writing)
    members += `<member><name>${escaped(name)}</name>${inside}</member>`
  }
  return `<value><struct>${members}</struct></value>`
}

/** A number as decimals; an integer keeps `.0`, so that it stays a double for those who look. */
function plain(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot hold.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: a quick look whether there is anything to do.
const SPECIAL = /[\u0000-\u0008\u000b-\u001f&<>\ud800-\udfff\ufffe\uffff]/
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/**
 * Text for between tags, without what XML cannot hold; a return is spelled out, as parsers would read it as a
 * line feed.
 */
function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '')
    .replace(/[&<>\r]/g, (sign) => present(entities[sign]))
}
