// When scheduled jobs run: the next time in their rhythm, and how soon one that failed is tried again.
import { DateTime } from 'luxon'

/** Units of the interval of a job. */
export const rhythms = {
  minutes: 'Minutes',
  hours: 'Hours',
  days: 'Days',
  weeks: 'Weeks',
  months: 'Months',
} as const
export type Rhythm = keyof typeof rhythms
export const intervalUnits = Object.keys(rhythms) as readonly Rhythm[]

const FORMAT = 'yyyy-MM-dd HH:mm:ss'
const LAST_YEAR = 9999
const LAST = '9999-12-31 23:59:59'

const momentOf = (text: string): DateTime => DateTime.fromFormat(text, FORMAT, { zone: 'utc' })

/**
 * The first moment after `now` that is a whole number of intervals after `from`; both are `YYYY-MM-DD
 * HH:MM:SS` in UTC. Days, weeks and months are counted in the time zone, so that a job of 03:00 stays at
 * 03:00 when clocks change, and a job of the 31st runs on the last day of shorter months. Beyond the
 * calendar, the result is its end.
 */
export function nextMoment(
  from: string,
  count: number,
  unit: Rhythm,
  now: string,
  tz: string | null,
): string {
  const zone = tz && (unit === 'days' || unit === 'weeks' || unit === 'months') ? tz : 'utc'
  const local = momentOf(from).setZone(zone)
  const start = local.isValid ? local : momentOf(from)
  const end = momentOf(now)
  // In the unit itself: a month is no number of days.
  let steps = Math.max(1, Math.floor(end.diff(start, unit).as(unit) / count) - 1)
  for (;;) {
    const next = start.plus({ [unit]: steps * count })
    if (!next.isValid || next.toUTC().year > LAST_YEAR) return LAST
    if (next > end) return next.toUTC().toFormat(FORMAT)
    steps++
  }
}

/**
 * Minutes after which a job that failed `failures` times in a row is tried again: 1, 2, 4, … an hour at most.
 */
const PATIENCE = 60
export function retryMoment(failures: number, now: string): string {
  return momentOf(now)
    .plus({ minutes: Math.min(2 ** (failures - 1), PATIENCE) })
    .toFormat(FORMAT)
}

/** A job that fails this often, for this many days, is switched off. */
const FAILURES = 5
const DAYS = 7
export function isHopeless(failures: number, since: string, now: string): boolean {
  return failures >= FAILURES && momentOf(now).diff(momentOf(since)).as('days') >= DAYS
}
