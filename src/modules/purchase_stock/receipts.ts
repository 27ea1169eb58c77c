// Receipts of confirmed orders: moves from the vendor, in the unit of the product, for what is ordered and
// not expected yet; what is ordered less is expected less, and beyond that goes back.

import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals } from '../../kit/rounding.ts'
import { cancelMoves, confirmMoves, type MoveSpec, makeMoves } from '../stock/index.ts'
import { convertQuantity } from '../uom/index.ts'
import { unitCostsNow } from './unit-costs.ts'

const paths = [
  'state',
  'display_type',
  'product_id.product_tmpl_id.type',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_qty',
  'product_uom_id.factor',
  'date_planned',
  'name',
  'propagate_cancel',
  'move_dest_ids.state',
  'qty_received',
  'order_id.name',
  'order_id.company_id',
  'order_id.partner_id.property_stock_supplier',
  'order_id.dest_address_id.property_stock_customer',
  'order_id.picking_type_id.default_location_dest_id',
  'order_id.picking_type_id.warehouse_id',
  'move_ids.state',
  'move_ids.quantity',
  'move_ids.price_unit',
  'move_ids.to_refund',
  'move_ids.picked',
  'move_ids.product_uom_qty',
  'move_ids.product_uom.factor',
  'move_ids.location_id.usage',
  'move_ids.location_dest_id.usage',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('purchase.order.line')
    .browse([...ids])
    .load([...paths])
type Line = Awaited<ReturnType<typeof load>>[number]
type Unit = NonNullable<Line['product_uom_id']>
type Move = Line['move_ids'][number]

const isGoods = (line: Line) =>
  line.state === 'purchase' && !line.display_type && line.product_id?.product_tmpl_id.type === 'consu'
const isOpen = (move: Move) => move.state !== 'done' && move.state !== 'cancel'
const goesBack = (move: Move) => move.location_dest_id.usage === 'supplier'
const comes = (move: Move) => move.location_id.usage === 'supplier'

/**
 * Quantity that a move brings or will bring, in the unit of the line; returned goods are expected again
 * if they count as not received.
 */
function expected(move: Move, unit: Unit): number {
  if (move.state === 'cancel') return 0
  const quantity = convertQuantity(
    move.state === 'done' ? move.quantity : move.product_uom_qty,
    move.product_uom,
    unit,
    'half-up',
  )
  if (goesBack(move)) return move.to_refund ? -quantity : 0
  return comes(move) ? quantity : 0
}

/**
 * Brings the open receipts of lines in line with what is ordered. Lines of orders that are not confirmed, and
 * services, have none.
 */
export async function settleReceipts(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await settle(env, (await load(env, ids)).filter(isGoods))
}

/**
 * As `settleReceipts`, after other quantities were ordered. An order of which no receipt is open takes less
 * than came in for what it is: nothing is expected, and nothing goes back (recorded).
 */
export async function followQuantities(env: Environment, ids: readonly number[]): Promise<void> {
  const lines = (await load(env, ids)).filter(isGoods)
  if (lines.length === 0) return
  const less = lines.filter((line) => line.product_qty <= line.qty_received)
  const open = less.length ? await withOpenReceipts(env, less) : new Set<number>()
  await settle(
    env,
    lines.filter((line) => !less.includes(line) || open.has(line.order_id.id)),
  )
}

/** Orders of lines of which a receipt is open. */
async function withOpenReceipts(env: Environment, lines: readonly Line[]): Promise<Set<number>> {
  const moves = await env
    .sudo()
    .model('stock.move')
    .search([
      ['purchase_line_id.order_id', 'in', [...new Set(lines.map((line) => line.order_id.id))]],
      ['picking_id.state', 'not in', ['done', 'cancel']],
      ['location_dest_id.usage', '!=', 'supplier'],
    ])
  const rows = await moves.load(['purchase_line_id.order_id'])
  return new Set(rows.flatMap((row) => row.purchase_line_id?.order_id.id ?? []))
}

async function settle(env: Environment, lines: readonly Line[]): Promise<void> {
  const costs = await unitCostsNow(
    env,
    lines.map(({ id }) => id),
  )
  const moveOf = (line: Line, quantity: number) => moveFor(line, quantity, costs.get(line.id) ?? 0)
  const missing: MoveSpec[] = []
  const grown = new Map<number, Vals<'stock.move'>>()
  const fewer: Excess[] = []
  for (const line of lines) {
    const unit = line.product_uom_id
    if (!unit) continue
    const open = addDecimals(
      line.product_qty,
      -line.move_ids.reduce((sum, move) => addDecimals(sum, expected(move, unit)), 0),
    )
    if (open > 0) {
      const more = moveOf(line, open)
      const growing = line.move_ids.findLast((move) => grows(move, more))
      if (!growing) missing.push(more)
      else
        grown.set(growing.id, {
          product_uom_qty: addDecimals(growing.product_uom_qty, inOwnUnit(line, open)),
        })
    } else if (open < 0) fewer.push({ line, quantity: inOwnUnit(line, -open) })
  }
  for (const { line, quantity } of await expectLess(env, fewer))
    missing.push({ ...moveOf(line, 0), product_uom_qty: -quantity, to_refund: true })
  if (grown.size) await env.sudo().model('stock.move').writeEach(grown)
  if (missing.length === 0) return
  await confirmMoves(env, await makeMoves(env, missing))
}

/** A quantity of the line in the unit of its product, in which moves count. */
const inOwnUnit = (line: Line, quantity: number): number =>
  convertQuantity(
    quantity,
    present(line.product_uom_id),
    present(line.product_id).product_tmpl_id.uom_id,
    'half-up',
  )

/** Whether an open move takes more of its line in: what comes at another price comes by a move of its own. */
const grows = (move: Move, more: MoveSpec): boolean =>
  isOpen(move) &&
  comes(move) &&
  !move.picked &&
  move.product_uom.id === more.product_uom &&
  move.price_unit === more.price_unit

/** The move that brings so much of a line's goods. */
function moveFor(line: Line, quantity: number, price_unit: number): MoveSpec {
  const { order_id: order } = line
  const waiting = line.move_dest_ids.filter((move) => move.state !== 'done' && move.state !== 'cancel')
  const type = order.picking_type_id
  const dropped = order.dest_address_id?.property_stock_customer?.id
  const source = order.partner_id.property_stock_supplier
  return {
    product_id: present(line.product_id).id,
    product_uom: present(line.product_id).product_tmpl_id.uom_id.id,
    product_uom_qty: inOwnUnit(line, quantity),
    // Where the vendor's goods come from; else what their kind of receipt begins with.
    ...(source && { location_id: source.id }),
    location_dest_id: dropped ?? (type?.default_location_dest_id.id as number),
    picking_type_id: type?.id as number,
    partner_id: order.partner_id.id,
    company_id: order.company_id.id,
    warehouse_id: type?.warehouse_id?.id ?? null,
    origin: order.name,
    description_picking: line.name,
    purchase_line_id: line.id,
    propagate_cancel: line.propagate_cancel,
    price_unit,
    ...(line.date_planned ? { date: line.date_planned, date_deadline: line.date_planned } : {}),
    ...(waiting.length ? { move_dest_ids: waiting.map(({ id }) => [4, id, 0] as const) } : {}),
  }
}

/** So much of a line is not ordered any more, in the unit of its product. */
interface Excess {
  readonly line: Line
  readonly quantity: number
}

/**
 * Takes quantities off open receipts, the latest first; those of which nothing is left are cancelled. Answers
 * what is left, for it came in already: that goes back to the vendor.
 */
async function expectLess(env: Environment, fewer: readonly Excess[]): Promise<Excess[]> {
  const values = new Map<number, Vals<'stock.move'>>()
  const back: Excess[] = []
  for (const { line, quantity } of fewer) {
    const unit = present(line.product_id).product_tmpl_id.uom_id
    let left = quantity
    for (const move of line.move_ids
      .filter((other) => isOpen(other) && comes(other))
      .toSorted((a, b) => b.id - a.id)) {
      if (left <= 0) break
      const quantity = convertQuantity(move.product_uom_qty, move.product_uom, unit, 'half-up')
      const taken = Math.min(quantity, left)
      left = addDecimals(left, -taken)
      values.set(move.id, {
        product_uom_qty: convertQuantity(addDecimals(quantity, -taken), unit, move.product_uom, 'half-up'),
      })
    }
    if (left > 0) back.push({ line, quantity: left })
  }
  const zeroIds = [...values].filter(([, { product_uom_qty }]) => product_uom_qty === 0).map(([id]) => id)
  if (values.size) await env.sudo().model('stock.move').writeEach(values)
  if (zeroIds.length) await cancelMoves(env, zeroIds)
  return back
}
