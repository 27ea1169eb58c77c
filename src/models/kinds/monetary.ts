// Amounts of money. The engine rounds them where it knows the currency (`roundHalfUp` of kit/rounding.ts).

import type { FieldType } from '../language/field-type.ts'
import { amount, amountFrom } from './shared.ts'

export const monetary: FieldType = {
  ...amount,
  heldAsGiven: false,
  plain: false,
  kind: 'monetary',
  wireType: 'monetary',
  comparison: 'number',
  columnType: () => 'numeric',
  // Adding zero makes a negative zero an ordinary one.
  toColumn: (field, value) => amountFrom(field, value) + 0,
  typedAs: 'decimal',
}
