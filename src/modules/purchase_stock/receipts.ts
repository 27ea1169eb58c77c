// Receipts of confirmed orders: moves from the vendor for what is ordered and not expected yet; what is
// ordered less is expected less.

import type { Environment, Records, Vals } from '#models'
import { UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import { cancelMoves, confirmMoves, type MoveSpec, makeMoves } from '../stock/index.ts'
import { convertQuantity } from '../uom/index.ts'

const paths = [
  'state',
  'display_type',
  'product_id.product_tmpl_id.type',
  'product_qty',
  'product_uom_id.factor',
  'price_subtotal',
  'price_unit_product_uom',
  'product_uom_qty',
  'date_planned',
  'name',
  'propagate_cancel',
  'move_dest_ids.state',
  'qty_received',
  'order_id.name',
  'order_id.company_id',
  'order_id.currency_rate',
  'order_id.partner_id.property_stock_supplier',
  'order_id.dest_address_id.property_stock_customer',
  'order_id.picking_type_id.default_location_dest_id',
  'order_id.picking_type_id.warehouse_id',
  'move_ids.state',
  'move_ids.quantity',
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

const isGoods = (one: Line) =>
  one.state === 'purchase' && !one.display_type && one.product_id?.product_tmpl_id.type === 'consu'
const isOpen = (move: Move) => move.state !== 'done' && move.state !== 'cancel'
const goesBack = (move: Move) => move.location_dest_id.usage === 'supplier'
const comes = (move: Move) => move.location_id.usage === 'supplier'

/**
 * What a move brings or will bring, in the unit of the line; what goes back is wanted again where it counts
 * as not received.
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

/** Throws UserError for lines that order less than came in. */
export async function assertEnough(lines: Records<'purchase.order.line'>): Promise<void> {
  const rows = await lines.sudo().load(['state', 'qty_received_method', 'qty_received', 'product_qty'])
  const short = rows.some(
    (one) =>
      one.state === 'purchase' && one.qty_received_method !== 'manual' && one.product_qty < one.qty_received,
  )
  if (short) throw new UserError('Less cannot be ordered than came in already: return goods first.')
}

/**
 * Brings the open receipts of lines in line with what is ordered. Lines of orders that are not confirmed, and
 * services, have none.
 */
export async function settleReceipts(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const lines = (await load(env, ids)).filter(isGoods)
  const missing: MoveSpec[] = []
  const grown = new Map<number, Vals<'stock.move'>>()
  const fewer: { readonly one: Line; readonly unit: Unit; readonly quantity: number }[] = []
  for (const one of lines) {
    const unit = one.product_uom_id
    if (!unit) continue
    const open = addDecimals(
      one.product_qty,
      -one.move_ids.reduce((sum, move) => addDecimals(sum, expected(move, unit)), 0),
    )
    const growing = one.move_ids.findLast((move) => isOpen(move) && comes(move) && !move.picked)
    if (open > 0 && growing)
      grown.set(growing.id, {
        product_uom_qty: convertQuantity(
          addDecimals(expected(growing, unit), open),
          unit,
          growing.product_uom,
          'half-up',
        ),
      })
    else if (open > 0) missing.push(moveFor(one, open))
    else if (open < 0) fewer.push({ one, unit, quantity: -open })
  }
  await expectLess(env, fewer)
  if (grown.size) await env.sudo().model('stock.move').writeEach(grown)
  if (missing.length === 0) return
  await confirmMoves(env, await makeMoves(env, missing))
}

interface Priced {
  readonly price_subtotal: number
  readonly price_unit_product_uom: number
  readonly product_uom_qty: number
  readonly order_id: { readonly currency_rate: number }
}

/** What one of the product's unit costs the company, without the taxes that the vendor charges. */
export const costOf = (one: Priced): number =>
  asDecimal(
    (one.product_uom_qty ? one.price_subtotal / one.product_uom_qty : one.price_unit_product_uom) /
      (one.order_id.currency_rate || 1),
  )

/** The move that brings so much of a line's goods. */
function moveFor(one: Line, quantity: number): MoveSpec {
  const { order_id: order } = one
  const waiting = one.move_dest_ids.filter((move) => move.state !== 'done' && move.state !== 'cancel')
  const type = order.picking_type_id
  const dropped = order.dest_address_id?.property_stock_customer?.id
  const source = order.partner_id.property_stock_supplier
  return {
    product_id: present(one.product_id).id,
    product_uom: present(one.product_uom_id).id,
    product_uom_qty: quantity,
    // Where the vendor's goods come from; else what their kind of receipt begins with.
    ...(source && { location_id: source.id }),
    location_dest_id: dropped ?? (type?.default_location_dest_id.id as number),
    picking_type_id: type?.id as number,
    partner_id: order.partner_id.id,
    company_id: order.company_id.id,
    warehouse_id: type?.warehouse_id?.id ?? null,
    origin: order.name,
    description_picking: one.name,
    purchase_line_id: one.id,
    propagate_cancel: one.propagate_cancel,
    price_unit: costOf(one),
    ...(one.date_planned ? { date: one.date_planned, date_deadline: one.date_planned } : {}),
    ...(waiting.length ? { move_dest_ids: waiting.map(({ id }) => [4, id, 0] as const) } : {}),
  }
}

/** Takes quantities off open receipts, the latest first; those of which nothing is left are cancelled. */
async function expectLess(
  env: Environment,
  fewer: readonly { one: Line; unit: Unit; quantity: number }[],
): Promise<void> {
  const values = new Map<number, Vals<'stock.move'>>()
  const given: number[] = []
  for (const { one, unit, quantity } of fewer) {
    let left = quantity
    for (const move of one.move_ids
      .filter((other) => isOpen(other) && comes(other))
      .toSorted((a, b) => b.id - a.id)) {
      if (left <= 0) break
      const own = expected(move, unit)
      const taken = Math.min(own, left)
      left = addDecimals(left, -taken)
      if (taken === own) given.push(move.id)
      else
        values.set(move.id, {
          product_uom_qty: convertQuantity(addDecimals(own, -taken), unit, move.product_uom, 'half-up'),
        })
    }
  }
  if (values.size) await env.sudo().model('stock.move').writeEach(values)
  if (given.length) await cancelMoves(env, given)
}
