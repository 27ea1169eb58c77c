// Amounts of money. The engine rounds them where it knows the currency (`roundHalfUp` of kit/rounding.ts).

import type { FieldType } from '../language/field-type.ts'
import { amount, amountFrom } from './shared.ts'

export const monetary: FieldType = {
  ...amount,
  isCachedVerbatim: false,
  plain: false,
  kind: 'monetary',
  wireType: 'monetary',
  comparison: 'number',
  columnType: () => 'numeric',
  // Adding zero converts a negative zero.
  toColumn: (field, value) => amountFrom(field, value) + 0,
  typedAs: 'decimal',
}
