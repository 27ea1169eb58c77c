// Decimal places of amounts and numbers.

import { literal, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { currencyOf, digitsOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'

/**
 * Decimal places of a number: those of its field, or of its record's currency. Null for numbers without
 * any, NULL where the record has no currency.
 */
export function decimalsOf(scope: Scope, field: FieldDef): Sql | null {
  if (field.kind !== 'monetary') {
    const digits = digitsOf(field)
    return digits ? literal(String(digits[1])) : null
  }
  const currency = scope.model.fields.get(currencyOf(field))
  if (currency?.kind !== 'many2one' || !scope.value(currency)) return raw('NULL')
  return sql`scale(trim_scale(${scope.join(currency).column('rounding')}))`
}
