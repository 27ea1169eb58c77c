// Orders of the back office that are paid: payments are added until the order is complete.

import type { Environment, Records, Vals } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { loadTaxes } from '../../account/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { isLimited, limitPaths } from '../limits/rows.ts'
import { paidName } from '../sync/values.ts'
import {
  assertOneWay,
  assertPaid,
  checked,
  coinsOf,
  inCoins,
  isPaid,
  roundingOf,
  roundingPaths,
  sum,
  totalsOf,
} from './amounts.ts'
import { completePaid } from './complete.ts'
import { holdSessions } from './session-of-order.ts'

type Orders = Records<'pos.order'>

const paths = [
  'name',
  'state',
  'pos_reference',
  'amount_total',
  'amount_tax',
  'to_invoice',
  'is_refund',
  'refunded_order_id.name',
  'payment_ids.amount',
  'payment_ids.payment_method_id.is_cash_count',
  'payment_ids.is_change',
  'config_id.name',
  ...roundingPaths,
  ...limitPaths.map((path) => `session_id.${path}` as const),
  'config_id.price_check',
  'lines.price_unit',
  'lines.qty',
  'lines.discount',
  'lines.tax_ids',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env.sudo().model('pos.order').browse(ids).load(paths)
type Row = Awaited<ReturnType<typeof load>>[number]

const paidSoFar = (row: Row) => sum(row.payment_ids.map(({ amount }) => amount))

/** The coins that an order is paid in, where its total is rounded to them. */
const coinsOfRow = ({ config_id: config, payment_ids: payments }: Row) =>
  coinsOf(
    config,
    payments.some((payment) => payment.payment_method_id.is_cash_count),
  )

/** Whether each order's payments come to its total, or to what that is in coins: then nothing is left to pay. */
export async function arePaid(orders: Orders): Promise<boolean> {
  const rows = await load(orders.env, orders.ids)
  return rows.every((row) =>
    isPaid(inCoins(row.amount_total, coinsOfRow(row)), paidSoFar(row), { ...roundingOf(row), slack: null }),
  )
}

/** Completes drafts that are paid. Throws UserError for orders that are not, or are complete already. */
export async function payOrders(orders: Orders): Promise<true> {
  const { env } = orders
  await assertAllowed(orders, 'write')
  const rows = await load(env, orders.ids)
  await holdSessions(
    env,
    rows.map((row) => row.session_id.id),
  )
  const taxesOf = await loadTaxes(env, [
    ...new Set(rows.flatMap((row) => row.lines.flatMap((line) => line.tax_ids.map(({ id }) => id)))),
  ])
  const values = rows.map((row): [number, Vals<'pos.order'>] => {
    if (row.state !== 'draft')
      throw new UserError(`${row.name} is not a draft: it was already completed or cancelled.`)
    const rounding = roundingOf(row)
    const paid = paidSoFar(row)
    const methods = row.payment_ids.map((payment) => payment.payment_method_id)
    assertOneWay(
      row.payment_ids,
      new Set(methods.flatMap(({ id, is_cash_count }) => (is_cash_count ? id : []))),
    )
    const name = paidName(row.config_id?.name ?? '', row.pos_reference, row.refunded_order_id?.name ?? null)
    assertPaid(name, row.amount_total, paid, rounding)
    const check = row.config_id?.price_check ?? 'off'
    const lines = row.lines.map((line) => ({ ...line, taxes: taxesOf(line.tax_ids.map(({ id }) => id)) }))
    const stated = { total: row.amount_total, tax: row.amount_tax }
    const noted =
      check === 'off'
        ? {}
        : checked(name, stated, totalsOf(lines, rounding), rounding.rounding, check === 'refuse')
    return [row.id, { state: 'paid', name, amount_paid: paid, ...noted }]
  })
  await env.sudo().model('pos.order').browse(orders.ids).writeEach(new Map(values))
  await completePaid(
    env,
    rows.map((row) => ({
      id: row.id,
      name: row.pos_reference ?? row.name,
      total: row.amount_total,
      toInvoice: row.to_invoice,
      refunds: row.refunded_order_id?.id ?? null,
      isLimited: isLimited(row.session_id.config_id),
    })),
  )
  return true
}

/** Adds a payment to a draft. Throws UserError for orders that are complete. */
export async function addPayment(orders: Orders, data: Record<string, unknown>): Promise<null> {
  const id = orders.ensureOne()
  const { env } = orders
  if (typeof data.amount !== 'number' || !Number.isFinite(data.amount))
    throw new InvalidValue('The amount of a payment must be a number.')
  await env.model('pos.payment').create([{ ...(data as Vals<'pos.payment'>), pos_order_id: id }])
  const [row] = await load(env, [id])
  if (row)
    await env
      .sudo()
      .model('pos.order')
      .browse([id])
      .write({ amount_paid: paidSoFar(row) })
  return null
}
