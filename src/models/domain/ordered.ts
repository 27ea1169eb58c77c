// Conditions on kinds whose values are texts in an order of their own (`operand` of the kind): times of day,
// and what may come.
import type { Sql } from '../../sql/index.ts'
import { sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Leaf } from '../language/tree.ts'
import type { Compared } from './operators.ts'
import { invalidCondition } from './refusal.ts'
import { compareSet, isIndexed } from './text.ts'

/** The right side of a condition on an ordered kind. Throws InvalidValue for what is no value of the kind. */
export function operandOf(field: FieldDef, value: unknown, leaf: Leaf): string {
  const operand = field.type.operand?.(value)
  if (operand === undefined)
    throw invalidCondition(
      leaf,
      `a ${field.kind} is compared with ${field.type.expected ?? `values of ${field.kind}`}`,
    )
  return operand
}

export const compareOrdered = (field: FieldDef, expression: Sql, operator: Compared, leaf: Leaf): Sql =>
  compareSet(expression, operator, leaf, {
    type: field.type.columnType(field) ?? 'text',
    text: sql`${expression}::text`,
    read: (value) => operandOf(field, value, leaf),
    indexed: isIndexed(field),
  })
