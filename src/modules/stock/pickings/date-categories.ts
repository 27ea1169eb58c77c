// Days of transfers as lists search by them: before, yesterday, today and so on.
import { InvalidValue } from '../../../errors.ts'
import { addDays } from '../../../kit/dates.ts'

const categories = ['before', 'yesterday', 'today', 'day_1', 'day_2', 'after'] as const

/** The distance of a day from today. Throws InvalidValue for what is no day. */
export function categoryOf(moment: string, today: string): (typeof categories)[number] {
  const days = Math.round((Date.parse(moment.slice(0, 10)) - Date.parse(today)) / 86_400_000)
  const category = categories[Math.max(0, Math.min(5, days + 2))]
  if (!category) throw new InvalidValue('Say the moment as a date, or as a date with a time.')
  return category
}

/** Throws InvalidValue for categories that there are none of. */
export function domainOf(field: string, category: string, today: string): unknown[] {
  const place = categories.indexOf(category as (typeof categories)[number])
  if (place < 0) throw new InvalidValue(`Name one of ${categories.join(', ')}.`)
  const from = [field, '>=', `${addDays(today, place - 2)} 00:00:00`]
  const until = [field, '<', `${addDays(today, place - 1)} 00:00:00`]
  if (category === 'before') return [until]
  return category === 'after' ? [from] : [from, until]
}

/** The condition on planned days that stands for one on categories. Throws InvalidValue for other operators. */
export function searchByDay(operator: string, value: unknown, today: string): unknown[] {
  if (operator !== '=' && operator !== 'in')
    throw new InvalidValue('Transfers are searched by the category of their day with = or in.')
  // No transfer is without a day.
  const named = [value].flat().filter((category) => category !== false)
  const days = named.map((category) => {
    const domain = domainOf('scheduled_date', String(category), today)
    return domain.length > 1 ? ['&', ...domain] : domain
  })
  return days.length > 0 ? [...days.slice(1).map(() => '|'), ...days.flat()] : [['id', 'in', []]]
}
