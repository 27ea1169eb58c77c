// A reference to one record. As a column it is an id. Readers add display names, the engine creates
// recordsets.
import { InternalError } from '../../errors.ts'
import { isNothing, unquoted } from '../../kit/nothing.ts'
import type { FieldType } from '../language/field-type.ts'
import { selectionOf } from './choices.ts'
import { integer } from './numbers.ts'
import { INT32_MAX, invalidValue, nameOf, noRecord, value, whole } from './shared.ts'

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

// The records whose many2one refers to this record: no column, write/commands applies the commands.

export const one2many: FieldType = {
  ...whole,
  relation: 'many',
  kind: 'one2many',
  wireType: 'one2many',
  comparison: 'x2many',
  columnType: () => null,
  toColumn(field) {
    throw new InternalError(`${nameOf(field)} has no column.`)
  },
  unset: [],
}

// Records linked through a table of pairs, so there is no column.

export const many2many: FieldType = { ...one2many, kind: 'many2many', groups: true, wireType: 'many2many' }

// The id of a record whose model is in another field; an integer in every other respect.

export const many2oneReference: FieldType = {
  ...integer,
  kind: 'many2one_reference',
  isCachedVerbatim: false,
  plain: false,
  measure: 'value',
  expected: 'a record id',
  ruleSample: undefined,
  wireType: 'many2one_reference',
  comparison: 'integerReference',
}

// `model,id`: a record of any of the models that the field lists. Whether the record exists is not checked.

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
