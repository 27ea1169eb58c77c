// Values that are given, compared with those that a record has.
import { canonical } from '../../kit/canonical.ts'
import { isMarkup } from '../kinds/cleaning.ts'
import type { FieldDef } from '../language/definitions.ts'

/** Whether a value, as it would be stored, is what code reads of the record (`now`). */
export function matchesStored(field: FieldDef, value: unknown, now: unknown): boolean {
  // Markup is compared as it comes: callers clean it before.
  const column = isMarkup(field, value) ? value : field.type.toColumn(field, value)
  const read = field.kind === 'binary' ? column : field.type.fromColumn(field, column)
  if (typeof read === 'object' && read !== null) return canonical(read) === canonical(now ?? null)
  return (read ?? null) === (now ?? field.type.fromColumn(field, null) ?? null)
}
