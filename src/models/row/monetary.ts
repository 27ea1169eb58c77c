// Monetary amounts are kept rounded to their currency, half away from zero, in exact decimals
// (spec/models-api.md section 5, "Values").

import { id, idList, join, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Scope } from '../language/scope.ts'
import { scopeOver } from './scope.ts'

/** `amount` rounded to the currency of the scope's record; as it is where the record has none. */
export function roundedAmount(scope: Scope, field: FieldDef, amount: Sql): Sql {
  const currency = scope.model.fields.get(field.options.currency ?? 'currency_id')
  if (currency?.kind !== 'many2one' || !scope.value(currency)) return amount
  const rounding = scope.join(currency).column('rounding')
  return sql`COALESCE(round(${amount} / NULLIF(${rounding}, 0)) * ${rounding}, ${amount})`
}

/**
 * Rounds what was just written into monetary columns: one statement, and none when there is no such column
 * among `fields`.
 */
export async function roundMonetary(
  env: Environment,
  model: ModelDef,
  fields: Iterable<FieldDef>,
  ids: readonly number[],
): Promise<void> {
  const amounts = [...fields].filter(
    (field) => field.kind === 'monetary' && field.column && !field.options.companyDependent,
  )
  if (amounts.length === 0) return
  const scope = scopeOver(env.sudo(), model)
  const values = amounts.map(
    (field) => sql`${roundedAmount(scope, field, scope.column(field.name))} AS ${id(field.name)}`,
  )
  const source = sql`SELECT ${join([scope.id, ...values])} FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList(ids)})`
  const column = (alias: string, field: FieldDef) => raw(`${alias}."${field.name}"`)
  env.unit.send(
    sql`UPDATE ${id(model.table)} AS m SET ${join(amounts.map((f) => sql`${id(f.name)} = s.${id(f.name)}`))} FROM (${source}) AS s
      WHERE m."id" = s."id" AND (${join(
        amounts.map((f) => sql`${column('m', f)} IS DISTINCT FROM ${column('s', f)}`),
        ' OR ',
      )})`,
  )
}
