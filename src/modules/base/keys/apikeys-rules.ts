// Rules that a new API key must satisfy, as pure functions: scopes, dates and limits (spec/wire.md section
// 7).

import { AccessDenied, InvalidValue, ValidationError } from '../../../errors.ts'
import { addMonths, isDate, isMoment, nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'

/** No key lives longer, whatever the role allows. */
export const MONTHS_AT_MOST = 3

const DAY = 86_400_000
const MINUTE = 60_000
const DEFAULT_LIMIT = 10

/** Whether a system parameter's text means yes. */
export function isOn(text: string | null): boolean {
  return text !== null && ['1', 'yes', 'true', 't', 'y', 'on'].includes(text.toLowerCase())
}

/** Maximum number of valid keys of a user: an integer in text; anything else means ten. */
export function limitFrom(text: string | null): number {
  return text !== null && /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : DEFAULT_LIMIT
}

/** A moment of ISO 8601: date, time and, where there is one, the offset from UTC; fractions are cut. */
const ISO_MOMENT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:(Z)|([+-])(\d{2}):?([0-5]\d)?)?$/i

/** The moment in UTC that a text of ISO 8601 means; null for any other text. */
function isoMoment(text: string): string | null {
  const [, date, minutes, seconds = '00', , sign, hours = '0', rest = '0'] = ISO_MOMENT.exec(text) ?? []
  const moment = `${date} ${minutes}:${seconds}`
  if (!isMoment(moment) || Number(hours) > 23) return null
  const offset = (Number(hours) * 60 + Number(rest)) * (sign === '-' ? -1 : 1)
  if (offset === 0) return moment
  const inUtc = nowUtc(new Date(Date.parse(`${moment.replace(' ', 'T')}Z`) - offset * MINUTE))
  // An offset may lead beyond the years 0001 to 9999.
  return isMoment(inUtc) ? inUtc : null
}

/**
 * The expiration as a moment in UTC, null when none is given. Throws InvalidValue for what is neither a date
 * nor a moment of ISO 8601 (spec/external-api.md, "API key").
 */
export function expirationOf(value: unknown): string | null {
  if (value === null || value === false || value === '') return null
  if (typeof value === 'string') {
    if (isDate(value)) return `${value} 00:00:00`
    const moment = isoMoment(value)
    if (moment) return moment
  }
  throw new InvalidValue(
    'expiration_date must be a date or moment of ISO 8601, such as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS',
  )
}

/** A text that must not be empty. Throws InvalidValue. */
export function keyOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new InvalidValue('The API key must be a text.')
  return value
}

/**
 * The scope asked for. Throws InvalidValue for what is neither a text nor null, AccessDenied when the given
 * key may not make such keys.
 */
export function scopeFor(requested: unknown, keyScope: string | null): string | null {
  if (typeof requested !== 'string' && requested !== null && requested !== false)
    throw new InvalidValue('The scope must be a text or null.')
  const scope = requested || null
  if (keyScope !== null && scope !== keyScope)
    throw new AccessDenied(
      'A scoped API key can only create keys with its own scope: create one, and narrow it with restrict.',
    )
  return scope
}

/** The name of a key. Throws ValidationError if it is missing, InvalidValue if it is not a text. */
export function nameOf(value: unknown): string {
  if (value === null) throw new ValidationError('An API key needs a name.')
  if (typeof value !== 'string') throw new InvalidValue("An API key's name is a text.")
  return value
}

/**
 * Throws ValidationError unless there is a date, within three months and, where `days` says so, within
 * that many days. `days` is the longest life that the user's groups allow; null for exempt users.
 */
export function assertLife(
  expiration: string | null,
  days: number | null,
  now: Date,
): asserts expiration is string {
  if (expiration === null) throw new ValidationError('An API key needs an expiration date.')
  if (expiration > lastEnd(null, now))
    throw new ValidationError(
      'An API key is valid for at most three months: choose an earlier expiration date.',
    )
  if (expiration > lastEnd(days, now))
    throw new ValidationError(
      'The expiration date is later than the groups of the user allow: choose an earlier date.',
    )
}

/**
 * The last moment at which a key created now may end: within three months, and within the `days` that
 * groups allow (null: no limit by groups).
 */
export function lastEnd(days: number | null, now: Date): string {
  const months = addMonths(nowUtc(now), MONTHS_AT_MOST)
  if (days === null) return months
  // Groups without a say allow one day.
  const allowed = nowUtc(new Date(now.getTime() + (days > 0 ? Math.min(days, 366) : 1) * DAY))
  return present([allowed, months].sort()[0])
}
