// The id of a record whose model is in another field; an integer in every other respect.

import type { FieldType } from '../language/field-type.ts'
import { integer } from './integer.ts'

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
