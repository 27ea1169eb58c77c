// Moves as the engine of moves sees them, with their lines and what it needs of products, units and places:
// one load for all.
import type { Environment, Records, Vals } from '#models'

export type Moves = Records<'stock.move'>
export type MoveVals = Vals<'stock.move'>
export type LineVals = Vals<'stock.move.line'>

const paths = [
  'state',
  'priority',
  'date',
  'sequence',
  'origin',
  'picked',
  'procure_method',
  'reservation_date',
  'is_inventory',
  'propagate_cancel',
  'product_qty',
  'product_uom_qty',
  'quantity',
  'company_id',
  'partner_id',
  'restrict_partner_id',
  'scrap_id',
  'location_final_id',
  'warehouse_id',
  'rule_id',
  'route_ids',
  'product_uom.factor',
  'product_id.product_tmpl_id.is_storable',
  'product_id.product_tmpl_id.tracking',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_id.product_tmpl_id.categ_id.removal_strategy_id.method',
  'location_id.usage',
  'location_id.parent_path',
  'location_id.removal_strategy_id.method',
  'location_dest_id.usage',
  'location_dest_id.parent_path',
  'origin_returned_move_id',
  'picking_id',
  'picking_id.state',
  'picking_type_id.reservation_method',
  'picking_type_id.reservation_days_before',
  'picking_type_id.use_create_lots',
  'picking_type_id.use_existing_lots',
  'move_orig_ids.state',
  'move_dest_ids',
  'move_line_ids.quantity',
  'move_line_ids.quantity_product_uom',
  'move_line_ids.picked',
  'move_line_ids.product_uom_id.factor',
  'move_line_ids.location_id',
  'move_line_ids.lot_id',
  'move_line_ids.lot_name',
  'move_line_ids.package_id',
  'move_line_ids.owner_id',
] as const

export const loadMoves = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('stock.move')
    .browse([...new Set(ids)])
    .load(paths)

export type MoveRow = Awaited<ReturnType<typeof loadMoves>>[number]
export type LineRow = MoveRow['move_line_ids'][number]

export const isOpen = (state: string | null): boolean => state !== 'done' && state !== 'cancel'

/** Units of a move: its own, and that of its product. */
export const unitsOf = (move: MoveRow) => ({
  moveUnit: move.product_uom,
  product: move.product_id.product_tmpl_id.uom_id,
})
