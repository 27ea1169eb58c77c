// The limits of cashiers, checked when orders are paid, from tills and in the back office alike
// (docs/guides/point-of-sale.md).
import type { Environment } from '#models'
import { roundingOf, totalsOf } from '../order/amounts.ts'
import type { AgreedPrices } from '../order/line.contract.ts'
import { isManager, type Need, orderKey, useApprovals } from './approval.ts'
import { excessesOf, type LimitedLine, type LimitedOrder, type TillLimits } from './excesses.ts'
import { groupsByTerms, loadUsualTerms, type UsualTerms } from './list-prices.ts'
import { type LimitedRow, type LimitedRowLine, type LimitSettings, loadLimited } from './rows.ts'

function limitsOf(config: LimitSettings): TillLimits {
  const discount = config.restrict_discounts ? config.limit_discount : null
  return {
    discount: config.manual_discount ? discount : 0,
    prices: config.restrict_price_control,
    refund: config.restrict_refunds ? config.limit_refund : null,
    negative: config.restrict_negative_orders,
  }
}

/**
 * Throws UserError if orders that are being paid exceed the limits of their points of sale, and no manager
 * approved it. Callers leave out orders whose points of sale limit nothing.
 */
export async function assertWithinLimits(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0 || isManager(env)) return
  const rows = await loadLimited(env, ids)
  const agreed = (await env
    .sudo()
    .model('pos.order.line')
    .browse(rows.flatMap((row) => row.lines.map(({ id }) => id)))
    .agreed_prices()) as AgreedPrices
  const needs: Need[] = []
  for (const group of await groupsByTerms(env, rows)) {
    const terms = await loadUsualTerms(env, group)
    for (const row of group) {
      const config = row.session_id.config_id
      for (const excess of excessesOf(limitedOrder(row, agreed, terms), limitsOf(config)))
        needs.push({ ...excess, config: config.id, key: orderKey(row), order: row.id })
    }
  }
  await useApprovals(env, needs)
}

const idsOf = (records: readonly { readonly id: number }[]): number[] => records.map(({ id }) => id)

/** An order in the form that limits are checked on. */
function limitedOrder(row: LimitedRow, agreed: AgreedPrices, terms: UsualTerms): LimitedOrder {
  const { prices, productTaxes, mapped, engineTaxes } = terms
  const rounding = roundingOf(row)
  const totalsBy = (map: UsualTerms['mapped']) =>
    totalsOf(
      row.lines.map((line) => ({ ...line, taxes: engineTaxes(map(idsOf(line.tax_ids))) })),
      rounding,
    )
  // Tills send taxes as they are, or as the fiscal position replaces them.
  const totals = totalsBy((taxes) => taxes)
  const replaced = row.fiscal_position_id ? totalsBy(mapped) : totals
  const lines = row.lines.map((line, i): LimitedLine => {
    const back = line.qty < 0 ? line.refunded_orderline_id : null
    const takesBack = back !== null && isReturnOf(back, line)
    const ofProduct = productTaxes.get(line.product_id.id) ?? []
    const sent = idsOf(line.tax_ids)
    return {
      qty: line.qty,
      price: line.price_unit,
      discount: line.discount,
      total: totals.lines[i]?.total ?? 0,
      usual: prices.get(line.id) ?? [],
      agreed: takesBack ? { price: back.price_unit, discount: back.discount } : (agreed.get(line.id) ?? null),
      takesBack,
      isTaxedAsUsual: isSame(sent, ofProduct) || isSame(sent, mapped(ofProduct)),
    }
  })
  return {
    lines,
    statedTotal: row.amount_total,
    computedTotal: Math.min(totals.total, replaced.total),
    rounding: rounding.rounding,
    slack: rounding.slack ?? 0,
  }
}

/** Whether a line takes goods of a sale back: the same ones, paid for, and no more of them than were sold. */
const isReturnOf = (
  sold: NonNullable<LimitedRowLine['refunded_orderline_id']>,
  line: LimitedRowLine,
): boolean =>
  sold.product_id.id === line.product_id.id &&
  ['paid', 'done'].includes(sold.order_id.state) &&
  sold.refunded_qty <= sold.qty + 1e-9

const isSame = (some: readonly number[], others: readonly number[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id))
