// Conditions on kinds whose values are texts in an order of their own (`operand` of the kind): times of day,
// and what may come.
import type { Sql } from '../../sql/index.ts'
import { decisive, FALSE, or, raw, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Leaf } from '../language/tree.ts'
import { isPattern, operandsOf, type Positive } from './operators.ts'
import { refused } from './refusal.ts'
import { comparePattern, isIndexed, oneOf, whenSet } from './text.ts'

/** The right side of a condition on an ordered kind. Throws InvalidValue for what is no value of the kind. */
export function operandOf(field: FieldDef, value: unknown, leaf: Leaf): string {
  const operand = field.type.operand?.(value)
  if (operand === undefined)
    throw refused(
      leaf,
      `a ${field.kind} is compared with ${field.type.expected ?? `values of ${field.kind}`}`,
    )
  return operand
}

/** Unset equals nothing but `false`, and has no place in the order. */
export function compareOrdered(field: FieldDef, expression: Sql, operator: Positive, leaf: Leaf): Sql {
  const isUnset = sql`${expression} IS NULL`
  if (isPattern(operator)) return comparePattern(sql`${expression}::text`, operator, leaf, isUnset)
  const type = field.type.columnType(field) ?? 'text'
  if (operator === '=' || operator === 'in') {
    const values = operandsOf(operator, leaf.value)
    const operands = values.filter((value) => value !== false).map((value) => operandOf(field, value, leaf))
    return or([oneOf(expression, operands, type, isIndexed(field)), values.includes(false) ? isUnset : FALSE])
  }
  if (leaf.value === false) return FALSE
  return whenSet(
    expression,
    sql`${expression} ${raw(operator)} ${decisive(operandOf(field, leaf.value, leaf))}::${raw(type)}`,
  )
}
