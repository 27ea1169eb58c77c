// Random orders of tills: their lines, payments, returns and invoices.
import fc from 'fast-check'
import {
  documentTotals,
  exact,
  loadGroupedTaxes,
  roundTo,
  toNumber,
} from '../../src/modules/account/index.ts'
import type { Till } from '../support/till.ts'
import { decimal } from './holds.ts'

/** Records that random orders choose from. */
export interface Goods {
  readonly products: readonly number[]
  readonly taxes: readonly number[]
  readonly customers: readonly number[]
  readonly coins: number
  /** Money of cards that waits for the bank: named, so that what is given back in sum is booked as well. */
  readonly waiting: number
  readonly foreign: number
}

export const anyLine = fc.record({
  product: fc.nat({ max: 3 }),
  qty: fc.oneof(fc.integer({ min: 1, max: 4 }), decimal(1, 5, 2)),
  price: decimal(1, 120, 3),
  discount: fc.oneof(fc.constant(0), decimal(0, 60, 1)),
  taxes: fc.subarray([0, 1, 2, 3, 4], { maxLength: 3 }),
})

const sale = fc.record({
  lines: fc.array(anyLine, { minLength: 1, maxLength: 3 }),
  payment: fc.constantFrom('cash', 'card', 'both', 'account', 'named'),
  /** Cash is given in notes of ten, and change comes back. */
  change: fc.boolean(),
  later: fc.boolean(),
  customer: fc.nat({ max: 1 }),
  /** The part of the lines that comes back. */
  back: fc.constantFrom('nothing', 'all', 'some'),
  backBy: fc.constantFrom('cash', 'card'),
  invoiced: fc.boolean(),
  creditNoted: fc.boolean(),
  tip: fc.oneof(fc.constant(0), decimal(1, 5, 2)),
})
/** A tip is one more thing that is sold. */
export const anySale = sale.map(({ tip, ...order }) => ({
  ...order,
  lines:
    tip === 0 ? order.lines : [...order.lines, { product: 1, qty: 1, price: tip, discount: 0, taxes: [] }],
}))
export type Sale = typeof anySale extends fc.Arbitrary<infer T> ? T : never

export async function openGoods(till: Till): Promise<Goods> {
  const all = (model: string, vals_list: readonly object[]) =>
    till.ask<number[]>(`${model}/create`, { vals_list })
  const taxes = await all('account.tax', [
    { name: 'Till 21', amount: 21 },
    { name: 'Till 7.7 within', amount: 7.7, price_include_override: 'tax_included' },
    { name: 'Till base', amount: 4, include_base_amount: true, sequence: 0 },
    { name: 'Till piece', amount: 0.35, amount_type: 'fixed' },
    { name: 'Till part', amount: 3, type_tax_use: 'none' },
  ])
  const [, , , , part] = taxes
  const [group] = await all('account.tax', [
    { name: 'Till group', amount_type: 'group', children_tax_ids: [[6, 0, [part]]] },
  ])
  // Costs in whole units come to the same, whether an entry rounds lines or orders.
  const [perpetual] = await all('product.category', [
    { name: 'Valued goods', property_valuation: 'real_time', property_cost_method: 'standard' },
  ])
  const products = await all(
    'product.product',
    Array.from({ length: 4 }, (_, n) => ({
      name: `Sold ${n}`,
      type: n % 2 ? 'service' : 'consu',
      ...(n === 2 ? { is_storable: true, categ_id: perpetual, standard_price: 3 } : {}),
      list_price: 10,
      available_in_pos: true,
      taxes_id: [[5]],
    })),
  )
  const income = await till.make('account.account', { name: 'Coins', code: 'COINPR', account_type: 'income' })
  const coins = await till.make('account.cash.rounding', {
    name: 'Coins',
    rounding: 0.05,
    profit_account_id: income,
    loss_account_id: income,
  })
  const waiting = await till.make('account.account', {
    name: 'Terminals',
    code: 'TERMPR',
    account_type: 'asset_current',
    reconcile: true,
  })
  const foreign = await till.make('res.currency', { name: 'TLC', symbol: 't', rounding: 0.01 })
  await till.make('res.currency.rate', { currency_id: foreign, name: '2025-01-01', rate: 1.3137 })
  const customers = await all('res.partner', [{ name: 'Customer A' }, { name: 'Customer B' }])
  return { products, taxes: [...taxes.slice(0, 4), group as number], customers, coins, waiting, foreign }
}

export interface Figures {
  readonly total: number
  readonly tax: number
  readonly lines: readonly { readonly untaxed: number; readonly total: number }[]
}

export type Priced = {
  readonly price: number
  readonly qty: number
  readonly discount: number
  readonly taxes: readonly number[]
}

/** Totals that tills send for each list of lines. */
export const figuresOf = (till: Till, goods: Goods, orders: readonly (readonly Priced[])[]) =>
  till.run(async (env): Promise<Figures[]> => {
    const taxesOf = await loadGroupedTaxes(env, goods.taxes)
    const { tax_calculation_rounding_method: method } = await env
      .model('res.company')
      .browse([env.companyId])
      .one(['tax_calculation_rounding_method'])
    return orders.map((lines) => {
      const totals = documentTotals(
        lines.map(({ price, qty, discount, taxes }) => ({
          priceUnit: price,
          quantity: qty,
          discount,
          ...taxesOf(taxes.map((at) => goods.taxes[at] as number)),
        })),
        { rounding: 0.01, method },
      )
      return {
        total: totals.total,
        tax: totals.tax,
        lines: totals.lines.map(({ untaxed, total }) => ({ untaxed, total })),
      }
    })
  })

/** An amount in coins of five cents. */
export const inFives = (amount: number): number => toNumber(roundTo(exact(amount), exact(0.05)))
