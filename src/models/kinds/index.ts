// Entry file of the folder: the table of field types, and the PostgreSQL type of a field's column.
import type { FieldKind } from '../contract/field.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { binary } from './binary.ts'
import { boolean, selection } from './choices.ts'
import { json, properties, propertiesDefinition } from './json.ts'
import { date, datetime, time } from './moments.ts'
import { float, integer, monetary } from './numbers.ts'
import { many2many, many2one, many2oneReference, one2many, reference } from './relations.ts'
import { char, html, text } from './texts.ts'

export type { FieldType } from '../language/field-type.ts'
export { selectionOf } from './choices.ts'

/** Implementations by field type. */
export const fieldTypes: Readonly<Record<FieldKind, FieldType>> = {
  char,
  text,
  html,
  integer,
  float,
  monetary,
  boolean,
  date,
  datetime,
  time,
  binary,
  selection,
  reference,
  many2one,
  many2one_reference: many2oneReference,
  one2many,
  many2many,
  json,
  properties,
  properties_definition: propertiesDefinition,
}

/**
 * PostgreSQL type of a field's column, or null if its type has none. Translated texts are an object by
 * language, company-dependent fields an object by company.
 */
export function columnTypeOf(field: FieldDef): string | null {
  const type = field.type.columnType(field)
  if (type === null) return null
  return field.translate || field.options.companyDependent ? 'jsonb' : type
}
