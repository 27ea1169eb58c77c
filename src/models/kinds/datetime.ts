// Moments in UTC, written `YYYY-MM-DD HH:MM:SS`. The column may have fractions of a second, which are
// never returned.
import { isMoment } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, value } from './shared.ts'
import { momentSql } from './typed.ts'

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
