// The records whose many2one refers to this record: no column, write/commands applies the commands.
import { InternalError } from '../../errors.ts'
import type { FieldType } from '../language/field-type.ts'
import { nameOf, whole } from './shared.ts'

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
