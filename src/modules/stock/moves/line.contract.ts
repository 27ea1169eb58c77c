// Details of moves (stock.move.line): so much from one shelf to another, of one lot, package and owner.
import { boolean, char, datetime, float, many2one, model, type Of, selection, text } from '#models'
import { codes } from '../places/codes.ts'
import { trackings } from '../products/trackings.ts'
import { states } from './move.contract.ts'

const quantity = { precision: 'Product Unit' } as const

export const line = model('stock.move.line', {
  label: 'Product Moves (Stock Move Line)',
  order: 'result_package_id desc, id',
  recName: 'product_id',
  rules: {
    of_product: { index: ['product_id', 'date'], where: "state = 'done'" },
    not_negative: { check: 'quantity >= 0', message: 'You can not enter negative quantities.' },
  },
  fields: {
    picking_id: many2one('stock.picking', { label: 'Transfer', index: true, checkCompany: true }),
    move_id: many2one('stock.move', {
      label: 'Stock Operation',
      index: true,
      checkCompany: true,
      ondelete: 'set null',
    }),
    company_id: many2one('res.company', { label: 'Company', required: true, mustSend: false, index: true }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
      checkCompany: true,
    }),
    product_uom_id: many2one('uom.uom', {
      label: 'Unit',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
    }),
    quantity: float({ label: 'Quantity', ...quantity, default: 0 }),
    quantity_product_uom: float({
      label: 'Quantity in Product UoM',
      ...quantity,
      computed: true,
      stored: true,
      precompute: true,
      copy: false,
    }),
    picked: boolean({ label: 'Picked', copy: false }),
    package_id: many2one('stock.package', {
      label: 'Source Package',
      ondelete: 'restrict',
      checkCompany: true,
    }),
    result_package_id: many2one('stock.package', {
      label: 'Destination Package',
      ondelete: 'restrict',
      checkCompany: true,
    }),
    lot_id: many2one('stock.lot', {
      label: 'Lot/Serial Number',
      index: 'set',
      ondelete: 'restrict',
      checkCompany: true,
    }),
    lot_name: char({ label: 'Lot/Serial Number Name', help: 'Of a lot that is made when the goods arrive.' }),
    owner_id: many2one('res.partner', { label: 'From Owner', help: 'Owner of the goods that are moved.' }),
    date: datetime({ label: 'Date', required: true }),
    location_id: many2one('stock.location', {
      label: 'From',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
      checkCompany: true,
    }),
    location_dest_id: many2one('stock.location', {
      label: 'To',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
      checkCompany: true,
    }),
    state: selection(states, { label: 'Status', related: 'move_id.state', stored: true, index: true }),
    is_inventory: boolean({ label: 'Inventory', related: 'move_id.is_inventory' }),
    reference: char({ label: 'Reference', related: 'move_id.reference' }),
    origin: char({ label: 'Source', related: 'move_id.origin' }),
    tracking: selection(trackings, { label: 'Product Tracking', related: 'product_id.tracking' }),
    picking_code: selection(codes, {
      label: 'Type of Operation',
      related: 'picking_id.picking_type_id.code',
    }),
    picking_type_id: many2one('stock.picking.type', {
      label: 'Operation type',
      related: 'picking_id.picking_type_id',
    }),
    picking_partner_id: many2one('res.partner', {
      label: 'Picking Partner',
      related: 'picking_id.partner_id',
    }),
    scheduled_date: datetime({ label: 'Scheduled Date', related: 'picking_id.scheduled_date' }),
    description_picking: text({ label: 'Description picking', related: 'move_id.description_picking' }),
  },
})

declare module '#models' {
  interface Models {
    'stock.move.line': StockMoveLine
  }
  interface StockMoveLine extends Of<typeof line> {}
}
