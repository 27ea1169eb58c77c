// Conditions on values by company, narrowed in a form that their index knows.
import type { Sql } from '../../sql/index.ts'
import { or, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf } from '../language/tree.ts'
import { companyDefault } from '../row/company-values.ts'
import { type Compared, isEquality } from './operators.ts'

/** More values than this are looked for without the index. */
const MOST = 50

/** True of every row that can equal the given texts; TRUE where the index does not help. */
export function ofCompany(scope: Scope, field: FieldDef, operator: Compared, { value }: Leaf): Sql {
  if (!field.column || !field.options.companyDependent || !field.options.index) return TRUE
  if (!isEquality(operator) || companyDefault(scope.env, field) !== null) return TRUE
  const wanted = [value].flat()
  if (wanted.length === 0 || wanted.length > MOST || wanted.some((one) => !one)) return TRUE
  const held = (one: unknown) => JSON.stringify({ [scope.env.companyId]: String(one) })
  return or(wanted.map((one) => sql`${scope.column(field.name)} @> ${held(one)}::jsonb`))
}
