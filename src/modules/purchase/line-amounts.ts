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

const discounted = (record: { readonly price_unit: number; readonly discount: number }) =>
  asDecimal(record.price_unit * (1 - record.discount / 100))

export const unitPrices = {
  price_unit_discounted: computed(line, ['price_unit', 'discount'], discounted),
  price_unit_product_uom: computedTogether(
    line,
    ['price_unit', 'discount', 'product_uom_id.factor', 'product_id.product_tmpl_id.uom_id.factor'],
    (lines) =>
      new Map(
        lines.map((line) => {
          const [from, to] = [line.product_uom_id, line.product_id?.product_tmpl_id.uom_id]
          return [line.id, from && to ? convertPrice(discounted(line), from, to) : discounted(line)]
        }),
      ),
  ),
}
