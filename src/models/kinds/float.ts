// Numbers with a fraction: exact decimals if the field has digits (0: all decimals), binary numbers
// otherwise.
import { roundToScale } from '../../kit/rounding.ts'
import type { FloatDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { amount, amountFrom, numberFrom } from './shared.ts'

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
