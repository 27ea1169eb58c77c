// Cursors of keyset pages: where a page ended, bound to the question that it answers. They bear no right.
import { UnprocessableEntity } from '../../errors.ts'
import { fromBase64url } from '../../kit/base64url.ts'
import { isDate, isMoment } from '../../kit/dates.ts'
import { sha256 } from '../../kit/sha256.ts'
import { flawOf } from '../../kit/text.ts'
import type { OrderTerm } from '../row/order.ts'

/** The values that a row's place in an order follows from, as PostgreSQL writes them; null where unset. */
export type Place = readonly (string | null)[]

const VERSION = 'k1.'
/** Bytes of the sum over question and place. */
const SUM = 16
/** Characters: what a header may hold. */
const LONGEST = 6000

const sumOf = (question: string, place: string): Buffer => sha256(`${question}\n${place}`).subarray(0, SUM)

/**
 * The cursor of a page that ended with this row. Throws UnprocessableEntity if its values are too long.
 */
export function cursorOf(question: string, place: string): string {
  const cursor = VERSION + Buffer.concat([sumOf(question, place), Buffer.from(place)]).toString('base64url')
  if (cursor.length > LONGEST) throw notSeekable('its values are too long')
  return cursor
}

/** The refusal of an order that no page can begin in. */
export const notSeekable = (reason: string) =>
  new UnprocessableEntity(`Pages by cursor cannot follow this order: ${reason}.`, {
    code: 'order_not_seekable',
  })

/** Throws UnprocessableEntity for a cursor of another question, or an invalid one. */
export function placeIn(cursor: string, question: string, terms: readonly OrderTerm[]): Place {
  const bytes = cursor.startsWith(VERSION) ? fromBase64url(cursor.slice(VERSION.length)) : null
  const text = bytes?.subarray(SUM).toString() ?? ''
  if (!bytes?.subarray(0, SUM).equals(sumOf(question, text))) throw mismatch()
  const place = parsed(text)
  if (place?.length !== terms.length || !terms.every((term, i) => fits(term, place[i]))) throw mismatch()
  return place as Place
}

const mismatch = () =>
  new UnprocessableEntity('This cursor is of another question, or none.', { code: 'cursor_mismatch' })

function parsed(text: string): unknown[] | null {
  try {
    const place: unknown = JSON.parse(text)
    return Array.isArray(place) ? place : null
  } catch {
    return null
  }
}

const INT4 = 2 ** 31

/** By type, whether PostgreSQL reads a text as a value of it. */
const readable: Readonly<Record<string, (text: string) => boolean>> = {
  int4: (text) => /^-?\d{1,10}$/.test(text) && Number(text) >= -INT4 && Number(text) < INT4,
  numeric: (text) => /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?|NaN|-?Infinity)$/.test(text),
  float8: (text) =>
    /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/.test(text)
      ? Number.isFinite(Number(text))
      : /^(?:NaN|-?Infinity)$/.test(text),
  bool: (text) => text === 'true' || text === 'false',
  date: isDate,
  timestamp: (text) => /^.{19}(?:\.\d{1,6})?$/.test(text) && isMoment(text.slice(0, 19)),
  'time(0)': (text) => /^([01]\d|2[0-4]):[0-5]\d:[0-5]\d$/.test(text),
  text: (text) => !flawOf(text),
}

function fits({ type, nullable }: OrderTerm, value: unknown): boolean {
  if (value === null) return nullable
  return typeof value === 'string' && type !== null && (readable[type]?.(value) ?? false)
}
