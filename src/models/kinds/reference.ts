// `model,id`: a record of any of the models that the field lists. Whether the record exists is not
// checked.

import type { FieldType } from '../language/field-type.ts'
import { selectionOf } from './selection.ts'
import { INT32_MAX, invalidValue, value } from './shared.ts'

const shape = /^([a-z0-9_.]+),([1-9]\d{0,9})$/

export const reference: FieldType = {
  ...value,
  plain: false,
  isText: true,
  kind: 'reference',
  wireType: 'reference',
  comparison: 'reference',
  columnType: () => 'text',
  toColumn(field, value) {
    if (value === null || value === undefined || value === false || value === '') return null
    const [, model = '', id = ''] = (typeof value === 'string' && shape.exec(value)) || []
    if (!Object.hasOwn(selectionOf(field), model) || Number(id) > INT32_MAX)
      throw invalidValue(field, '"model,id" of one of its models')
    return value
  },
  typedAs: 'reference',
}
