// Text of any number of lines.
import { char } from './char.ts'
import type { FieldType } from './type.ts'

export const text: FieldType = { ...char, kind: 'text', wireType: 'text' }
