// Unit price and discount of order lines: taken from the pricelist when product, unit or quantity change,
// unless a price was typed (spec/business-models.md section 6, "Price memory").
import { computedFields, computedTogether, type Environment } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { featureIsOn } from '../base/index.ts'
import { line } from './line.contract.ts'
import { repeatEarly } from './line-amount-left.ts'
import { DISCOUNTS, type Priceable, priceablePaths, priceLines, pricingAsks } from './line-pricing.ts'

/** Values of a line before they are recomputed; null for lines that are not stored yet. */
interface Current {
  readonly price: number
  readonly computed: number
  readonly invoiced: number
  readonly fixed: boolean
  readonly rounding: number
}

const currentPaths = [
  'price_unit',
  'technical_price_unit',
  'qty_invoiced',
  'is_downpayment',
  'product_id',
  'order_id.company_id.sale_discount_product_id',
  'order_id.currency_id.rounding',
] as const

async function currentOf(env: Environment, ids: readonly number[]): Promise<Map<number, Current>> {
  const rows = await env.sudo().model('sale.order.line').browse(ids).load(currentPaths)
  return new Map(
    rows.map((row) => {
      const { company_id: company, currency_id: currency } = row.order_id
      const discounts = company.sale_discount_product_id
      return [
        row.id,
        {
          price: row.price_unit,
          computed: row.technical_price_unit,
          invoiced: row.qty_invoiced,
          fixed: row.is_downpayment || (discounts !== null && row.product_id?.id === discounts.id),
          rounding: currency?.rounding ?? 0.01,
        },
      ]
    }),
  )
}

/**
 * Whether a price was typed after the last one was computed; what the currency cannot tell apart is the same.
 */
const isTyped = (now: Current | undefined) =>
  now !== undefined && roundHalfUp(now.price, now.rounding) !== roundHalfUp(now.computed, now.rounding)

/** True if the feature is on. Internal users have it as a group, so that no query is needed. */
const showsDiscounts = async (env: Environment) =>
  env.hasGroup(DISCOUNTS) || (!env.hasGroup('base.group_user') && (await featureIsOn(env, DISCOUNTS)))

/**
 * Prices of lines as they would be computed now; `anew` forgets what was typed, `fresh` lines hold nothing
 * yet.
 */
export async function recomputedPrices(
  env: Environment,
  lines: readonly Priceable[],
  { anew = false, fresh = false } = {},
) {
  const current = fresh
    ? new Map<number, Current>()
    : await currentOf(
        env,
        lines.map(({ id }) => id),
      )
  const changing = lines.filter(({ id }) => !current.get(id)?.fixed)
  // Invoiced lines keep their price; their discount still follows the rule.
  const open = changing.filter(({ id }) => !current.get(id)?.invoiced)
  // So does a price that was typed.
  const free = new Set(open.flatMap(({ id }) => (anew || !isTyped(current.get(id)) ? [id] : [])))
  const prices = await priceLines(env, changing)
  const shown = [...prices].some(([id, price]) => price.listed && (price.discount || current.has(id)))
  const discounted = shown && (await showsDiscounts(env))
  const values = new Map<number, { price_unit?: number; technical_price_unit?: number; discount?: number }>()
  for (const line of lines) {
    const stands = current.get(line.id)
    const price = prices.get(line.id)
    const value: { price_unit?: number; technical_price_unit?: number; discount?: number } = {}
    if (!line.product_id) {
      // Text, and lines that only have a name: no price but one that was typed later, no rule that gives a
      // discount.
      if (!stands || open.includes(line)) value.discount = 0
      if (!stands || free.has(line.id)) Object.assign(value, { price_unit: 0, technical_price_unit: 0 })
    } else {
      const shows = discounted && price?.listed
      const unit = shows && price.discount ? price.before : price?.unit
      if (unit !== undefined && free.has(line.id))
        Object.assign(value, { price_unit: unit, technical_price_unit: unit })
      if (shows) value.discount = price.discount
      else if (!stands || (anew && price)) value.discount = 0
    }
    values.set(line.id, value)
  }
  return values
}

export const linePrices = computedFields(
  line,
  ['price_unit', 'technical_price_unit', 'discount'],
  priceablePaths,
  async (lines, env, fresh) => {
    const values = await recomputedPrices(env, lines, { fresh })
    repeatEarly(env)
    return values
  },
  { editable: true, asks: [...currentPaths, ...pricingAsks] },
)

/** The rule of the pricelist that applies to the line as it stands. */
export const pricelistItem = computedTogether(line, priceablePaths, async (lines, env) => {
  const prices = await priceLines(env, lines)
  return new Map(
    lines.map(({ id }) => {
      const rule = prices.get(id)?.rule
      return [id, rule ? { id: rule } : null]
    }),
  )
})
