// Numbers with a fraction: exact decimals if the field has digits (0: all decimals), binary numbers
// otherwise.
import { roundToScale } from '../../kit/rounding.ts'
import type { FloatDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { amount, amountFrom, integerFrom, numberFrom } from './shared.ts'

export const float: FieldType = {
  ...amount,
  kind: 'float',
  wireType: 'float',
  comparison: 'number',
  columnType: (field: FloatDef) => ((field.options.digits ?? false) === false ? 'float8' : 'numeric'),
  toColumn(field: FloatDef, value) {
    const { digits } = field.options
    const number = digits === undefined ? numberFrom(field, value, false) : amountFrom(field, value)
    // Adding zero converts a negative zero.
    return digits ? roundToScale(number, digits[1]) : number + 0
  },
  typedAs: 'decimal',
}

// Whole numbers of 32 bits. Unset is NULL in the column and 0 elsewhere.

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

// Amounts of money. The engine rounds them where it knows the currency (`roundHalfUp` of kit/rounding.ts).

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
