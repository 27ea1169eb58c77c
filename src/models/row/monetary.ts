// Monetary amounts are kept rounded to their currency, half away from zero, in exact decimals
// (spec/models-api.md section 5, "Values").

import { decimalsOf, roundAsWritten } from '../../kit/rounding.ts'
import { id, idList, join, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { currencyOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { variantOf } from './held.ts'
import { scopeOver } from './scope.ts'

/** `amount` rounded to the currency of the scope's record; as it is where the record has none. */
export function roundedAmount(scope: Scope, field: FieldDef, amount: Sql): Sql {
  const currency = scope.model.fields.get(currencyOf(field))
  if (currency?.kind !== 'many2one' || !scope.value(currency)) return amount
  const rounding = scope.join(currency).column('rounding')
  return sql`COALESCE(round(${amount} / NULLIF(${rounding}, 0)) * ${rounding}, ${amount})`
}

/** The path from a record to what its amounts are multiples of; null where there is no currency. */
export function currencyPath(field: FieldDef): readonly string[] | null {
  const currency = field.model.fields.get(currencyOf(field))
  if (currency?.kind !== 'many2one') return null
  if (currency.column) return [currency.name, 'rounding']
  return currency.related && !currency.compute ? [...currency.related, 'rounding'] : null
}

/**
 * An amount as the table will hold it, where the cache knows the record's currency and that it is rounded to
 * decimals; undefined elsewhere.
 */
export function knownRounded(
  env: Environment,
  field: FieldDef,
  record: number,
  amount: number,
): number | undefined {
  let [model, id, step]: [ModelDef | undefined, number, unknown] = [field.model, record, undefined]
  for (const name of currencyPath(field) ?? []) {
    const next: FieldDef | undefined = model?.fields.get(name)
    if (!next?.column || next.options.companyDependent) return undefined
    step = env.unit.cache.of(next, variantOf(env, next)).get(id)
    // Without a currency an amount stays what it is.
    if (step === null) return amount
    if (typeof step !== 'number') return undefined
    ;[model, id] = [next.comodel, step]
  }
  const scale = typeof step === 'number' && step > 0 ? decimalsOf(step) : -1
  return step === Number(`1e-${scale}`) ? (roundAsWritten(amount, scale) ?? undefined) : undefined
}

/**
 * Rounds what was just written into monetary columns: one statement, and none when there is no such column
 * among `fields`.
 */
export function roundMonetary(
  env: Environment,
  model: ModelDef,
  fields: Iterable<FieldDef>,
  ids: readonly number[],
): void {
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
