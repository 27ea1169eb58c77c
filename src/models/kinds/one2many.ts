// The records whose many2one leads here: no column, commands go through write/commands.ts.
import { InternalError } from '../../errors.ts'
import type { FieldType } from '../language/field-type.ts'
import { jsonOrEmpty, nameOf, whole } from './shared.ts'

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
  /** The expression is an array of ids. */
  toJson: (_field, expression) => jsonOrEmpty(expression),
  unset: false,
  fromColumn: (_field, value) => value ?? [],
  toWire: (_field, value) => value ?? [],
}
