// Sales orders that are paid at a till: confirmed, their deliveries reduced by the goods handed over,
// deposits recorded. In sets, as superuser.

import type { Environment, Vals } from '#models'
import { ValidationError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { addDecimals } from '../../kit/rounding.ts'
import { assignMoves, cancelMoves } from '../stock/index.ts'

const paths = [
  'qty',
  'price_unit',
  'full_product_name',
  'tax_ids',
  'product_id',
  'sale_order_origin_id',
  'sale_order_origin_id.company_id',
  'sale_order_line_id.order_id.company_id',
  'order_id.company_id',
  'order_id.name',
  'order_id.config_id.down_payment_product_id',
] as const

const load = async (env: Environment, orders: readonly number[]) =>
  (
    await env
      .model('pos.order.line')
      .search([
        ['order_id', 'in', [...orders]],
        '|',
        ['sale_order_origin_id', '!=', false],
        ['sale_order_line_id', '!=', false],
      ])
  ).load(paths)
type Line = Awaited<ReturnType<typeof load>>[number]

/** Settles the sales orders of paid till orders. */
export async function settle(env: Environment, orders: readonly number[]): Promise<void> {
  const su = env.sudo()
  const lines = await load(su, orders)
  if (lines.length === 0) return
  for (const { order_id: sold, sale_order_line_id: line, sale_order_origin_id: origin } of lines)
    for (const settled of [line?.order_id, origin])
      if (settled && settled.company_id.id !== sold.company_id?.id)
        throw new ValidationError('The order belongs to another company than the point of sale.')
  const deposits = lines.filter(isDeposit)
  const settled = lines.filter((line) => line.sale_order_line_id)
  const concerned = [
    ...settled.flatMap((line) => line.sale_order_line_id?.order_id.id ?? []),
    ...deposits.flatMap((line) => line.sale_order_origin_id?.id ?? []),
  ]
  if (deposits.length) await writeDeposits(su, deposits)
  await confirm(su, [...new Set(concerned)])
  await cutDeliveries(su, settled)
}

const isDeposit = (line: Line): boolean =>
  line.sale_order_origin_id !== null &&
  line.sale_order_line_id === null &&
  line.product_id.id === line.order_id.config_id?.down_payment_product_id?.id

async function confirm(env: Environment, orders: readonly number[]): Promise<void> {
  const open = await env.model('sale.order').search([
    ['id', 'in', [...orders]],
    ['state', 'in', ['draft', 'sent']],
  ])
  if (open.length) await open.action_confirm({})
}

/** A line of the order for each deposit, below a heading of their own. */
async function writeDeposits(env: Environment, deposits: readonly Line[]): Promise<void> {
  const orders = await env
    .model('sale.order')
    .browse([...new Set(deposits.flatMap((line) => line.sale_order_origin_id?.id ?? []))])
    .load(['order_line.sequence', 'order_line.is_downpayment', 'order_line.display_type'])
  const last = new Map(
    orders.map(({ id, order_line }) => [id, Math.max(10, ...order_line.map(({ sequence }) => sequence))]),
  )
  const headings = orders
    .filter(({ order_line }) => !order_line.some((line) => line.is_downpayment && line.display_type))
    .map(
      ({ id }): Vals<'sale.order.line'> => ({
        order_id: id,
        display_type: 'line_section',
        name: 'Down Payments',
        is_downpayment: true,
        sequence: (last.get(id) ?? 10) + 1,
      }),
    )
  const values = deposits.map((line): Vals<'sale.order.line'> => {
    const order_id = present(line.sale_order_origin_id).id
    return {
      order_id,
      name: `Down payment (ref: ${line.order_id.name})`,
      is_downpayment: true,
      product_id: line.product_id.id,
      product_uom_qty: 0,
      price_unit: line.price_unit,
      tax_ids: [[6, 0, line.tax_ids.map(({ id }) => id)]],
      sequence: (last.get(order_id) ?? 10) + 2,
    }
  })
  const createdLines = await env.model('sale.order.line').create([...headings, ...values])
  await env
    .model('pos.order.line')
    .browse(deposits.map(({ id }) => id))
    .writeEach(
      new Map(
        deposits.map(({ id }, i) => [
          id,
          { sale_order_line_id: present(createdLines.ids[headings.length + i]) },
        ]),
      ),
    )
}

/** Goods handed over at the till are not delivered again. */
async function cutDeliveries(env: Environment, settled: readonly Line[]): Promise<void> {
  const handed = new Map<number, number>()
  for (const { sale_order_line_id: line, qty } of settled)
    if (line && qty > 0) handed.set(line.id, addDecimals(handed.get(line.id) ?? 0, qty))
  if (handed.size === 0) return
  const moves = await env.model('stock.move').search(
    [
      ['sale_line_id', 'in', [...handed.keys()]],
      ['state', 'not in', ['done', 'cancel']],
    ],
    { order: 'id' },
  )
  const gone: number[] = []
  const cut = new Map<number, { product_uom_qty: number }>()
  const reserved: number[] = []
  for (const move of await moves.load(['sale_line_id', 'product_uom_qty', 'product_qty', 'quantity'])) {
    const line = move.sale_line_id?.id ?? 0
    const left = handed.get(line) ?? 0
    if (left <= 0) continue
    const taken = Math.min(left, move.product_qty)
    handed.set(line, addDecimals(left, -taken))
    if (taken >= move.product_qty) gone.push(move.id)
    // In the unit of the move, as much as is left in that of the product.
    else {
      cut.set(move.id, {
        product_uom_qty: (move.product_uom_qty * addDecimals(move.product_qty, -taken)) / move.product_qty,
      })
      if (move.quantity > 0) reserved.push(move.id)
    }
  }
  if (gone.length) await cancelMoves(env, gone)
  if (cut.size === 0) return
  await env
    .model('stock.move')
    .browse([...cut.keys()])
    .writeEach(cut)
  // A lower demand releases the reservation: reserve the rest again.
  if (reserved.length) await assignMoves(env, reserved)
}
