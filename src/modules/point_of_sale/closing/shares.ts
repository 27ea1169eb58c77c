// Amounts of orders in the books: sales by account and taxes, taxes by their parts, each order rounded
// as a separate document.

import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import {
  accountsOf,
  documentTotals,
  exact,
  type GroupedTaxes,
  laterAffectedTaxes,
  loadGroupedTaxes,
  mapAccounts,
  mapTaxes,
  shareOut,
  type TaxPart,
  taxParts,
  toNumber,
} from '../../account/index.ts'
import type { SoldLine, SoldOrder } from './sales.ts'

/** A part of an order in the books; amounts are debits where positive, in the currency of the order. */
export interface Share {
  readonly order: SoldOrder
  readonly line: SoldLine
  readonly kind: 'sale' | 'tax'
  readonly account: number
  readonly taxes: readonly number[]
  readonly tax: number | null
  readonly part: number | null
  /** The group of taxes that the tax came with. */
  readonly group: number | null
  readonly amount: number
  /** Of a tax: what it is levied on, positive for goods that were sold (recorded). */
  readonly base: number
  /** Goods that came back are booked apart from those that were sold. */
  readonly isRefund: boolean
}

interface Rules {
  readonly rounding: number
  readonly method: 'round_per_line' | 'round_globally'
}

interface Means {
  readonly taxIds: (position: number | null, ids: readonly number[]) => readonly number[]
  readonly taxesOf: (ids: readonly number[]) => GroupedTaxes
  readonly accountOf: (position: number | null, product: number) => number | undefined
  readonly partsOf: (tax: number, isRefund: boolean) => readonly TaxPart[]
}

/** Taxes, accounts and parts of all orders at hand: a few statements for each fiscal position among them. */
async function loadMeans(env: Environment, orders: readonly SoldOrder[]): Promise<Means> {
  const lines = orders.flatMap((order) => order.lines)
  const accounts = await accountsOf(env, [...new Set(lines.map(({ product }) => product))], 'income')
  const positions = [...new Set(orders.map(({ position }) => position))]
  const maps = new Map<
    number | null,
    { taxes: (ids: readonly number[]) => number[]; account: (id: number) => number }
  >()
  for (const position of positions)
    maps.set(position, { taxes: await mapTaxes(env, position), account: await mapAccounts(env, position) })
  const taxIds = (position: number | null, ids: readonly number[]) => maps.get(position)?.taxes(ids) ?? ids
  const all = [
    ...new Set(
      orders.flatMap(({ position, lines: orderLines }) =>
        orderLines.flatMap(({ taxes }) => taxIds(position, taxes)),
      ),
    ),
  ]
  const taxesOf = await loadGroupedTaxes(env, all)
  const parts = await taxParts(
    env,
    all.flatMap((id) => taxesOf([id]).taxes.map((tax) => tax.id)),
  )
  return {
    taxIds,
    taxesOf,
    accountOf: (position, product) => {
      const account = accounts.get(product)
      return account === undefined ? undefined : (maps.get(position)?.account(account) ?? account)
    },
    partsOf: (tax, isRefund) => parts.get(`${tax}/${isRefund ? 'refund' : 'invoice'}`)?.parts ?? [],
  }
}

/** The shares of each order. Throws UserError for products without an income account. */
export async function sharesOf(
  env: Environment,
  orders: readonly SoldOrder[],
  rules: Rules,
): Promise<Share[]> {
  const means = await loadMeans(env, orders)
  const step = exact(rules.rounding)
  return orders.flatMap((order) => sharesOfOrder(order, rules, means, step))
}

function sharesOfOrder(
  order: SoldOrder,
  rules: Rules,
  means: Means,
  step: ReturnType<typeof exact>,
): Share[] {
  const taxed = order.lines.map((line) => {
    const ids = means.taxIds(order.position, line.taxes)
    return {
      ids,
      priceUnit: line.price,
      quantity: line.qty,
      discount: line.discount,
      ...means.taxesOf(ids),
    }
  })
  const totals = documentTotals(taxed, rules)
  return order.lines.flatMap((line, i): Share[] => {
    const { ids = [], taxes = [], groupOf } = taxed[i] ?? {}
    const settled = totals.lines[i]?.settled
    const account = means.accountOf(order.position, line.product)
    if (!settled || account === undefined)
      throw new UserError(
        `${line.name || 'A product'} has no income account: set one on the product or its category.`,
      )
    const isRefund = line.qty < 0
    const common = { order, line, isRefund }
    const sale: Share = {
      ...common,
      kind: 'sale',
      account,
      taxes: ids,
      tax: null,
      part: null,
      group: null,
      amount: -settled.untaxed,
      base: 0,
    }
    const ofTaxes = settled.taxes.flatMap((total): Share[] => {
      const tax = present(taxes.find((tax) => tax.id === total.taxId))
      return shareOut(exact(total.amount), means.partsOf(tax.id, isRefund), total.reverseCharge, step).map(
        ({ part, amount }) => ({
          ...common,
          kind: 'tax',
          account: part.account ?? account,
          taxes: laterAffectedTaxes(tax, [...taxes]).toSorted((a, b) => a - b),
          tax: tax.id,
          part: part.id,
          group: groupOf?.(tax.id) ?? null,
          amount: -toNumber(amount),
          base: total.base,
        }),
      )
    })
    return [sale, ...ofTaxes]
  })
}
