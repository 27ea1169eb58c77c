// Implementation of lines of purchase orders (purchase.order.line). Prices: line-price.ts; product:
// line-product.ts; bills: line-billing.ts; refusals: line-guards.ts.

import { computed, computedTogether, implement, type Records } from '#models'
import { isInteger } from '../../kit/present.ts'
import { headingsOf } from '../account/index.ts'
import { assertAllowed, givenVals } from '../base/index.ts'
import { line } from './line.contract.ts'
import { lineAmounts, unitPrices } from './line-amounts.ts'
import { billed, received, toBill } from './line-billing.ts'
import { assertProducts, assertRemovable } from './line-guards.ts'
import { linePrices, selectedSeller } from './line-price.ts'
import { lineProduct, lineTaxes, ownQuantity, translatedName } from './line-product.ts'
import { withinApproval } from './order-states.ts'
import { lineWritable } from './writable.ts'

type Vals = Readonly<Record<string, unknown>>
type Lines = Records<'purchase.order.line'>

const ordersOf = async (lines: Lines) =>
  (await lines.sudo().load(['order_id'])).map(({ order_id }) => order_id.id)

/** A received quantity that a user enters is kept until they enter another one. */
const typed = <V extends Vals>(vals: V): V =>
  'qty_received' in vals ? { ...vals, qty_received_manual: vals.qty_received } : vals

/**
 * Text lines have no quantity. A price that comes with a new line counts as the computed one: offers replace
 * it when the quantity changes (recorded); one that is written later stays.
 */
const completed = (vals: Vals): Record<string, unknown> =>
  typed({
    ...(vals.display_type ? { product_qty: 0 } : {}),
    ...('price_unit' in vals ? { technical_price_unit: vals.price_unit } : {}),
    ...vals,
  })

export default implement(line, {
  writable: lineWritable,
  displayName: computed(
    line,
    ['name', 'product_id.display_name'],
    (line) => line.name?.split('\n')[0] || line.product_id?.display_name || '',
  ),
  computed: {
    ...lineProduct,
    ...ownQuantity,
    ...lineTaxes,
    ...linePrices,
    ...lineAmounts,
    ...unitPrices,
    ...received,
    ...billed,
    ...toBill,
    selected_seller_id: selectedSeller,
    translated_product_name: translatedName,
    allowed_uom_ids: computed(
      line,
      [
        'product_id.product_tmpl_id.uom_id',
        'product_id.product_tmpl_id.uom_ids',
        'product_id.product_tmpl_id.seller_ids.product_uom_id',
      ],
      ({ product_id: product }) => {
        if (!product) return []
        const { uom_id: unit, uom_ids: sold, seller_ids: offers } = product.product_tmpl_id
        return [
          ...new Set([unit, ...sold, ...offers.map((offer) => offer.product_uom_id)].map(({ id }) => id)),
        ]
      },
    ),
    parent_id: computedTogether(line, ['order_id'], async (lines, env) => {
      const orders = [...new Set(lines.map((line) => line.order_id.id))]
      const all = await env
        .sudo()
        .model('purchase.order.line')
        .search([['order_id', 'in', orders]])
      return headingsOf(await all.load(['order_id', 'display_type']))
    }),
  },
  wrapWrite: (next) => async (lines, changes) => {
    await assertProducts(lines, changes)
    // Users cannot move lines onto orders that they may not change: record rules check the order that a
    // line comes from.
    const orders = changes.flatMap(({ vals }) => (isInteger(vals.order_id) ? [vals.order_id] : []))
    if (orders.length)
      await assertAllowed(lines.env.model('purchase.order').browse([...new Set(orders)]), 'write')
    await withinApproval(
      lines.env,
      // A line that comes from another order adds to the one that it comes to.
      async () => [...orders, ...(await ordersOf(lines))],
      () =>
        next(
          lines,
          changes.map(({ ids, vals }) => ({ ids, vals: typed(vals) })),
        ),
    )
  },
  wrapGeneric: {
    create: (next) => async (lines, params) => {
      const list = givenVals(params.vals_list).map(completed)
      const orders = list.flatMap(({ order_id: id }) => (isInteger(id) ? [id] : []))
      return withinApproval(
        lines.env,
        async () => orders,
        () => next(lines, { ...params, vals_list: list }),
      )
    },
    unlink: (next) => async (lines, params) => {
      await assertRemovable(lines)
      return next(lines, params)
    },
  },
})
