// Numbers with a fraction: exact decimals when the field has digits (0: every one of them), binary ones
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
    // Adding zero makes a negative zero an ordinary one.
    return digits ? roundToScale(number, digits[1]) : number + 0
  },
  typedAs: 'decimal',
}
