// Whole numbers of 32 bits. Unset is NULL in the column and 0 elsewhere.

import type { FieldType } from '../language/field-type.ts'
import { amount, integerFrom } from './shared.ts'

export const integer: FieldType = {
  ...amount,
  expected: 'a whole number',
  kind: 'integer',
  wireType: 'integer',
  comparison: 'number',
  columnType: () => 'int4',
  toColumn: integerFrom,
  direct: 'value',
}
