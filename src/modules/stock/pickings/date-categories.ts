// Days of transfers as lists search by them: before, yesterday, today and so on.
import { DateTime } from 'luxon'
import { InvalidValue } from '../../../errors.ts'
import { addDays, nowUtc, today } from '../../../kit/dates.ts'

/** The day that it is where the caller is; days begin and end there. */
export interface Today {
  readonly day: string
  readonly zone: string
}

const categories = ['before', 'yesterday', 'today', 'day_1', 'day_2', 'after'] as const

/** The distance of a day from today. Throws InvalidValue for what is not a day. */
export function categoryOf(moment: string, now: Today): (typeof categories)[number] {
  const instant = new Date(`${moment.replace(' ', 'T')}Z`)
  const day =
    moment.length > 10 && !Number.isNaN(instant.getTime()) ? today(now.zone, instant) : moment.slice(0, 10)
  const days = Math.round((Date.parse(day) - Date.parse(now.day)) / 86_400_000)
  const category = categories[Math.max(0, Math.min(5, days + 2))]
  if (!category) throw new InvalidValue('Invalid date: use a date, or a date with a time.')
  return category
}

/** Throws InvalidValue for categories that there are none of. */
export function domainOf(field: string, category: string, now: Today): unknown[] {
  const place = categories.indexOf(category as (typeof categories)[number])
  if (place < 0) throw new InvalidValue(`Invalid category: use one of ${categories.join(', ')}.`)
  const beginning = (days: number) =>
    nowUtc(DateTime.fromISO(addDays(now.day, days), { zone: now.zone }).toJSDate())
  const from = [field, '>=', beginning(place - 2)]
  const until = [field, '<', beginning(place - 1)]
  if (category === 'before') return [until]
  return category === 'after' ? [from] : [from, until]
}

/** The condition on planned days that stands for one on categories. Throws InvalidValue for other operators. */
export function searchByDay(operator: string, value: unknown, now: Today): unknown[] {
  if (operator !== '=' && operator !== 'in')
    throw new InvalidValue('Invalid operator for the date category: use = or in.')
  // No transfer is without a day.
  const named = [value].flat().filter((category) => category !== false)
  const days = named.map((category) => {
    const domain = domainOf('scheduled_date', String(category), now)
    return domain.length > 1 ? ['&', ...domain] : domain
  })
  return days.length > 0 ? [...days.slice(1).map(() => '|'), ...days.flat()] : [['id', 'in', []]]
}
