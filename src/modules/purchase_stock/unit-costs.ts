// The cost of one of a product's unit to the company by the line of an order: after the discount, without the
// taxes that the price holds, in the company's currency (recorded: at the rate of the day on which the goods
// come).
import type { Environment } from '#models'
import { today } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { loadTaxes, priceUnderTaxes, ratesFor } from '../account/index.ts'
import { digitsOf } from '../base/index.ts'
import { convertPrice } from '../uom/index.ts'

export const costPaths = [
  'price_unit_discounted',
  'tax_ids',
  'product_uom_id.factor',
  'product_id.product_tmpl_id.uom_id.factor',
  'order_id.currency_id',
  'order_id.company_id.currency_id',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .withContext({ active_test: false })
    .model('purchase.order.line')
    .browse([...new Set(ids)])
    .load([...costPaths])

/** Gives the costs of lines, by day (`YYYY-MM-DD`): a fixed number of statements. */
export async function unitCostsOn(
  env: Environment,
  asks: readonly { readonly line: number; readonly day: string }[],
): Promise<(line: number, day: string) => number> {
  const lines = await load(
    env,
    asks.map(({ line }) => line),
  )
  const taxesOf = await loadTaxes(
    env,
    lines.flatMap((line) => line.tax_ids.map(({ id }) => id)),
  )
  const byId = new Map(lines.map((line) => [line.id, line]))
  const dated = (id: number, day: string) => {
    const { company_id: company, currency_id } = present(byId.get(id)).order_id
    return { company: company.id, companyCurrency: company.currency_id.id, currency: currency_id.id, day }
  }
  const rateOf = await ratesFor(
    env,
    asks.map(({ line, day }) => dated(line, day)),
  )
  const step = 1 / 10 ** (await digitsOf(env, 'Product Price'))
  return (id, day) => {
    const line = present(byId.get(id))
    const held = taxesOf(line.tax_ids.map((tax) => tax.id)).filter((tax) => tax.priceInclude)
    const untaxed = priceUnderTaxes(line.price_unit_discounted, held, [])
    const [from, to] = [line.product_uom_id, line.product_id?.product_tmpl_id.uom_id]
    const each = from && to ? convertPrice(untaxed, from, to) : untaxed
    return roundHalfUp(asDecimal(each / rateOf(dated(id, day))), step)
  }
}

/** Costs of lines as of today, by line. */
export async function unitCostsNow(env: Environment, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const day = today(env.tz, env.now())
  const costOf = await unitCostsOn(
    env,
    ids.map((line) => ({ line, day })),
  )
  return new Map(ids.map((id) => [id, costOf(id, day)]))
}
