// The limits of cashiers, judged when orders are paid, by whatever way they came (docs/guides/a-till.md).
import type { Environment } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { documentTotals, loadTaxes, mapTaxes, type Tax } from '../../account/index.ts'
import { roundingOf } from '../order/amounts.ts'
import { isManager, orderKey, useApprovals } from './approval.ts'
import { excessesOf, type LimitedLine, type LimitedOrder, type TillLimits } from './exceeded.ts'
import { type LimitedRow, type LimitSettings, loadLimited } from './rows.ts'
import { usualPrices } from './usual.ts'

function limitsOf(config: LimitSettings): TillLimits {
  const discount = config.restrict_discounts ? config.limit_discount : null
  return {
    discount: config.manual_discount ? discount : 0,
    prices: config.restrict_price_control,
    refund: config.restrict_refunds ? config.limit_refund : null,
    negative: config.restrict_negative_orders,
  }
}

/** The price and discount of a line that were agreed before it came to the till. */
type Agreed = ReadonlyMap<number, { readonly price: number; readonly discount: number }>

/**
 * Throws UserError where orders that are being paid exceed what cashiers do at their points of sale, and no
 * manager approved it. Callers leave out orders whose points of sale limit nothing.
 */
export async function assertWithinLimits(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0 || isManager(env)) return
  const rows = await loadLimited(env, ids)
  const agreed = await env
    .sudo()
    .model('pos.order.line')
    .browse(rows.flatMap((row) => row.lines.map(({ id }) => id)))
    .agreed_prices()
  const judged = await limitedOrders(env, rows, agreed as Agreed)
  await useApprovals(
    env,
    judged.flatMap(({ row, order }) =>
      excessesOf(order, limitsOf(row.session_id.config_id)).map((excess) => ({
        ...excess,
        config: row.session_id.config_id.id,
        key: orderKey(row),
        order: row.id,
      })),
    ),
  )
}

/** Orders as the limits look at them, with what their products usually cost. */
async function limitedOrders(env: Environment, rows: readonly LimitedRow[], agreed: Agreed) {
  const usual = await usualPrices(env, rows)
  const taxIds = rows.flatMap((row) => row.lines.flatMap((line) => line.tax_ids.map(({ id }) => id)))
  const judged: { readonly row: LimitedRow; readonly order: LimitedOrder }[] = []
  for (const row of rows) {
    const mapped = await mapTaxes(env.sudo(), row.fiscal_position_id?.id ?? null)
    const taxesOf = await loadTaxes(env, [...taxIds, ...mapped(taxIds)])
    judged.push({ row, order: limitedOrder(row, { usual, agreed, mapped, taxesOf }) })
  }
  return judged
}

interface Means {
  readonly usual: ReadonlyMap<number, readonly number[]>
  readonly agreed: Agreed
  readonly mapped: (ids: readonly number[]) => readonly number[]
  readonly taxesOf: (ids: readonly number[]) => readonly Tax[]
}

function limitedOrder(row: LimitedRow, { usual, agreed, mapped, taxesOf }: Means): LimitedOrder {
  const rounding = roundingOf(row)
  const totalsBy = (map: (ids: readonly number[]) => readonly number[]) =>
    documentTotals(
      row.lines.map((line) => ({
        priceUnit: line.price_unit,
        quantity: line.qty,
        discount: line.discount,
        taxes: taxesOf(map(line.tax_ids.map(({ id }) => id))),
      })),
      rounding,
    )
  // Tills send taxes as they are, or as the fiscal position turns them.
  const totals = totalsBy((ids) => ids)
  const turned = row.fiscal_position_id ? totalsBy(mapped) : totals
  const lines = row.lines.map((line, i): LimitedLine => {
    const back = line.qty < 0 ? line.refunded_orderline_id : null
    const takesBack = back !== null && isReturnOf(back, line)
    const ofProduct = line.product_id.product_tmpl_id.taxes_id
      .filter(({ company_id }) => company_id.id === row.company_id?.id)
      .map(({ id }) => id)
    const sent = line.tax_ids.map(({ id }) => id)
    return {
      qty: line.qty,
      price: line.price_unit,
      discount: line.discount,
      total: totals.lines[i]?.total ?? 0,
      usual: usual.get(line.id) ?? [],
      agreed: takesBack ? { price: back.price_unit, discount: back.discount } : (agreed.get(line.id) ?? null),
      takesBack,
      isTaxedAsUsual: isSame(sent, ofProduct) || isSame(sent, mapped(ofProduct)),
    }
  })
  return {
    lines,
    told: row.amount_total,
    computed: Math.min(totals.total, turned.total),
    rounding: rounding.rounding,
    slack: addDecimals(rounding.slack ?? 0, 0),
  }
}

type Line = LimitedRow['lines'][number]

/** Whether a line takes goods of a sale back: the same ones, paid for, and no more of them than were sold. */
const isReturnOf = (sold: NonNullable<Line['refunded_orderline_id']>, line: Line): boolean =>
  sold.product_id.id === line.product_id.id &&
  ['paid', 'done'].includes(sold.order_id.state) &&
  sold.refunded_qty <= sold.qty + 1e-9

const isSame = (some: readonly number[], others: readonly number[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id))
