// Any JSON value. A parameter is JSON text, which the statement casts to jsonb.
import { InvalidValue } from '../../errors.ts'
import { assertWithin } from '../../limits.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, nameOf, whole } from './shared.ts'

/** Escapes of NUL and of half surrogate pairs, after an even number of backslashes. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/** JSON text of a value. Throws InvalidValue for what jsonb cannot hold, PayloadTooLarge for a long one. */
export function jsonText(field: FieldDef, value: unknown): string {
  const text = JSON.stringify(value)
  if (text === undefined) throw invalidValue(field, 'JSON values')
  assertWithin('text', text.length)
  if (unstorable.test(text))
    throw new InvalidValue(`Wrong value for ${nameOf(field)}: a text in it cannot be stored.`)
  return text
}

/** The value of raw text from a jsonb column. */
export function fromJsonText(_field: FieldDef, value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : (value ?? null)
}

export const json: FieldType = {
  ...whole,
  kind: 'json',
  wireType: 'json',
  comparison: 'json',
  columnType: () => 'jsonb',
  toColumn: (field, value) =>
    value === null || value === undefined || value === false ? null : jsonText(field, value),
  isCachedVerbatim: true,
  fromColumn: fromJsonText,
}
