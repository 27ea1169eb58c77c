// Monetary amounts are kept rounded to their currency, half away from zero, in exact decimals
// (spec/models-api.md section 5, "Values").

import { decimalsOf, roundAsWritten } from '../../kit/rounding.ts'
import { id, idList, join, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { currencyOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { variantOf } from './cache-key.ts'
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
export function roundedIfCached(
  env: Environment,
  field: FieldDef,
  record: number,
  amount: number,
): number | undefined {
  return roundedBy(env, field, amount, (first) => env.unit.cache.of(first, variantOf(env, first)).get(record))
}

/**
 * Rounds amounts of rows that are about to be inserted, each field as far as the cache knows the currencies
 * of all rows. Gives the fields that it rounded.
 */
export function roundNew(
  env: Environment,
  fields: Iterable<FieldDef>,
  rows: readonly { readonly columns: Map<FieldDef, unknown> }[],
): ReadonlySet<FieldDef> {
  const settled = new Set<FieldDef>()
  for (const field of fields) {
    if (field.kind !== 'monetary' || !field.column || field.options.companyDependent) continue
    const amounts = rows.map(({ columns }) => {
      const amount = columns.get(field) ?? null
      if (typeof amount !== 'number') return amount === null ? null : undefined
      // A value that is not given is empty, unless it is computed once the row is there.
      return roundedBy(env, field, amount, (first) =>
        first.compute && !columns.has(first) ? undefined : (columns.get(first) ?? null),
      )
    })
    if (amounts.includes(undefined)) continue
    settled.add(field)
    for (const [i, amount] of amounts.entries()) if (amount !== null) rows[i]?.columns.set(field, amount)
  }
  return settled
}

/** An amount rounded to its currency; `firstOf`: where the first link on the way to that leads. */
function roundedBy(
  env: Environment,
  field: FieldDef,
  amount: number,
  firstOf: (first: FieldDef) => unknown,
): number | undefined {
  let [model, step]: [ModelDef | undefined, unknown] = [field.model, undefined]
  for (const name of currencyPath(field) ?? []) {
    const next: FieldDef | undefined = model?.fields.get(name)
    if (!next?.column || next.options.companyDependent) return undefined
    step =
      step === undefined ? firstOf(next) : env.unit.cache.of(next, variantOf(env, next)).get(step as number)
    // Without a currency an amount stays what it is.
    if (step === null) return amount
    if (typeof step !== 'number') return undefined
    model = next.comodel
  }
  const scale = typeof step === 'number' && step > 0 ? decimalsOf(step) : -1
  return step === Number(`1e-${scale}`) ? (roundAsWritten(amount, scale) ?? undefined) : undefined
}

/** Rounds what was just written into monetary columns among `fields`, by one statement. */
export function roundMonetary(env: Environment, model: ModelDef, fields: Iterable<FieldDef>, ids: Ids): void {
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
