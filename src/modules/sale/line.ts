// Implementation of lines of sales orders (sale.order.line). Prices: line-price.ts; product:
// line-product.ts; amounts: line-amounts.ts; refusals: line-guards.ts.

import { computed, computedTogether, idsWhere, implement } from '#models'
import { isInteger } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import { headingsOf, withoutSentAmounts, withTrustedAmounts } from '../account/index.ts'
import { assertAllowed, givenVals } from '../base/index.ts'
import { invoiced } from './invoicing/invoiced.ts'
import { assertInvoicedParties } from './invoicing/move-line.ts'
import { line } from './line.contract.ts'
import { repeatStored } from './line-amount-left.ts'
import { lineAmounts, reducedPrices } from './line-amounts.ts'
import { assertProducts, assertRemovable, updatable, updatablePaths, updatableSql } from './line-guards.ts'
import { lineBalance, lineInvoicing } from './line-invoicing.ts'
import { linePrices, pricelistItem } from './line-price.ts'
import { lineName, lineTaxes, lineUnit, translatedName } from './line-product.ts'
import { lineWritable } from './writable.ts'

/**
 * Text lines have no quantity; a price that is given counts as the computed one (spec/business-models.md
 * section 6, "Price memory").
 */
function completed(vals: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = vals.display_type ? { product_uom_qty: 0 } : {}
  const price =
    vals.price_unit !== undefined && vals.technical_price_unit === undefined
      ? { technical_price_unit: vals.price_unit }
      : {}
  return { ...text, ...price, ...withoutSentAmounts(vals) }
}

export default implement(line, {
  writable: lineWritable,
  displayName: computed(
    line,
    ['order_id.name', 'order_id.partner_id.name', 'name', 'product_id.display_name'],
    (line) => {
      const text = line.name?.split('\n')[0] || line.product_id?.display_name || ''
      const customer = line.order_id.partner_id.name
      return `${line.order_id.name} - ${text}${customer ? ` (${customer})` : ''}`
    },
    {
      sql: (scope) => {
        const [order, product] = [scope.path('order_id.name'), scope.path('product_id.display_name')]
        const customer = scope.path('order_id.partner_id.name')
        if (!order || !product || !customer) return null
        const text = sql`COALESCE(NULLIF(split_part(${scope.column('name')}, E'\\n', 1), ''), ${product}, '')`
        return sql`(${order} || ' - ' || ${text} || COALESCE(' (' || NULLIF(${customer}, '') || ')', ''))`
      },
    },
  ),
  computed: {
    ...lineName,
    ...lineUnit,
    ...lineTaxes,
    ...linePrices,
    ...lineAmounts,
    ...invoiced,
    ...lineInvoicing,
    ...reducedPrices,
    amount_to_invoice: lineBalance,
    pricelist_item_id: pricelistItem,
    translated_product_name: translatedName,
    qty_delivered_method: computed(line, ['display_type', 'is_expense'], (line) =>
      line.display_type ? null : line.is_expense ? 'analytic' : 'manual',
    ),
    product_updatable: computed(line, updatablePaths, updatable, { sql: updatableSql }),
    product_uom_readonly: computed(
      line,
      ['state'],
      (line) => line.state === 'sale' || line.state === 'cancel',
      {
        sql: (scope) => sql`COALESCE(${scope.column('state')} IN ('sale', 'cancel'), false)`,
      },
    ),
    allowed_uom_ids: computed(
      line,
      ['product_id.product_tmpl_id.uom_id', 'product_id.product_tmpl_id.uom_ids'],
      (line) =>
        line.product_id
          ? [
              ...new Set(
                [line.product_id.product_tmpl_id.uom_id, ...line.product_id.product_tmpl_id.uom_ids].map(
                  ({ id }) => id,
                ),
              ),
            ]
          : [],
    ),
    parent_id: computedTogether(line, ['order_id'], async (lines, env) => {
      const orders = [...new Set(lines.map((line) => line.order_id.id))]
      const all = await env
        .sudo()
        .model('sale.order.line')
        .search([['order_id', 'in', orders]])
      return headingsOf(await all.load(['order_id', 'display_type']))
    }),
  },
  checks: {
    'A line of an order needs a product or a description.': computed(line, ['name'], (line) =>
      Boolean(line.name),
    ),
    'The product of a combo line must be one of the choices of its combo.': computed(
      line,
      [
        'product_id',
        'combo_item_id.product_id',
        'combo_item_id.combo_id',
        'linked_line_id.product_id.product_tmpl_id.combo_ids',
      ],
      ({ product_id: product, combo_item_id: item, linked_line_id: combo }) =>
        !item ||
        (item.product_id.id === product?.id &&
          Boolean(
            combo?.product_id?.product_tmpl_id.combo_ids.some((choice) => choice.id === item.combo_id.id),
          )),
    ),
    'A line can only be linked to a line of the same order.': computed(
      line,
      ['order_id', 'linked_line_id.order_id'],
      (line) => !line.linked_line_id || line.linked_line_id.order_id.id === line.order_id.id,
    ),
  },
  wrapWrite: (next) => async (lines, changes) => {
    await assertProducts(lines, changes)
    // Users cannot move lines onto orders that they may not change: record rules check the order that a
    // line comes from.
    const orders = changes.flatMap(({ vals }) => (isInteger(vals.order_id) ? [vals.order_id] : []))
    if (orders.length)
      await assertAllowed(lines.env.model('sale.order').browse([...new Set(orders)]), 'write')
    await next(
      lines,
      changes.map((change) => ({ ...change, vals: withoutSentAmounts(change.vals) })),
    )
    const billed = idsWhere(changes, (vals) => vals.invoice_lines)
    if (billed.length) await assertInvoicedParties(lines.env, billed)
  },
  wrapGeneric: {
    create: (next) => async (lines, params) => {
      const vals_list = givenVals(params.vals_list).map(completed)
      const createdLines = (await next(lines, { ...params, vals_list })) as typeof lines
      repeatStored(lines.env, createdLines.ids)
      const billed = createdLines.ids.filter((_, i) => vals_list[i]?.invoice_lines)
      if (billed.length) await assertInvoicedParties(lines.env, billed)
      return createdLines
    },
    copy_data: (next) => async (lines, params) =>
      withTrustedAmounts((await next(lines, params)) as Record<string, unknown>[]),
    unlink: (next) => async (lines, params) => {
      await assertRemovable(lines)
      return next(lines, params)
    },
  },
})
