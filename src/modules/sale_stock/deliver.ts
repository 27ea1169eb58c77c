// Deliveries of lines: what confirmed orders want and no move delivers yet is asked for; where less is
// wanted, open moves give (reduce-moves.ts).
import type { Environment, Records, Vals, WriteChange } from '#models'
import { UserError } from '../../errors.ts'
import { addDays } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { guardPaths } from '../sale/index.ts'
import { kindPaths, meetNeeds, type Need } from '../stock/index.ts'
import { convertQuantity } from '../uom/index.ts'
import { directionPaths, headingOf } from './delivered.ts'
import { isDeliveredByMoves } from './delivery-method.ts'
import { type Excess, reduceMoves } from './reduce-moves.ts'

type Lines = Records<'sale.order.line'>

/** Fields that show whether the order of a line is confirmed: nothing else is read of other lines. */
const confirmedPaths = ['state', 'display_type', 'is_downpayment'] as const

const paths = [
  'is_expense',
  'name',
  'product_uom_qty',
  'customer_lead',
  'route_ids',
  'product_id.product_tmpl_id.type',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_uom_id.factor',
  'order_id.name',
  'order_id.date_order',
  'order_id.commitment_date',
  'order_id.company_id.security_lead',
  'order_id.warehouse_id',
  'order_id.picking_policy',
  'order_id.partner_shipping_id.property_stock_customer',
  'move_ids.state',
  'move_ids.picked',
  'move_ids.quantity',
  'move_ids.product_uom_qty',
  'move_ids.product_uom.factor',
  ...directionPaths,
  'move_ids.location_final_id.usage',
] as const

/** Fields that deliveries read of lines, and of their surroundings, until the moves exist. */
export const deliveryPaths = [
  ...paths,
  'order_id.partner_shipping_id.property_stock_supplier',
  'order_id.partner_shipping_id.property_stock_customer.usage',
  'order_id.partner_shipping_id.property_stock_customer.parent_path',
  'order_id.partner_shipping_id.property_stock_customer.removal_strategy_id',
  'order_id.warehouse_id.lot_stock_id.usage',
  'order_id.warehouse_id.lot_stock_id.parent_path',
  'order_id.warehouse_id.lot_stock_id.removal_strategy_id',
  ...kindPaths.map((path) => `order_id.warehouse_id.out_type_id.${path}`),
  'product_id.product_tmpl_id.is_storable',
  'product_id.product_tmpl_id.tracking',
  'product_id.product_tmpl_id.categ_id.removal_strategy_id',
  'product_id.product_tmpl_id.description_pickingin',
  'product_id.product_tmpl_id.description_pickingout',
  'product_id.product_tmpl_id.description_picking',
]

const load = (lines: Lines) => lines.sudo().load(paths)
type Line = Awaited<ReturnType<typeof load>>[number]

const delivers = (line: Line) =>
  !line.is_expense && line.product_id?.product_tmpl_id.type === 'consu' && line.product_uom_id !== null

/**
 * The part of a line that moves deliver, or will, in its own unit, each move rounded as it counts as
 * delivered: one piece of packs of six is 0.17 of them, and 0.83 are still to come (recorded).
 */
function underWay(line: Line): number {
  const unit = present(line.product_uom_id)
  return line.move_ids
    .filter((move) => move.state !== 'cancel')
    .reduce((sum, move) => {
      const quantity = move.state === 'done' ? move.quantity : move.product_uom_qty
      return sum + headingOf(move) * convertQuantity(quantity, move.product_uom, unit, 'half-up')
    }, 0)
}
type Unit = { readonly id: number; readonly factor: number }

const exact = (value: number) => Number(value.toFixed(6)) + 0

/** Brings moves in line with what confirmed lines want: all lines of a call at once. */
export async function deliver(lines: Lines): Promise<void> {
  const confirmed = (await lines.sudo().load([...confirmedPaths])).flatMap((line) =>
    line.state === 'sale' && !line.display_type && !line.is_downpayment ? [line.id] : [],
  )
  if (confirmed.length === 0) return
  const rows = (await load(lines.browse(confirmed))).filter(delivers)
  if (rows.length === 0) return
  const { env } = lines
  const needs: Need[] = []
  const less: Excess[] = []
  for (const row of rows) {
    const unit = present(row.product_id).product_tmpl_id.uom_id
    const open = exact(row.product_uom_qty - underWay(row))
    const missing = convertQuantity(open, present(row.product_uom_id), unit, 'half-up')
    if (missing > 0) needs.push(await needOf(env, row, missing, unit))
    else if (missing < 0)
      less.push({ quantity: -missing, unit, moves: row.move_ids.filter((move) => headingOf(move) === 1) })
  }
  if (less.length) await reduceMoves(env, less)
  if (needs.length === 0) return
  await meetNeeds(env, needs)
  await followOrders(env, [...new Set(rows.map((row) => row.order_id.id))])
}

