// Bringing the lines of orders up to date: with the prices of the pricelist, with the taxes of the fiscal
// position.
import type { Records, Vals } from '#models'
import { recomputedPrices } from './line-price.ts'
import { priceablePaths } from './line-pricing.ts'
import { taxesOf } from './line-product.ts'
import { assertUnlocked } from './order-states.ts'

type Orders = Records<'sale.order'>
type LineVals = Vals<'sale.order.line'>

/**
 * Lines of amounts but deposits, under the caller's rights. Throws AccessError for hidden orders,
 * MissingError for those that are gone, UserError for locked ones.
 */
async function pricedLines(orders: Orders) {
  await assertUnlocked(orders)
  return orders.env.model('sale.order.line').search([
    ['order_id', 'in', orders.ids],
    ['display_type', '=', false],
    ['is_downpayment', '=', false],
  ])
}

/** Every line gets the price that the pricelist has now; typed prices and discounts are forgotten. */
export async function updatePrices(orders: Orders): Promise<null> {
  const lines = await pricedLines(orders)
  const loaded = (await lines.sudo().load(priceablePaths)).filter((line) => line.product_id)
  const values = new Map<number, LineVals>(
    [...(await recomputedPrices(orders.env, loaded, { anew: true }))].filter(
      ([, value]) => Object.keys(value).length,
    ),
  )
  if (values.size) await lines.writeEach(values)
  return null
}

/**
 * Every line gets the taxes of its product as the fiscal position has them, lines without a product none;
 * prices stay.
 */
export async function updateTaxes(orders: Orders): Promise<null> {
  const lines = await pricedLines(orders)
  const taxes = await taxesOf(orders.env, await lines.sudo().load(['order_id', 'product_id']))
  const values = new Map<number, LineVals>(
    lines.ids.map((id) => [id, { tax_ids: [[6, 0, taxes.get(id) ?? []]] }]),
  )
  if (values.size) await lines.writeEach(values)
  return null
}
