// Whole numbers of 32 bits. Never set is NULL in the column and 0 everywhere else.
import { integerFrom, jsonOrZero, orZero } from './shared.ts'
import type { FieldType } from './type.ts'

export const integer: FieldType = {
  kind: 'integer',
  wireType: 'integer',
  comparison: 'number',
  columnType: () => 'int4',
  toColumn: integerFrom,
  toJson: (_field, expression) => jsonOrZero(expression),
  unset: 0,
  fromColumn: orZero,
  toWire: orZero,
}