async function needOf(env: Environment, line: Line, quantity: number, unit: Unit): Promise<Need> {
  const order = line.order_id
  const promised = order.commitment_date ?? addDays(order.date_order, Math.ceil(line.customer_lead))
  const place = order.partner_shipping_id.property_stock_customer?.id
  return {
    product: present(line.product_id).id,
    quantity,
    unit: unit.id,
    location: place ?? (await env.ref('stock.stock_location_customers')),
    company: order.company_id.id,
    origin: order.name,
    date: addDays(promised, -Math.ceil(order.company_id.security_lead)),
    deadline: promised,
    warehouse: order.warehouse_id?.id ?? null,
    routes: line.route_ids.map(({ id }) => id),
    partner: order.partner_shipping_id.id,
    transfer: { sale_id: order.id, move_type: order.picking_policy },
    values: { sale_line_id: line.id } satisfies Vals<'stock.move'>,
  }
}

/**
 * Transfers of orders, those before the last step too, know their order, and wait for all their goods where
 * it is delivered whole.
 */
async function followOrders(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo()
  const orders = await su.model('sale.order').browse(ids).load(['picking_policy', 'order_line.move_ids'])
  const values = new Map<number, Vals<'stock.picking'>>()
  let bringing = new Map<number, (typeof orders)[number]>()
  for (const order of orders.toSorted((a, b) => b.id - a.id))
    for (const { move_ids } of order.order_line) for (const { id } of move_ids) bringing.set(id, order)
  const seen = new Set<number>()
  for (let isLast = true; bringing.size; isLast = false) {
    const moves = await su
      .model('stock.move')
      .browse([...bringing.keys()])
      .load(movePaths)
    const before: typeof bringing = new Map()
    for (const { id, state, picking_id, picking_type_id, move_orig_ids } of moves) {
      const order = present(bringing.get(id))
      seen.add(id)
      if (state === 'done' || state === 'cancel') continue
      if (!isLast && (!picking_type_id || picking_type_id.code === 'incoming')) continue
      if (picking_id && (picking_id.move_type !== order.picking_policy || !picking_id.sale_id))
        values.set(picking_id.id, { move_type: order.picking_policy, sale_id: order.id })
      for (const moveOrig of move_orig_ids) if (!seen.has(moveOrig.id)) before.set(moveOrig.id, order)
    }
    bringing = before
  }
  if (values.size)
    await su
      .model('stock.picking')
      .browse([...values.keys()])
      .writeEach(values)
}

const movePaths = [
  'state',
  'picking_id.move_type',
  'picking_id.sale_id',
  'picking_type_id.code',
  'move_orig_ids',
] as const

/** Whether a move keeps the product of its line. */
export const keepsProduct = (move: { readonly state: string | null }): boolean =>
  move.state !== 'cancel' && move.state !== 'draft'

/** Paths that changes of lines are judged by, with those that orders ask for next: one query. */
export const checkedPaths = [
  ...guardPaths,
  'product_uom_qty',
  'qty_delivered',
  'qty_delivered_method',
  'move_ids.state',
] as const

const typedQuantity = () =>
  new UserError(
    'Delivered quantities of goods cannot be edited: deliver or return the goods with a transfer.',
  )

/** Throws UserError for new lines of goods that say what was delivered: they have no moves yet. */
export async function assertNoneTyped(lines: Lines): Promise<void> {
  const rows = await lines.sudo().load(['qty_delivered', 'qty_delivered_method'])
  if (rows.some((row) => isDeliveredByMoves(row) && row.qty_delivered !== 0)) throw typedQuantity()
}

/**
 * Throws UserError for a delivered quantity of goods that is typed, and for goods that become an expense on
 * their way.
 */
function assertDeliveredByMoves(
  record: { readonly qty_delivered: number; readonly move_ids: readonly { readonly state: string | null }[] },
  { qty_delivered: typed, is_expense: isExpense }: WriteChange['vals'],
): void {
  if (typeof typed === 'number' && typed !== record.qty_delivered) throw typedQuantity()
  if (isExpense && record.move_ids.some(keepsProduct))
    throw new UserError('A line with goods in delivery cannot become an expense: add a line for the expense.')
}

/** Throws UserError for goods that change once they move, and for quantities lowered below what was delivered. */
export async function assertLineChanges(lines: Lines, changes: readonly WriteChange[]): Promise<void> {
  const ids = changes.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const rows = await lines.sudo().browse(ids).load(checkedPaths)
  const lineById = new Map(rows.map((row) => [row.id, row]))
  for (const { ids: lineIds, vals } of changes)
    for (const id of lineIds) {
      const line = lineById.get(id)
      if (!line || !isDeliveredByMoves(line)) continue
      assertDeliveredByMoves(line, vals)
      if (line.state !== 'sale') continue
      if ('product_id' in vals && vals.product_id !== line.product_id?.id && line.move_ids.some(keepsProduct))
        throw new UserError(
          'The product of a line in delivery cannot change: set the quantity to 0 and add a line.',
        )
      const wanted = vals.product_uom_qty
      if (typeof wanted === 'number' && wanted < Math.min(line.product_uom_qty, line.qty_delivered))
        throw new UserError(
          'The ordered quantity cannot be less than the delivered quantity: return the goods instead.',
        )
    }
}
