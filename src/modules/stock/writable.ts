// Writable fields of transfers and their moves by their state. Stock on hand follows from done moves, so they
// stay.
import { writable } from '#models'

const open = ['draft', 'waiting', 'confirmed', 'partially_available', 'assigned'] as const

/** A transfer that was done stays closed when moves are added, which open it again (recorded). */
export const pickingWritable = writable<'stock.picking'>({
  state: 'state',
  lock: 'date_done',
  open: ['draft', 'waiting', 'confirmed', 'assigned'],
  always: ['note', 'printed', 'user_id'],
  removed: ['draft', 'waiting', 'confirmed', 'assigned', 'cancel'],
})

/** Done quantities may be corrected afterwards: the quantities in places follow (recorded). */
export const moveWritable = writable<'stock.move'>({
  state: 'state',
  open,
  given: ['quantity'],
  later: { done: ['quantity', 'product_uom_qty', 'description_picking'] },
  laterOnly: { done: 'stock.group_stock_user' },
  removed: [...open, 'cancel'],
  into: { picking_id: [...open, 'done', 'locked'] },
})

/** All users have the rights to this model, as orders of all kinds move goods. */
export const moveLineWritable = writable<'stock.move.line'>({
  state: 'state',
  only: { 'stock.group_stock_user': 'all' },
  open,
  later: { done: ['quantity', 'lot_id', 'description_picking'] },
  removed: [...open, 'cancel'],
  into: { picking_id: open, move_id: open },
})

/** Moves change stock on hand; people enter counts. */
export const quantWritable = writable<'stock.quant'>({
  once: ['product_id', 'location_id', 'lot_id', 'package_id', 'owner_id'],
})

export const scrapWritable = writable<'stock.scrap'>({ state: 'state', open: ['draft'] })

/** References group moves; all users have the rights to the model, as orders of all kinds create them. */
export const referenceWritable = writable<'stock.reference'>({
  only: { 'stock.group_stock_user': 'all' },
})
