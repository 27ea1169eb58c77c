// The id of a record whose model stands in another field; an integer in every other respect.
import { integer } from './integer.ts'
import type { FieldType } from './type.ts'

export const many2oneReference: FieldType = {
  ...integer,
  kind: 'many2one_reference',
  wireType: 'many2one_reference',
  comparison: 'integerReference',
}
