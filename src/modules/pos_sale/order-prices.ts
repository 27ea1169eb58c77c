// Prices that sales orders agreed on, for lines of tills that settle them. For deposits, any amount is
// agreed. settle.ts refuses lines that settle an order of another company.
import type { Records } from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import type { AgreedPrices } from '../point_of_sale/index.ts'
import { convertPrice, convertQuantity, type UnitFactor } from '../uom/index.ts'

interface Settled {
  readonly product_uom_qty: number
  readonly product_uom_id: UnitFactor | null
  readonly pos_order_line_ids: readonly {
    readonly qty: number
    readonly order_id: { readonly state: string }
  }[]
}

/** Whether tills sold more of an order line than was ordered: for the rest nothing was agreed. */
function isOversold({ product_uom_qty, product_uom_id, pos_order_line_ids }: Settled, unit: UnitFactor) {
  const sold = pos_order_line_ids
    .filter(({ order_id: { state } }) => state === 'paid' || state === 'done')
    .reduce((total, { qty }) => addDecimals(total, qty), 0)
  return sold > convertQuantity(product_uom_qty, product_uom_id ?? unit, unit, 'none') + 1e-9
}

/** Prices and discounts by line, in the unit that tills sell in. */
export async function agreedPrices(lines: Records<'pos.order.line'>): Promise<AgreedPrices> {
  const rows = await lines.load([
    'product_id.product_tmpl_id.uom_id.factor',
    'price_unit',
    'discount',
    'order_id.config_id.down_payment_product_id',
    'sale_order_origin_id',
    'sale_order_line_id.product_id',
    'sale_order_line_id.product_uom_id.factor',
    'sale_order_line_id.price_unit',
    'sale_order_line_id.discount',
    'sale_order_line_id.product_uom_qty',
    'sale_order_line_id.order_id.state',
    'sale_order_line_id.pos_order_line_ids.qty',
    'sale_order_line_id.pos_order_line_ids.order_id.state',
  ])
  return new Map(
    rows.flatMap((row) => {
      const { sale_order_line_id: sold, product_id: product } = row
      if (sold?.product_id && sold.product_id.id === product.id) {
        const unit = product.product_tmpl_id.uom_id
        if (sold.order_id.state === 'cancel' || isOversold(sold, unit)) return []
        const price = convertPrice(sold.price_unit, sold.product_uom_id ?? unit, unit)
        return [[row.id, { price, discount: sold.discount }] as const]
      }
      const isDeposit =
        row.sale_order_origin_id && product.id === row.order_id.config_id?.down_payment_product_id?.id
      return isDeposit ? [[row.id, { price: row.price_unit, discount: row.discount }] as const] : []
    }),
  )
}
