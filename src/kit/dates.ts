// Dates and moments as texts: `YYYY-MM-DD` and `YYYY-MM-DD HH:MM:SS` (UTC), years 0001 to 9999, without a
// library on the hot path.
import { InvalidValue } from '../errors.ts'
import { Recent } from './recent.ts'

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** Months by their number, as choices of fields. */
export const monthNames: Readonly<Record<string, string>> = {
  1: 'January',
  2: 'February',
  3: 'March',
  4: 'April',
  5: 'May',
  6: 'June',
  7: 'July',
  8: 'August',
  9: 'September',
  10: 'October',
  11: 'November',
  12: 'December',
}

/** Days of a month; `month` from 1. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (monthDays[month - 1] ?? 0)
}

/** The last day of the month of a day. */
export function endOfMonth(date: string): string {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))]
  return `${date.slice(0, 8)}${String(daysInMonth(year, month)).padStart(2, '0')}`
}

/** Whether `text` is a day that exists, written `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const { year, month, day } = partsOf(text)
  return year >= 1 && day >= 1 && day <= daysInMonth(year, month)
}

/** Whether `text` is a moment that exists, written `YYYY-MM-DD HH:MM:SS`. */
export function isMoment(text: string): boolean {
  return /^.{10} ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text) && isDate(text.slice(0, 10))
}

/** A moment, such as that of `env.now()`, as `YYYY-MM-DD HH:MM:SS` in UTC. */
export function nowUtc(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

/** A few hundred zones there are, but each may be written in capitals and small letters at will. */
const formats = new Recent<string, Intl.DateTimeFormat>(600)

/**
 * The date at a moment, such as that of `env.now()`, in a time zone; in UTC if the zone is missing or
 * unknown.
 */
export function today(tz: string | null | undefined, at: Date): string {
  if (!tz || tz === 'UTC' || !isTimeZone(tz)) return nowUtc(at).slice(0, 10)
  let format = formats.get(tz)
  if (!format) {
    // The Swedish locale writes dates as ISO does.
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: tz,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    formats.set(tz, format)
  }
  return format.format(at)
}

/** Whether `name` is a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  if (formats.get(name)) return true
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * The day `days` later, or earlier when negative. A moment keeps its time. Throws InvalidValue beyond years
 * 0001 to 9999.
 */
export function addDays(text: string, days: number): string {
  const { year, month, day } = partsOf(text)
  return fromDayNumber(dayNumber(year, month, day) + days) + text.slice(10)
}

/**
 * The same day `months` later, or the last one of a shorter month. A moment keeps its time. Throws
 * InvalidValue beyond years 0001 to 9999.
 */
export function addMonths(text: string, months: number): string {
  const { year, month, day } = partsOf(text)
  const count = year * 12 + month - 1 + months
  const [toYear, toMonth] = [Math.floor(count / 12), (((count % 12) + 12) % 12) + 1]
  return write(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth))) + text.slice(10)
}

function partsOf(text: string): { year: number; month: number; day: number } {
  return { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8, 10)) }
}

function write(year: number, month: number, day: number): string {
  if (!(year >= 1 && year <= 9999)) throw new InvalidValue('Dates lie between the years 0001 and 9999.')
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/**
 * Days since 1970-01-01. `Date.UTC` takes years below 100 for 19xx, hence the detour over a leap cycle of 400
 * years.
 */
function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year + 400, month - 1, day) / 86_400_000 - 146_097
}

function fromDayNumber(days: number): string {
  const date = new Date(days * 86_400_000)
  return write(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
}
