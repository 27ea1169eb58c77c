// What a form is to pay: open items in batches that one payment may settle, and what they come to in a
// currency on a day.

import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { ratesFor } from '../move/headers.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'

export const itemPaths = [
  'move_id.name',
  'move_id.ref',
  'move_id.payment_reference',
  'move_id.move_type',
  'partner_id',
  'account_id.account_type',
  'currency_id.rounding',
  'company_id',
  'company_currency_id.rounding',
  'balance',
  'amount_currency',
  'amount_residual',
  'amount_residual_currency',
  'discount_date',
  'discount_amount_currency',
  'discount_balance',
  'date_maturity',
] as const

export const loadItems = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.move.line')
    .browse(ids)
    .load([...itemPaths])
export type PayItem = Awaited<ReturnType<typeof loadItems>>[number]

export interface Batch {
  readonly items: readonly PayItem[]
  readonly partner: number | null
  readonly account: number
  readonly payment_type: 'inbound' | 'outbound'
  readonly partner_type: 'customer' | 'supplier'
  readonly currency: number
}

/** Which way the money goes: towards us where more is owed to us than we owe. */
export const directionOf = (items: readonly PayItem[]): 'inbound' | 'outbound' =>
  items.reduce((sum, one) => addDecimals(sum, one.amount_residual), 0) >= 0 ? 'inbound' : 'outbound'

/** Items of one partner, account and currency together: each batch goes its own way. */
export function batchesOf(items: readonly PayItem[]): Batch[] {
  const groups = Map.groupBy(
    items,
    (one) => `${one.partner_id?.id}/${one.account_id?.id}/${one.currency_id.id}`,
  )
  return [...groups.values()].map((group) => {
    const first = present(group[0])
    return {
      items: group,
      partner: first.partner_id?.id ?? null,
      account: present(first.account_id).id,
      payment_type: directionOf(group),
      partner_type: first.account_id?.account_type === 'liability_payable' ? 'supplier' : 'customer',
      currency: first.currency_id.id,
    }
  })
}

/** What items come to, as a positive amount for what goes the way of the payment. */
export interface Due {
  /** All of it. */
  readonly full: number
  /** Without the discounts of those who pay early. */
  readonly early: number
}

export interface Asked {
  readonly currency: number
  readonly step: number
  readonly date: string
}

/** Whether an item is paid early, in whole. */
export const isEarly = (item: PayItem, date: string): boolean =>
  item.discount_date !== null &&
  date <= item.discount_date &&
  item.amount_residual_currency === item.amount_currency

/** What items come to in a currency: their own, else the company's at the rate of the day. */
export async function dueOf(
  env: Environment,
  items: readonly PayItem[],
  { currency, step, date }: Asked,
): Promise<Due> {
  const atOf = (one: PayItem) => ({
    company: one.company_id?.id ?? 0,
    companyCurrency: one.company_currency_id?.id ?? 0,
    day: date,
  })
  // Items in the currency that is asked for need no rate, and none is read for them.
  const others = items.filter((one) => one.currency_id.id !== currency)
  const rates = await ratesFor(
    env,
    others.flatMap((one) => [
      { ...atOf(one), currency },
      { ...atOf(one), currency: one.currency_id.id },
    ]),
  )
  let [full, early] = [exact(0), exact(0)]
  for (const item of items) {
    const at = atOf(item)
    const convert = (own: number) => {
      if (item.currency_id.id === currency) return exact(own)
      const company = exact(own).div(exact(rates({ ...at, currency: item.currency_id.id })))
      return currency === at.companyCurrency ? company : company.times(exact(rates({ ...at, currency })))
    }
    const whole = convert(item.amount_residual_currency)
    full = full.plus(whole)
    early = early.plus(isEarly(item, date) ? convert(item.discount_amount_currency) : whole)
  }
  return {
    full: toNumber(roundTo(full.abs(), exact(step))),
    early: toNumber(roundTo(early.abs(), exact(step))),
  }
}
