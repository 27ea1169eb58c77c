// Refunds from the back office: a draft that takes back all that is left of an order, in the session that is
// open now. Where nothing is left, the draft has no lines (recorded): it can be cancelled or removed.
import { recordAudit } from '#engine'
import { add, type Environment, type Records, set, type Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { addDecimals, asDecimal, roundHalfUp } from '../../../kit/rounding.ts'
import { documentTotals, loadTaxes } from '../../account/index.ts'
import { assertAllowed, assertNoneMissing, shownWindow } from '../../base/index.ts'
import { coinPaths, coinsOf, inCoins } from './amounts.ts'

type Orders = Records<'pos.order'>

const paths = [
  'name',
  'partner_id',
  'pricelist_id',
  'fiscal_position_id',
  'config_id.name',
  'config_id.current_session_id',
  ...coinPaths,
  'company_id.tax_calculation_rounding_method',
  'currency_id.rounding',
  'lines.product_id',
  'lines.full_product_name',
  'lines.qty',
  'lines.refunded_qty',
  'lines.price_unit',
  'lines.discount',
  'lines.tax_ids',
  'lines.total_cost',
  'lines.customer_note',
  'lines.price_extra',
  'lines.attribute_value_ids',
  'lines.combo_item_id',
] as const

const load = (env: Environment, ids: readonly number[]) => env.model('pos.order').browse(ids).load(paths)
type Row = Awaited<ReturnType<typeof load>>[number]

/** Throws UserError where no session is open. */
export async function refund(orders: Orders): Promise<object> {
  const { env } = orders
  await assertAllowed(orders.browse([]), 'create')
  const rows = await load(env, orders.ids)
  assertNoneMissing(orders, rows)
  const taxesOf = await loadTaxes(env, [
    ...new Set(rows.flatMap((row) => row.lines.flatMap((line) => line.tax_ids.map(({ id }) => id)))),
  ])
  const created = await env.model('pos.order').create(rows.map((row) => valsOf(row, taxesOf)))
  for (const [i, row] of rows.entries())
    recordAudit(env, {
      event: 'pos.refund',
      model: 'pos.order',
      record: created.ids[i] ?? null,
      name: `${row.name} REFUND`,
      detail: { of: row.id },
    })
  return shownWindow({
    name: 'Return Products',
    res_model: 'pos.order',
    view_mode: 'form',
    res_id: created.ids[0] ?? false,
    target: 'current',
  })
}

function valsOf(row: Row, taxesOf: Awaited<ReturnType<typeof loadTaxes>>): Vals<'pos.order'> {
  const session = row.config_id?.current_session_id
  if (!session) throw new UserError(`Open a session at ${row.config_id?.name} to take goods back.`)
  const left = row.lines.filter((line) => addDecimals(line.qty, -line.refunded_qty) > 0)
  const rounding = row.currency_id?.rounding ?? 0.01
  const lines = left.map((line) => ({ line, qty: -addDecimals(line.qty, -line.refunded_qty) }))
  const totals = documentTotals(
    lines.map(({ line, qty }) => ({
      priceUnit: line.price_unit,
      quantity: qty,
      discount: line.discount,
      taxes: taxesOf(line.tax_ids.map(({ id }) => id)),
    })),
    { rounding, method: row.company_id?.tax_calculation_rounding_method ?? 'round_globally' },
  )
  // A total that was paid in coins is given back in coins.
  const total = inCoins(totals.total, coinsOf(row.config_id, false))
  return {
    name: `${row.name} REFUND`,
    session_id: session.id,
    partner_id: row.partner_id?.id ?? false,
    pricelist_id: row.pricelist_id?.id ?? false,
    fiscal_position_id: row.fiscal_position_id?.id ?? false,
    is_refund: true,
    refunded_order_id: left.length ? row.id : false,
    amount_total: total,
    amount_tax: totals.tax,
    amount_paid: 0,
    amount_return: 0,
    amount_difference: -total,
    lines: lines.map(({ line, qty }, i) =>
      add({
        product_id: line.product_id.id,
        full_product_name: line.full_product_name,
        qty,
        price_unit: line.price_unit,
        discount: line.discount,
        tax_ids: set(line.tax_ids.map(({ id }) => id)),
        attribute_value_ids: set(line.attribute_value_ids.map(({ id }) => id)),
        price_extra: line.price_extra,
        combo_item_id: line.combo_item_id?.id ?? false,
        customer_note: line.customer_note,
        price_subtotal: totals.lines[i]?.untaxed ?? 0,
        price_subtotal_incl: totals.lines[i]?.total ?? 0,
        total_cost: line.qty === 0 ? 0 : roundHalfUp(asDecimal((line.total_cost / line.qty) * qty), rounding),
        is_total_cost_computed: true,
        refunded_orderline_id: line.id,
      }),
    ),
  }
}
