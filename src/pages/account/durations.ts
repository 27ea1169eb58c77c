// Lifetimes of a new API key: days of this browser's calendar, ends in the server's format.
import { formatMoment } from '../shared/moment.tsx'

/** The duration that means a date of choice. */
export const CUSTOM = '-1'

const DAY = 86_400_000
/** Distance from the last possible moment, as time passes while the form is sent. */
const MARGIN = 60_000
const words = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })

/** The day of a moment here, as inputs of dates spell it. */
export function dayOf(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/**
 * The end of a day in this time zone, or the last allowed moment if that is earlier; in the server's format.
 * False for an invalid day.
 */
export function endOfDay(day: string, until: Date): string | false {
  const end = endMoment(day, until)
  return end ? formatMoment(end) : false
}

/** When a key would end, for people. */
export function endWords(duration: string, day: string, until: Date): string {
  const end =
    duration === CUSTOM
      ? endMoment(day, until)
      : new Date(Math.min(Date.now() + Number(duration) * DAY, until.getTime()))
  return end
    ? `The key stops working on ${words.format(end)}: the program needs a new key by then. A short duration is safer.`
    : 'Choose the last day on which the key works.'
}

function endMoment(day: string, until: Date): Date | null {
  const [year, month, date] = day.split('-').map(Number)
  if (!year || !month || !date) return null
  return new Date(Math.min(new Date(year, month - 1, date, 23, 59, 59).getTime(), until.getTime() - MARGIN))
}
