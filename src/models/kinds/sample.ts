// Made-up fields for the tests of this folder, without a registry around them.
import type { FieldKind } from '../contract/field.ts'
import type { FieldOptions } from '../contract/field-options.ts'
import type { FieldDef } from '../language/definitions.ts'
import { fieldTypes } from './index.ts'

/** A field `sample` of the model `x.model`; only what kinds look at is there. */
export function sample(kind: FieldKind, options: FieldOptions = {}): FieldDef {
  const known = {
    name: 'sample',
    kind,
    options,
    model: { name: 'x.model' },
    type: fieldTypes[kind],
    translate: options.translate ?? false,
  }
  return known as unknown as FieldDef
}

/** What a kind stores for a value. */
export function store(field: FieldDef, value: unknown): unknown {
  return field.type.toColumn(field, value)
}

/** What a column's content is on the wire, by way of code. */
export function roundTrip(field: FieldDef, column: unknown): unknown {
  return field.type.toWire(field, field.type.fromColumn(field, column))
}
