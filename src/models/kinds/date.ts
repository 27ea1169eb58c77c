// Days, written `YYYY-MM-DD`, years 0001 to 9999.
import { isDate } from '../../kit/dates.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, value } from './shared.ts'

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
