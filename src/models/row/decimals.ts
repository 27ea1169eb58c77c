// How many digits behind the point amounts and numbers are told with.

import { literal, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { currencyOf, digitsOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'

/**
 * Digits behind the point that a number is told with: of its field, or its record's currency. Null for
 * numbers without such, NULL where the record has no currency.
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
