// Text of any number of lines.

import type { FieldType } from '../language/field-type.ts'
import { char } from './char.ts'

export const text: FieldType = { ...char, kind: 'text', wireType: 'text' }
