// Moments in UTC, written `YYYY-MM-DD HH:MM:SS`. The column may have fractions of a second, which are
// never returned.
import { isDate, isMoment } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, momentSql, value } from './shared.ts'

const shapes: Readonly<Record<number, string>> = { 10: ' 00:00:00', 16: ':00', 19: '' }

export const datetime: FieldType = {
  ...value,
  expected: 'a moment as YYYY-MM-DD HH:MM:SS',
  kind: 'datetime',
  wireType: 'datetime',
  comparison: 'datetime',
  columnType: () => 'timestamp',
  toColumn(field, value) {
    if (value === null || value === undefined || value === false || value === '') return null
    const rest = typeof value === 'string' ? shapes[value.length] : undefined
    const moment = `${value}${rest}`
    if (rest === undefined || !isMoment(moment))
      throw invalidValue(field, 'moments in UTC as YYYY-MM-DD HH:MM:SS')
    return moment
  },
  outward: (expression, typed) =>
    typed ? momentSql(expression, typed) : sql`to_char(${expression}, 'YYYY-MM-DD HH24:MI:SS')`,
  typedAs: 'moment',
  fromColumn: (_field, value) => (typeof value === 'string' ? value.slice(0, 19) : null),
}

// Days, written `YYYY-MM-DD`, years 0001 to 9999.

/** The time after the day in longer ISO text; it is cut off. */
const timeOfDay = /^[ T]\d{2}(?::\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/

export const date: FieldType = {
  ...value,
  expected: 'a date as YYYY-MM-DD',
  ruleSample: '2000-01-01',
  kind: 'date',
  wireType: 'date',
  comparison: 'date',
  columnType: () => 'date',
  toColumn(field, value) {
    if (value === null || value === undefined || value === false || value === '') return null
    const day =
      typeof value === 'string' && (value.length === 10 || timeOfDay.test(value.slice(10)))
        ? value.slice(0, 10)
        : ''
    if (!isDate(day)) throw invalidValue(field, 'days of the calendar as YYYY-MM-DD')
    return day
  },
  typedAs: 'text',
  // JSON of a date is ISO text whatever the settings of the session, and costs less than `to_char`.
  direct: 'text',
}

// Times of day, written `HH:MM:SS`, from midnight to the last second before the next.

const HHMMSS = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/
const EXPECTED = 'a time of day as HH:MM or HH:MM:SS'

/** `9:30` is no time: hours have two digits, as in the answers. */
const read = (input: unknown): string | undefined =>
  typeof input === 'string' && HHMMSS.test(input) ? (input.length === 5 ? `${input}:00` : input) : undefined

export const time: FieldType = {
  ...value,
  kind: 'time',
  wireType: 'time',
  comparison: 'ordered',
  expected: EXPECTED,
  ruleSample: '12:00:00',
  schema: { type: 'string', pattern: HHMMSS.source, examples: ['09:30:00'] },
  columnType: () => 'time(0)',
  toColumn(field, input) {
    if (input === null || input === undefined || input === false || input === '') return null
    const time = read(input)
    if (time === undefined) throw invalidValue(field, EXPECTED)
    return time
  },
  operand: read,
  outward: (expression) => sql`to_char(${expression}, 'HH24:MI:SS')`,
  typedAs: 'text',
  fromColumn: (_field, stored) => (typeof stored === 'string' ? stored.slice(0, 8) : null),
}
