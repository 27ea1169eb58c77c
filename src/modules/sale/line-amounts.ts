// Amounts of an order line: untaxed, taxes, total; each line by itself, rounded to the order's currency.
import { computed, computedFields } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { lineAmountsOf } from '../account/index.ts'
import { pricedPaths, quantityOf } from './amounts.ts'
import { line } from './line.contract.ts'

export const lineAmounts = computedFields(
  line,
  ['price_subtotal', 'price_tax', 'price_total'],
  [...pricedPaths, 'company_id', 'currency_id'],
  (lines, env) => lineAmountsOf(env, lines, quantityOf),
)

const perUnit = (amount: number, quantity: number, rounding: number | undefined) =>
  quantity ? roundHalfUp(amount / quantity, rounding ?? 0.01) : 0

export const reducedPrices = {
  price_reduce_taxexcl: computed(
    line,
    ['price_subtotal', 'product_uom_qty', 'currency_id.rounding'],
    (line) => perUnit(line.price_subtotal, line.product_uom_qty, line.currency_id?.rounding),
  ),
  price_reduce_taxinc: computed(line, ['price_total', 'product_uom_qty', 'currency_id.rounding'], (line) =>
    perUnit(line.price_total, line.product_uom_qty, line.currency_id?.rounding),
  ),
}
