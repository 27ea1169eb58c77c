// Relative dates: "today -1w", "now +3H", "=monday": read into a day or a moment (spec/models-api.md section
// 2, "Relative text").
import type { DateTime } from 'luxon'

export interface Relative {
  readonly at: DateTime
  /** A whole day, not a moment of it. */
  readonly day: boolean
}

const units = {
  d: 'days',
  w: 'weeks',
  m: 'months',
  y: 'years',
  H: 'hours',
  M: 'minutes',
  S: 'seconds',
} as const
const parts = { d: 'day', m: 'month', y: 'year', H: 'hour', M: 'minute', S: 'second' } as const
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Characters of a relative text: longer ones are not useful, and each term takes time. */
const LONGEST = 200

/**
 * The day or moment of a relative text, or null for any other text. `now` is in the user's zone;
 * `weekStart` is 1 (Monday) to 7.
 */
export function readRelative(text: string, now: DateTime, weekStart: number): Relative | null {
  if (text.length > LONGEST) return null
  const terms = text.split(/\s+/).filter(Boolean)
  if (terms.length === 0) return null
  const day = terms[0] === 'today'
  let moment: Relative = { at: day ? now.startOf('day') : now.startOf('second'), day }
  if (day || terms[0] === 'now') terms.shift()
  for (const term of terms) {
    const next = moved(moment, term) ?? set(moment, term) ?? toWeekday(moment, term, weekStart)
    if (!next?.at.isValid || next.at.year < 1 || next.at.year > 9999) return null
    moment = next
  }
  return moment
}

/** `+3d`, `-1m`. */
function moved({ at, day }: Relative, term: string): Relative | null {
  const [, sign, digits, letter] = /^([+-])(\d{1,6})([dwmyHMS])$/.exec(term) ?? []
  if (!letter) return null
  const count = Number(digits) * (sign === '-' ? -1 : 1)
  return { at: at.plus({ [units[letter as keyof typeof units]]: count }), day: day && !isTime(letter) }
}

/** `=1d`: sets the part; what is smaller than it within the day goes to zero. */
function set({ at, day }: Relative, term: string): Relative | null {
  const [, digits, letter] = /^=(\d{1,4})([dmyHMS])$/.exec(term) ?? []
  if (!letter) return null
  const part = parts[letter as keyof typeof parts]
  const value = Number(digits)
  const changed = at.set({ [part]: value })
  if (changed[part] !== value) return null
  return { at: changed.startOf(isTime(letter) ? part : 'day'), day: day && !isTime(letter) }
}

/**
 * `+monday` forward, `-monday` back, both without moving when already there; `=monday` in the current week,
 * at midnight.
 */
function toWeekday({ at, day }: Relative, term: string, weekStart: number): Relative | null {
  const name = term.slice(1)
  const wanted = name === 'week_start' ? weekStart : weekdays.indexOf(name) + 1
  if (wanted === 0) return null
  const ahead = (wanted - at.weekday + 7) % 7
  if (term[0] === '+') return { at: at.plus({ days: ahead }), day }
  if (term[0] === '-') return { at: at.minus({ days: (7 - ahead) % 7 }), day }
  if (term[0] !== '=') return null
  const sinceStart = (at.weekday - weekStart + 7) % 7
  const start = at.startOf('day').minus({ days: sinceStart })
  return { at: start.plus({ days: (wanted - weekStart + 7) % 7 }), day }
}

const isTime = (letter: string): boolean => letter === 'H' || letter === 'M' || letter === 'S'

/** First day of the week in a language's country, 1 (Monday) to 7. */
export function weekStartOf(language: string): number {
  try {
    const locale = new Intl.Locale(language.replace(/@.*$/, '').replace('_', '-')) as Intl.Locale & {
      getWeekInfo?(): { firstDay: number }
    }
    return locale.getWeekInfo?.().firstDay ?? 1
  } catch {
    // A language without a locale of that name: most of the world begins on Monday.
    return 1
  }
}
