// Labels of periods in the user's language: "01 Jan 2024", "W3 2024", "janvier 2024", "T1 2024".
import type { DateTime } from 'luxon'
import { type Calendar, localStart, type Period } from './periods.ts'
import { quarterName } from './quarters.ts'

/** The label of the period that starts at `start` (a date, or a moment in UTC). */
export function periodLabel(start: string, period: Period, calendar: Calendar): string {
  const at = localStart(start, calendar)
  // Before the year 1 there are no names.
  if (!at.isValid) return start
  const year = at.toFormat('yyyy')
  switch (period) {
    case 'hour':
      return `${at.toFormat('hh:mm').slice(0, 3)}00 ${at.toFormat('dd')} ${monthName(at, calendar.lang, 'short')}`
    case 'day':
      return `${at.toFormat('dd')} ${monthName(at, calendar.lang, 'short')} ${year}`
    case 'week': {
      const week = weekOf(at, calendar.weekStart)
      return `W${week.number} ${week.year}`
    }
    case 'month':
      return `${monthName(at, calendar.lang, 'long')} ${year}`
    case 'quarter':
      return `${quarterName(calendar.lang, at.quarter)} ${year}`
    default:
      return year
  }
}

/**
 * Number and year of a week: as ISO counts when weeks start on Monday, else the first week is the one with 1
 * January.
 */
function weekOf(start: DateTime, weekStart: number): { readonly number: number; readonly year: number } {
  if (weekStart === 1) return { number: start.weekNumber, year: start.weekYear }
  const first = (year: number) => {
    const newYear = start.set({ year, month: 1, day: 1 }).startOf('day')
    return newYear.minus({ days: (newYear.weekday - weekStart + 7) % 7 })
  }
  const day = start.startOf('day')
  if (day >= first(day.year + 1)) return { number: 1, year: day.year + 1 }
  const from = first(day.year)
  return { number: Math.floor(Math.round(day.diff(from, 'days').days) / 7) + 1, year: day.year }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The month as written with a day: some languages decline it. */
function monthName(at: DateTime, lang: string, length: 'short' | 'long'): string {
  const key = `${lang}/${length}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(localeOf(lang), {
      day: '2-digit',
      month: length,
      year: 'numeric',
      timeZone: 'UTC',
    })
    formats.set(key, format)
  }
  const date = new Date(Date.UTC(2000, at.month - 1, 1))
  const name = format.formatToParts(date).find((part) => part.type === 'month')?.value ?? ''
  if (/\D/.test(name)) return name
  // Languages that count months write the word for month as a part of its own.
  return new Intl.DateTimeFormat(localeOf(lang), { month: length, timeZone: 'UTC' }).format(date)
}

/**
 * The locale of a language code such as `fr_FR` or `sr@latin`: with the calendar and the digits of the API.
 */
function localeOf(lang: string): string {
  const [plain, script] = lang.split('@') as [string, string | undefined]
  const tag = `${plain.replace('_', '-')}${script === 'latin' ? '-Latn' : script === 'Cyrl' ? '-Cyrl' : ''}-u-ca-gregory-nu-latn`
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? 'en-US'
  } catch {
    // A code that is no locale: its labels are English.
    return 'en-US'
  }
}
