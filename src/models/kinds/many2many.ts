// Records linked through a table of pairs, so there is no column.

import type { FieldType } from '../language/field-type.ts'
import { one2many } from './one2many.ts'

export const many2many: FieldType = { ...one2many, kind: 'many2many', groups: true, wireType: 'many2many' }
