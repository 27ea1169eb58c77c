// Working time: spans between two moments by the attendances of a calendar, without times off.
import { DateTime } from 'luxon'
import { UserError } from '../../errors.ts'

/** A span of a weekday, in hours of the clock of the calendar. */
export interface Attendance {
  /** 0 is Monday. */
  readonly weekday: number
  readonly from: number
  readonly to: number
  readonly days: number
  /** The type of week in a calendar over two weeks, else null. */
  readonly week: number | null
}

/** Moments in milliseconds. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface WorkingHours {
  readonly zone: string
  readonly attendances: readonly Attendance[]
  readonly off: readonly Span[]
}

interface Work extends Span {
  /** The share of a day that each millisecond is. */
  readonly rate: number
}

const HOUR = 3_600_000
/** Days that one question goes over. */
const MOST_DAYS = 3660
const DAY = 86_400_000
/** Monday, 1 January of the year 1, in milliseconds. */
const FIRST_MONDAY = Date.UTC(2001, 0, 1) - 730_485 * DAY

/** 0 or 1 by turns, week by week. */
export function weekTypeOf(date: string): number {
  return Math.floor((Date.parse(`${date}T00:00:00Z`) - FIRST_MONDAY) / (7 * DAY)) % 2
}

/** Moments of a day by hours of its clock. Days of 24 hours need no look at the time zone. */
function clockOf(day: DateTime): (hours: number) => number {
  const [midnight, next] = [day.toMillis(), day.plus({ days: 1 })]
  const isPlain = day.hour === 0 && day.offset === next.offset
  return (hours) => {
    const minutes = Math.round(hours * 60)
    if (isPlain) return midnight + Math.min(minutes, 24 * 60) * 60_000
    return minutes >= 24 * 60
      ? next.toMillis()
      : day.set({ hour: Math.floor(minutes / 60), minute: minutes % 60 }).toMillis()
  }
}

function workOfDay(attendances: readonly Attendance[], off: readonly Span[], day: DateTime): readonly Work[] {
  const week = weekTypeOf(day.toISODate() ?? '')
  const [start, end] = [day.toMillis(), day.plus({ days: 1 }).toMillis()]
  const offThatDay = off.filter((span) => span.start < end && span.end > start)
  const spans = attendances.filter((span) => span.week === null || span.week === week)
  if (spans.length === 0) return []
  const at = clockOf(day)
  return spans
    .flatMap(({ from, to, days }) => {
      const whole = { start: at(from), end: at(to) }
      const rate = whole.end > whole.start ? days / (whole.end - whole.start) : 0
      return without(whole, offThatDay).map((span) => ({ ...span, rate }))
    })
    .sort((a, b) => a.start - b.start)
}

/** Spans in order, those that touch as a single span. */
function merged(spans: readonly Span[]): readonly Span[] {
  const joined: { start: number; end: number }[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}

/** Parts of a span that are not off, by merged spans. */
function without({ start, end }: Span, off: readonly Span[]): readonly Span[] {
  let [low, high] = [0, off.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((off[middle]?.end ?? 0) > start) high = middle
    else low = middle + 1
  }
  const parts: Span[] = []
  let from = start
  for (let next = off[low]; next && next.start < end; next = off[++low]) {
    if (next.start > from) parts.push({ start: from, end: next.start })
    from = next.end
  }
  if (from < end) parts.push({ start: from, end })
  return parts
}

function* daysFrom(
  hours: WorkingHours,
  moment: number,
  step: 1 | -1,
  most = MOST_DAYS,
): Generator<readonly Work[]> {
  const off = merged(hours.off)
  const byWeekday = Map.groupBy(hours.attendances, ({ weekday }) => weekday)
  const first = DateTime.fromMillis(moment, { zone: hours.zone }).startOf('day')
  for (let i = 0; i < most; i++) {
    const day = first.plus({ days: i * step })
    yield workOfDay(byWeekday.get(day.weekday - 1) ?? [], off, day)
  }
}

/** Hours and days of work between two moments. Throws UserError for more than ten years. */
export function workBetween(hours: WorkingHours, { start, end }: Span): { hours: number; days: number } {
  if (end - start > MOST_DAYS * DAY)
    throw new UserError('The period is too long: working time can be computed for at most ten years.')
  let [spent, days] = [0, 0]
  const most = Math.ceil((end - start) / DAY) + 2
  for (const work of daysFrom(hours, start, 1, most)) {
    for (const span of work) {
      const length = Math.min(span.end, end) - Math.max(span.start, start)
      if (length > 0) [spent, days] = [spent + length, days + length * span.rate]
    }
  }
  return { hours: spent / HOUR, days: Math.round(days * 1000) / 1000 }
}

/** The moment after so many hours of work, or before where they are negative; null beyond ten years. */
export function afterHours(hours: WorkingHours, moment: number, count: number): number | null {
  const step = count < 0 ? -1 : 1
  let rest = Math.abs(count) * HOUR
  if (rest > MOST_DAYS * DAY) return null
  for (const work of daysFrom(hours, moment, step))
    for (const span of step > 0 ? work : work.toReversed()) {
      const start = step > 0 ? Math.max(span.start, moment) : span.start
      const end = step > 0 ? span.end : Math.min(span.end, moment)
      if (end <= start) continue
      if (rest <= end - start) return step > 0 ? start + rest : end - rest
      rest -= end - start
    }
  return null
}

/** The end of the last of so many days with work, or the beginning of the first where they are negative. */
export function afterDays(hours: WorkingHours, moment: number, count: number): number | null {
  if (count === 0) return moment
  const step = count < 0 ? -1 : 1
  let rest = Math.abs(count)
  if (rest > MOST_DAYS) return null
  for (const work of daysFrom(hours, moment, step)) {
    const left = work.filter(({ start, end }) => (step > 0 ? end > moment : start < moment))
    const [first, last] = [left[0], left.at(-1)]
    if (!first || !last) continue
    if (--rest === 0) return step > 0 ? last.end : first.start
  }
  return null
}
