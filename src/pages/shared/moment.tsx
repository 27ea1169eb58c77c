// Moments as the server writes them (UTC, `YYYY-MM-DD HH:MM:SS`), shown in the time zone and language of this
// browser.

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A moment of the server. */
export function parseMoment(text: string): Date {
  return new Date(`${text.replace(' ', 'T')}Z`)
}

/** A moment as the server reads it; parts of seconds are cut. */
export function formatMoment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * Distance of a moment from now, such as "in 3 days"; days are the largest unit, less than a minute is "now".
 */
export function distance(date: Date, now = Date.now()): string {
  const away = date.getTime() - now
  const [unit, length] = steps.find(([, milliseconds]) => Math.abs(away) >= milliseconds) ?? [
    'second',
    Number.POSITIVE_INFINITY,
  ]
  return relative.format(Math.round(away / length), unit)
}

/** A moment in full, for who points at a shorter text. */
export const exactly = (date: Date): string => exact.format(date)

/**
 * The day of a moment with its distance from now; the time of day appears on hover. `empty` is shown for a
 * missing moment.
 */
export function Moment({ text, empty }: { readonly text: string | false | null; readonly empty: string }) {
  if (!text) return <span class="faint">{empty}</span>
  const date = parseMoment(text)
  return (
    <span>
      <time dateTime={date.toISOString()} title={exact.format(date)}>
        {day.format(date)}
      </time>{' '}
      <small class="faint block">{distance(date)}</small>
    </span>
  )
}
