// Times of day, written `HH:MM:SS`, from midnight to the last second before the next.
import { sql } from '../../sql/index.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, value } from './shared.ts'

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
