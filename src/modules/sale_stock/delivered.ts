// Delivered quantity of a line: goods that done moves brought to the customer, less those that came
// back.
import { convertQuantity, type UnitFactor } from '../uom/index.ts'

/** Fields that decide the direction of a line's moves (`directionOf`). */
export const directionPaths = [
  'move_ids.to_refund',
  'move_ids.scrap_id',
  'move_ids.origin_returned_move_id',
  'move_ids.location_id.usage',
  'move_ids.location_dest_id.usage',
] as const

/** Dependencies of the delivered quantity; modules that deliver in other ways add theirs. */
export const deliveredPaths = [
  'qty_delivered_method',
  'product_uom_id.factor',
  'move_ids.state',
  'move_ids.quantity',
  'move_ids.product_uom.factor',
  ...directionPaths,
] as const

/** A move as deliveries see it. */
export interface Delivery {
  readonly state: string | null
  readonly quantity: number
  readonly product_uom: UnitFactor
  readonly to_refund: boolean
  readonly scrap_id: { readonly id: number } | null
  readonly origin_returned_move_id: { readonly id: number } | null
  readonly location_id: { readonly usage: string | null }
  readonly location_dest_id: { readonly usage: string | null }
}

/** 1 for moves to the customer, -1 for those back that count, 0 for all others. */
export function directionOf(delivery: Omit<Delivery, 'state' | 'quantity' | 'product_uom'>): 1 | -1 | 0 {
  if (delivery.scrap_id) return 0
  if (delivery.location_dest_id.usage === 'customer')
    return !delivery.origin_returned_move_id || delivery.to_refund ? 1 : 0
  return delivery.location_id.usage === 'customer' && delivery.to_refund ? -1 : 0
}

/** A move as what is still to be delivered sees it. */
type Underway = Omit<Delivery, 'quantity' | 'product_uom'> & {
  readonly location_final_id: { readonly usage: string | null } | null
}

/**
 * The direction of a move, where one that is open counts in every step: in deliveries of several steps the
 * goods are on their way to the customer from the first step on, and each step is made when the one before it
 * is done.
 */
export function headingOf(move: Underway): 1 | -1 | 0 {
  const direction = directionOf(move)
  if (direction !== 0 || move.state === 'done' || move.scrap_id || move.origin_returned_move_id)
    return direction
  return move.location_final_id?.usage === 'customer' ? 1 : 0
}

/** The delivered quantity in a unit. */
export function deliveredBy(moves: readonly Delivery[], unit: UnitFactor): number {
  const sum = moves
    .filter((move) => move.state === 'done')
    .reduce(
      (total, move) =>
        total + directionOf(move) * convertQuantity(move.quantity, move.product_uom, unit, 'half-up'),
      0,
    )
  return Number(sum.toFixed(6)) + 0
}
