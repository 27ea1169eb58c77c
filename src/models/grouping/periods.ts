// Periods of dates and moments: which there are, their start in SQL, their bounds, and their labels in
// the user's language ("01 Jan 2024", "W3 2024", "T1 2024"); parts of dates, which are numbers.
import { DateTime } from 'luxon'
import { oncePer } from '../../kit/once-per.ts'
import { localeOf, quarterName } from '../../kit/period-names.ts'
import { weekStartOf } from '../../kit/relative-date.ts'
import { raw, type Sql, sql } from '../../sql/index.ts'
import { datePartSql, dayParts, localSql, timeParts } from '../domain/dates.ts'
import type { Environment } from '../language/environment.ts'
import type { Rights } from '../language/rights.ts'
import { raisesRightsVersion } from '../rights/tables.ts'

const periods = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Period = (typeof periods)[number]

const parts = { ...dayParts, ...timeParts }
export type Part = keyof typeof parts
export type Granularity = Period | Part

export const isPeriod = (name: string): name is Period => (periods as readonly string[]).includes(name)
export const isPart = (name: string): name is Part => Object.hasOwn(parts, name)

export function isGranularity(name: string, kind: 'date' | 'datetime'): name is Granularity {
  return granularities[kind].includes(name)
}

export const granularities: Readonly<Record<'date' | 'datetime', readonly string[]>> = {
  date: [...periods.filter((name) => name !== 'hour'), ...Object.keys(dayParts)],
  datetime: [...periods, ...Object.keys(parts)],
}

/** The zone, the first day of the week and the language that periods depend on. */
export interface Calendar {
  readonly zone: string
  readonly weekStart: number
  readonly lang: string
  /** Formats of months, by language and length. */
  readonly formats: Map<string, Intl.DateTimeFormat>
}

/** Formats of months, by language and length: a new one takes 120 µs. */
export const monthFormats = oncePer((_: Rights): Calendar['formats'] => new Map())

/** The start of a date's period, or of a moment's. `moment`: the value is a timestamp in UTC. */
export function startSql(value: Sql, period: Period, moment: boolean, { zone, weekStart }: Calendar): Sql {
  // Days before the first day of the week belong to the week before: weeks of PostgreSQL start on Monday.
  const shift = raw(String((8 - weekStart) % 7))
  if (!moment) {
    if (period === 'day') return value
    return period === 'week'
      ? sql`(date_trunc('week', (${value} + ${shift})::timestamp)::date - ${shift})`
      : sql`date_trunc('${raw(period)}', ${value}::timestamp)::date`
  }
  // With the zone as an argument the two hours of the night when clocks go back stay two.
  if (period === 'hour')
    return sql`(date_trunc('hour', ${value} AT TIME ZONE 'UTC', ${zone}::text) AT TIME ZONE 'UTC')`
  const local = localSql(value, zone)
  const days = sql`make_interval(days => ${shift})`
  const start =
    period === 'week'
      ? sql`(date_trunc('week', ${local} + ${days}) - ${days})`
      : sql`date_trunc('${raw(period)}', ${local})`
  return zone === 'UTC' ? start : sql`(${start} AT TIME ZONE ${zone}::text AT TIME ZONE 'UTC')`
}

export const partSql = (value: Sql, part: Part, moment: boolean, { zone }: Calendar): Sql =>
  datePartSql(value, parts[part], moment ? zone : 'UTC')

/**
 * The start of the next period; null when it lies beyond the year 9999. Dates are `YYYY-MM-DD`, moments
 * `YYYY-MM-DD HH:MM:SS` in UTC.
 */
export function nextStart(start: string, period: Period, calendar: Calendar): string | null {
  const local = localStart(start, calendar)
  // The first week of all is cut short: it ends when the next one begins.
  const at = period === 'week' ? local.minus({ days: (local.weekday - calendar.weekStart + 7) % 7 }) : local
  // The clock may skip midnight: the day then begins at its first moment.
  const next =
    period === 'hour' ? at.plus({ hours: 1 }) : at.startOf('day').plus(steps[period]).startOf('day')
  if (!next.isValid || next.year > 9999 || next.toUTC().year > 9999) return null
  return start.length === 10 ? next.toFormat('yyyy-MM-dd') : toUtc(next)
}

const steps = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
} as const

/** The start of the period that a date or a moment lies in, in the form of `moment`s or dates. */
export function startOf(text: string, period: Period, moment: boolean, calendar: Calendar): string {
  const at = moment
    ? text.length === 10
      ? DateTime.fromISO(text, { zone: calendar.zone })
      : momentOf(text, calendar)
    : DateTime.fromISO(text.slice(0, 10), { zone: 'utc' })
  const start =
    period === 'week'
      ? at.startOf('day').minus({ days: (at.weekday - calendar.weekStart + 7) % 7 })
      : at.startOf(period)
  return moment ? toUtc(start) : start.toFormat('yyyy-MM-dd')
}

/** The day, and for moments the time, on the user's clock. */
export function localStart(start: string, calendar: Calendar): DateTime {
  return start.length === 10 ? DateTime.fromISO(start, { zone: 'utc' }) : momentOf(start, calendar)
}

const momentOf = (text: string, { zone }: Calendar): DateTime =>
  DateTime.fromSQL(text, { zone: 'utc' }).setZone(zone)
const toUtc = (at: DateTime): string => at.toUTC().toFormat('yyyy-MM-dd HH:mm:ss')

/** First days of weeks by language, for a version of the rights: `res.lang` raises it. */
const weekStarts = oncePer((_: Rights) => new Map<string, number>())

/** First day of the week, 1 (Monday) to 7, as the language of the context says. */
export async function weekStart(env: Environment): Promise<number> {
  const { rights } = env.unit
  const starts = weekStarts(rights)
  let start = starts.get(env.lang)
  if (start === undefined) {
    const rows = await env.query(sql`SELECT week_start FROM res_lang WHERE code = ${env.lang}`)
    start = Number(rows[0]?.[0]) || weekStartOf(env.lang)
    if (!raisesRightsVersion(env.unit)) starts.set(env.lang, start)
  }
  return start
}

export function periodLabel(start: string, period: Period, calendar: Calendar): string {
  const at = localStart(start, calendar)
  // Before the year 1 there are no names.
  if (!at.isValid) return start
  const year = at.toFormat('yyyy')
  switch (period) {
    case 'hour':
      return `${at.toFormat('hh:mm').slice(0, 3)}00 ${at.toFormat('dd')} ${monthName(at, calendar, 'short')}`
    case 'day':
      return `${at.toFormat('dd')} ${monthName(at, calendar, 'short')} ${year}`
    case 'week': {
      const week = weekOf(at, calendar.weekStart)
      return `W${week.number} ${week.year}`
    }
    case 'month':
      return `${monthName(at, calendar, 'long')} ${year}`
    case 'quarter':
      return `${quarterName(calendar.lang, at.quarter)} ${year}`
    default:
      return year
  }
}

/** Number and year of a week: ISO's if weeks start on Monday, else the first has 1 January. */
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

/** The month as written with a day: some languages decline it. */
function monthName(at: DateTime, { lang, formats }: Calendar, length: 'short' | 'long'): string {
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
