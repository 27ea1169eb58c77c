// Discounts as lines of an order: what goes off is shared out over the combinations of taxes, each on a line
// with these taxes.

import type { Records, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import type { Rounded } from '../account/index.ts'
import { type PricedLine, pricedPaths, type TotalsOf, totalsFor } from './amounts.ts'

type Order = Records<'sale.order'>

/** What goes off: a share of what the order comes to now, or a sum with taxes, in the order's currency. */
export type Off = { readonly share: number } | { readonly sum: number }

/** Lines with the same taxes, and what they come to before rounding, as their prices say. */
interface Group {
  readonly taxes: readonly number[]
  readonly names: readonly string[]
  readonly price: number
}

/** The product of discount lines; the company gets one when it has none. */
async function discountProduct(order: Order, company: number): Promise<number> {
  const su = order.env.sudo().withCompany(company)
  const own = su.model('res.company').browse([company])
  const { sale_discount_product_id: known } = await own.one(['sale_discount_product_id'])
  if (known) return known.id
  const template = await su.model('product.template').create([
    {
      name: 'Discount',
      type: 'service',
      invoice_policy: 'order',
      list_price: 0,
      company_id: company,
      taxes_id: [[5]],
      purchase_ok: false,
    },
  ])
  const { product_variant_ids: made } = await template.one(['product_variant_ids'])
  const product = present(made[0]).id
  await own.write({ sale_discount_product_id: product })
  return product
}

/** Adds the lines, under the caller's rights. Nothing is added where there is nothing to take off from. */
export async function addDiscountLines(order: Order, off: Off): Promise<void> {
  const { env } = order
  const { company_id: company, currency_id: currency } = await order.one(['company_id', 'currency_id'])
  const lines = await env
    .sudo()
    .model('sale.order.line')
    .search([
      ['order_id', '=', order.ensureOne()],
      ['display_type', '=', false],
      ['is_downpayment', '=', false],
    ])
  const priced = await lines.load([
    ...pricedPaths.filter((path) => path !== 'tax_ids'),
    'tax_ids.name',
    'tax_ids.amount_type',
  ])
  const by: Rounded = { company: company.id, currency: currency?.id ?? null }
  const totals = await totalsFor(env, priced, [by])
  const groups = groupsOf(priced)
  const prices =
    'share' in off
      ? groups.map((group) => asDecimal(-group.price * off.share))
      : sumOff(priced, groups, off.sum, totals, by)
  const product_id = await discountProduct(order, company.id)
  const title = 'share' in off ? `Discount ${Number((off.share * 100).toFixed(2))}%` : 'Discount'
  const vals = groups.flatMap((group, i): Vals<'sale.order.line'>[] => {
    if (!prices[i]) return []
    const name =
      groups.length > 1 && group.names.length ? `${title}, on products with ${group.names.join(', ')}` : title
    return [
      {
        order_id: order.ensureOne(),
        product_id,
        name,
        sequence: 999,
        product_uom_qty: 1,
        price_unit: prices[i] as number,
        discount: 0,
        tax_ids: [[6, 0, group.taxes]],
      },
    ]
  })
  if (vals.length) await env.model('sale.order.line').create(vals)
}

interface Line extends PricedLine {
  readonly tax_ids: readonly { readonly id: number; readonly name: string; readonly amount_type: string }[]
}

/** Fixed taxes are for pieces, and discounts are none. */
function groupsOf(lines: readonly Line[]): Group[] {
  const shared = (one: Line) => one.tax_ids.filter((tax) => tax.amount_type !== 'fixed')
  const groups = Map.groupBy(lines, (one) =>
    shared(one)
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join(),
  )
  return [...groups.values()].map((group) => {
    const taxes = shared(present(group[0]))
    const price = group.reduce(
      (sum, one) => sum + one.price_unit * one.product_uom_qty * (1 - one.discount / 100),
      0,
    )
    return { taxes: taxes.map(({ id }) => id), names: taxes.map(({ name }) => name), price }
  })
}

/** Prices that take `sum` off the total, to the cent: what rounding leaves goes to the largest. */
function sumOff(
  lines: readonly PricedLine[],
  groups: readonly Group[],
  sum: number,
  totals: TotalsOf,
  by: Rounded,
): number[] {
  const before = totals(lines, by).total
  if (before === 0) return groups.map(() => 0)
  const prices = groups.map((group) => -group.price * (sum / before))
  const added = groups.map(
    (group, i): PricedLine => ({
      id: -i - 1,
      display_type: null,
      price_unit: present(prices[i]),
      product_uom_qty: 1,
      discount: 0,
      tax_ids: group.taxes.map((id) => ({ id })),
    }),
  )
  const missing = addDecimals(addDecimals(before, -sum), -totals([...lines, ...added], by).total)
  const largest = prices.reduce(
    (best, price, i) => (Math.abs(price) > Math.abs(present(prices[best])) ? i : best),
    0,
  )
  return prices.map((price, i) => (i === largest ? price + missing : price))
}
