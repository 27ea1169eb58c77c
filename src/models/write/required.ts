// Refusals of required fields without a value.

import { ValidationError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Sorted } from '../row/destinations.ts'
import { perModel } from '../unit/per-model.ts'

/** Columns of a model that must have a value. */
const requiredColumns = perModel((model) =>
  [...model.fields.values()].filter((field) => field.required && field.column),
)

/** Throws ValidationError about the first of them, with the places of all. */
export function assertRequired(model: ModelDef, sorted: readonly Sorted[]): void {
  const fields = requiredColumns(model)
  const lacks = ({ columns }: Sorted, field: FieldDef) => {
    if (field.type.filled || (field.compute && !columns.has(field))) return false
    return (columns.get(field) ?? null) === null
  }
  const first = sorted.findIndex((values) => fields.some((field) => lacks(values, field)))
  if (first < 0) return
  const rows = sorted.flatMap((values, row) =>
    fields.filter((field) => lacks(values, field)).map((field) => [row, field] as const),
  )
  throw missing(present(rows[0]?.[1]), rows)
}

/** The refusal of an empty required field; `rows` are all places where one is empty. */
export function missing(
  field: FieldDef,
  rows: readonly (readonly [row: number, field: FieldDef])[] = [],
): ValidationError {
  return new ValidationError(
    `Missing required value for the field '${field.label}' (${field.name}) of ${field.model.label} (${field.model.name}).`,
    {
      code: 'required_field',
      about: {
        model: field.model.name,
        field: field.name,
        rows: rows.slice(0, MOST_ROWS).map(([row, { name }]) => [row, name] as const),
      },
    },
  )
}

/** Places that a refusal names. */
const MOST_ROWS = 100
