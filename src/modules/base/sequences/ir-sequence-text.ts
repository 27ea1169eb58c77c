// Prefixes and suffixes of sequences: `%(year)s` and its kin, at the number's date, its range and the present
// (spec/models-api.md section 6).
import { DateTime } from 'luxon'
import { UserError, ValidationError } from '../../../errors.ts'

/** The moments a text may name, each in the zone of the caller. */
export interface Moments {
  /** The date of the number. */
  readonly date: DateTime
  /** The first day of the range that the number is of; the date itself without ranges. */
  readonly range: DateTime
  readonly current: DateTime
}

const pad = (value: number, width = 2) => String(value).padStart(width, '0')
const weekday = (at: DateTime) => at.weekday % 7
const yearday = (at: DateTime) => at.ordinal

/** Parts by name; weeks of `woy` begin on Mondays, those of the year before its first Monday are week 0. */
const parts: Readonly<Record<string, (at: DateTime) => string>> = {
  year: (at) => pad(at.year, 4),
  month: (at) => pad(at.month),
  day: (at) => pad(at.day),
  y: (at) => pad(at.year % 100),
  doy: (at) => pad(yearday(at), 3),
  woy: (at) => pad(Math.floor((yearday(at) + 6 - ((weekday(at) + 6) % 7)) / 7)),
  weekday: (at) => String(weekday(at)),
  h24: (at) => pad(at.hour),
  h12: (at) => pad(at.hour % 12 || 12),
  min: (at) => pad(at.minute),
  sec: (at) => pad(at.second),
  isoyear: (at) => pad(at.weekYear, 4),
  isoy: (at) => pad(at.weekYear % 100),
  isoweek: (at) => pad(at.weekNumber),
}

/**
 * Characters that prefix and suffix may have, and digits that a number is padded to: each number is as long
 * as they say.
 */
const MOST_SIGNS = 1000
const MOST_DIGITS = 250

/** Throws ValidationError for numbers longer than anybody reads. */
export function assertShape({ prefix, suffix, padding }: Readonly<Record<string, unknown>>): void {
  if ([prefix, suffix].some((text) => typeof text === 'string' && text.length > MOST_SIGNS))
    throw new ValidationError(`Prefix and suffix of a sequence have ${MOST_SIGNS} characters at most.`)
  if (Number(padding ?? 0) > MOST_DIGITS)
    throw new ValidationError(`Numbers of a sequence are padded to ${MOST_DIGITS} digits at most.`)
}

/** The text with its parts filled in. Throws UserError for an unknown or broken part. */
export function fillIn(text: string | null, moments: Moments): string {
  if (!text) return ''
  return text.replace(/%%|%\((\w+)\)s|%/g, (placeholder, name: string | undefined) => {
    if (placeholder === '%%') return '%'
    const filled = name === undefined ? undefined : part(name, moments)
    if (filled === undefined) throw new UserError(`Invalid prefix or suffix of the sequence: ${text}`)
    return filled
  })
}

function part(name: string, moments: Moments): string | undefined {
  const [, kind, rest] = /^(?:(range|current)_)?(\w+)$/.exec(name) ?? []
  if (!rest || !Object.hasOwn(parts, rest)) return undefined
  return parts[rest]?.(moments[(kind as 'range' | 'current' | undefined) ?? 'date'])
}

/**
 * Prefix, number padded with zeros, suffix. Throws UserError and ValidationError for a shape that gives no
 * number.
 */
export function numberText(
  shape: { readonly prefix: string | null; readonly suffix: string | null; readonly padding: number },
  number: number,
  moments: Moments,
): string {
  // Restored backups of other servers may hold shapes that were never checked.
  assertShape(shape)
  return (
    fillIn(shape.prefix, moments) +
    String(number).padStart(shape.padding, '0') +
    fillIn(shape.suffix, moments)
  )
}

/** The moments for a number of a day, as seen in a time zone: UTC if it is missing or unknown. */
export function momentsOf(
  tz: string | null,
  date: string | null,
  rangeFrom: string | null,
  now: Date,
): Moments {
  const zoned = DateTime.fromJSDate(now, { zone: tz ?? 'UTC' })
  const current = zoned.isValid ? zoned : DateTime.fromJSDate(now, { zone: 'UTC' })
  const on = (text: string | null) => (text ? DateTime.fromSQL(text, { zone: 'UTC' }) : current)
  return { date: on(date), range: rangeFrom ? on(rangeFrom) : on(date), current }
}
