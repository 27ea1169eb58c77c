// Prices that sales orders agreed on, for lines of tills that settle them; deposits are what the customer
// pays.
import type { Records } from '#models'
import { convertPrice } from '../uom/index.ts'

/** Prices and discounts by line, in the unit that tills sell in. */
export async function agreedPrices(
  lines: Records<'pos.order.line'>,
): Promise<Map<number, { readonly price: number; readonly discount: number }>> {
  const rows = await lines.load([
    'product_id.product_tmpl_id.uom_id.factor',
    'price_unit',
    'discount',
    'order_id.config_id.down_payment_product_id',
    'order_id.company_id',
    'sale_order_origin_id.company_id',
    'sale_order_line_id.product_id',
    'sale_order_line_id.product_uom_id.factor',
    'sale_order_line_id.price_unit',
    'sale_order_line_id.discount',
    'sale_order_line_id.order_id.company_id',
  ])
  return new Map(
    rows.flatMap((row) => {
      const {
        sale_order_line_id: sold,
        sale_order_origin_id: origin,
        order_id: order,
        product_id: product,
      } = row
      if (sold?.product_id && sold.product_id.id === product.id) {
        if (sold.order_id.company_id.id !== order.company_id?.id) return []
        const unit = product.product_tmpl_id.uom_id
        const price = sold.product_uom_id
          ? convertPrice(sold.price_unit, sold.product_uom_id, unit)
          : sold.price_unit
        return [[row.id, { price, discount: sold.discount }] as const]
      }
      const isDeposit =
        origin?.company_id.id === order.company_id?.id &&
        product.id === order.config_id?.down_payment_product_id?.id
      return isDeposit ? [[row.id, { price: row.price_unit, discount: row.discount }] as const] : []
    }),
  )
}
