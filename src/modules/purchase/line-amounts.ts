// Amounts of an order line: each by itself, rounded to the order's currency; unit price after the
// discount.
import { computed, computedFields, computedTogether } from '#models'
import { asDecimal } from '../../kit/rounding.ts'
import { lineAmountsOf } from '../account/index.ts'
import { convertPrice } from '../uom/index.ts'
import { line } from './line.contract.ts'
import { quantityOf } from './order-amounts.ts'

export const lineAmounts = computedFields(
  line,
  ['price_subtotal', 'price_tax', 'price_total'],
  ['display_type', 'price_unit', 'product_qty', 'discount', 'tax_ids', 'company_id', 'currency_id'],
  (lines, env) => lineAmountsOf(env, lines, quantityOf),
)

const discounted = (one: { readonly price_unit: number; readonly discount: number }) =>
  asDecimal(one.price_unit * (1 - one.discount / 100))

export const unitPrices = {
  price_unit_discounted: computed(line, ['price_unit', 'discount'], discounted),
  price_unit_product_uom: computedTogether(
    line,
    ['price_unit', 'discount', 'product_uom_id.factor', 'product_id.product_tmpl_id.uom_id.factor'],
    (lines) =>
      new Map(
        lines.map((one) => {
          const [from, to] = [one.product_uom_id, one.product_id?.product_tmpl_id.uom_id]
          return [one.id, from && to ? convertPrice(discounted(one), from, to) : discounted(one)]
        }),
      ),
  ),
}
