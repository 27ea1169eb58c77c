// Fields for tests of field types, without a registry.
import type { FieldKind } from '../../src/models/contract/field.ts'
import type { FieldOptions } from '../../src/models/contract/field-options.ts'
import { fieldTypes } from '../../src/models/kinds/index.ts'
import type { FieldDef } from '../../src/models/language/definitions.ts'

/** A field `sample` of the model `x.model`, with the properties that field types use. */
export function sample(kind: FieldKind, options: FieldOptions = {}): FieldDef {
  const parts = {
    name: 'sample',
    kind,
    options,
    model: { name: 'x.model' },
    type: fieldTypes[kind],
    translate: options.translate ?? false,
  }
  return parts as unknown as FieldDef
}

/** Converts a value to the column's value. */
export function storeSample(field: FieldDef, value: unknown): unknown {
  return field.type.toColumn(field, value)
}

/** Converts a column's value to code, and then to the wire form. */
export function roundTrip(field: FieldDef, column: unknown): unknown {
  return field.type.toWire(field, field.type.fromColumn(field, column))
}
