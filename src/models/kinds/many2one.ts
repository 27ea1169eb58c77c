// A reference to one record. As a column it is an id. Readers add display names, the engine creates
// recordsets.
import { isNothing, unquoted } from '../../kit/nothing.ts'
import type { FieldType } from '../language/field-type.ts'
import { INT32_MAX, invalidValue, noRecord, value } from './shared.ts'

export const many2one: FieldType = {
  ...value,
  relation: 'one',
  ruleSample: 1,
  kind: 'many2one',
  wireType: 'many2one',
  comparison: 'many2one',
  columnType: () => 'int4',
  /**
   * An id, or null; text of digits is an id too. Throws InvalidValue for values that are not ids,
   * ValidationError for ids that no record can have.
   */
  toColumn(field, input) {
    const value = unquoted(input)
    if (isNothing(value) || value === 0) return null
    if (typeof value !== 'number' || !Number.isInteger(value)) throw invalidValue(field, 'the id of a record')
    if (value < 1 || value > INT32_MAX) throw noRecord(field, value)
    return value
  },
  typedAs: 'record',
  direct: 'value',
}
