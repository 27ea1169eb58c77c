// Moves of goods (stock.move): so much of a product from one place to another, wanted, reserved, done
// (spec/business-models.md section 7).
import {
  boolean,
  char,
  date,
  datetime,
  float,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  required,
  returns,
  selection,
  text,
} from '#models'
import { codes } from '../places/codes.ts'
import { usages } from '../places/usages.ts'
import { trackings } from '../products/trackings.ts'

const quantity = { precision: 'Product Unit' } as const

export const states = {
  draft: 'New',
  waiting: 'Waiting Another Move',
  confirmed: 'Waiting',
  partially_available: 'Partially Available',
  assigned: 'Available',
  done: 'Done',
  cancel: 'Cancelled',
} as const

export const move = model('stock.move', {
  label: 'Stock Move',
  formsBySaving: true,
  order: 'sequence, id',
  recName: 'reference',
  rules: {
    open_of_product: {
      index: ['product_id', 'location_id', 'location_dest_id'],
      where: "state NOT IN ('done', 'cancel', 'draft')",
    },
    of_product: { index: ['product_id', 'state'] },
    own_order: { index: ['sequence', 'id'] },
    changes: { index: ['write_date', 'id'] },
  },
  fields: {
    sequence: integer({ label: 'Sequence', default: 10 }),
    priority: selection({ '0': 'Normal', '1': 'Urgent' }, { label: 'Priority', default: '0' }),
    date: datetime({
      label: 'Date Scheduled',
      required: true,
      index: true,
      help: 'When it is to happen; when it happened, once it is done.',
    }),
    date_deadline: datetime({ label: 'Deadline', copy: false, help: 'Promised date.' }),
    company_id: many2one('res.company', { label: 'Company', required: true, mustSend: false, index: true }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      checkCompany: true,
      ondelete: 'restrict',
    }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      related: 'product_id.product_tmpl_id',
    }),
    product_category_id: many2one('product.category', {
      label: 'Product Category',
      related: 'product_id.categ_id',
    }),
    description_picking: text({
      label: 'Description Of Picking',
      asStored: false,
      default: '',
      help: 'Instructions of the product for packing, by the kind of operation.',
    }),
    never_product_template_attribute_value_ids: many2many('product.template.attribute.value', {
      label: 'Never attribute Values',
      relation: {
        table: 'template_attribute_value_stock_move_rel',
        column: 'move_id',
        other: 'template_attribute_value_id',
      },
    }),
    product_qty: float({
      label: 'Real Quantity',
      digits: 0,
      computed: true,
      stored: true,
      precompute: true,
      help: "The demand in the product's unit.",
    }),
    product_uom_qty: float({ label: 'Demand', ...quantity, required: true, default: 0 }),
    product_uom: many2one('uom.uom', {
      label: 'Unit',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
    }),
    location_id: many2one('stock.location', {
      label: 'Source Location',
      required: true,
      mustSend: false,
      index: true,
      checkCompany: true,
    }),
    location_dest_id: many2one('stock.location', {
      label: 'Intermediate Location',
      required: true,
      mustSend: false,
      index: true,
      checkCompany: true,
    }),
    location_final_id: many2one('stock.location', {
      label: 'Final Location',
      checkCompany: true,
      help: 'Where the goods go in the end.',
    }),
    location_usage: selection(usages, { label: 'Source Location Type', related: 'location_id.usage' }),
    location_dest_usage: selection(usages, {
      label: 'Destination Location Type',
      related: 'location_dest_id.usage',
    }),
    partner_id: many2one('res.partner', { label: 'Destination Address', index: 'set' }),
    move_dest_ids: many2many('stock.move', {
      label: 'Destination Moves',
      copy: false,
      relation: { table: 'stock_move_move_rel', column: 'move_orig_id', other: 'move_dest_id' },
    }),
    move_orig_ids: many2many('stock.move', {
      label: 'Original Move',
      copy: false,
      relation: { table: 'stock_move_move_rel', column: 'move_dest_id', other: 'move_orig_id' },
    }),
    picking_id: many2one('stock.picking', {
      label: 'Transfer',
      index: true,
      checkCompany: true,
      ondelete: 'cascade',
    }),
    picking_code: selection(codes, { label: 'Type of Operation', related: 'picking_type_id.code' }),
    picking_type_id: many2one('stock.picking.type', {
      label: 'Operation Type',
      checkCompany: true,
      index: true,
    }),
    state: selection(states, { label: 'Status', default: 'draft', copy: false, readonly: true, index: true }),
    picked: boolean({
      label: 'Picked',
      computed: true,
      stored: true,
      readonly: false,
      copy: false,
      help: 'The quantity was picked: the move is completed with the transfer.',
    }),
    price_unit: float({ label: 'Unit Price', copy: false }),
    origin: char({ label: 'Source Document' }),
    procure_method: selection(
      { make_to_stock: 'Default: Take From Stock', make_to_order: 'Advanced: Apply Procurement Rules' },
      { label: 'Supply Method', required: true, default: 'make_to_stock', copy: false },
    ),
    scrap_id: many2one('stock.scrap', {
      label: 'Scrap operation',
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    rule_id: many2one('stock.rule', { label: 'Stock Rule', ondelete: 'restrict', checkCompany: true }),
    route_ids: many2many('stock.route', {
      label: 'Destination route',
      relation: { table: 'stock_route_move', column: 'move_id', other: 'route_id' },
    }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      help: 'Whose rules further moves follow.',
    }),
    propagate_cancel: boolean({ label: 'Propagate cancel and split', default: true }),
    is_inventory: boolean({ label: 'Inventory', help: 'Created by an inventory count.' }),
    inventory_name: char({ label: 'Inventory Name' }),
    move_line_ids: one2many('stock.move.line', 'move_id', { label: 'Move lines' }),
    origin_returned_move_id: many2one('stock.move', {
      label: 'Origin return move',
      copy: false,
      index: 'set',
      checkCompany: true,
    }),
    returned_move_ids: one2many('stock.move', 'origin_returned_move_id', { label: 'All returned moves' }),
    to_refund: boolean({
      label: 'Update quantities on SO/PO',
      default: true,
      help: 'Returned goods count as not delivered.',
    }),
    availability: float({ label: 'Forecasted Quantity', computed: true }),
    restrict_partner_id: many2one('res.partner', { label: 'Owner' }),
    quantity: float({
      label: 'Quantity',
      ...quantity,
      computed: true,
      stored: true,
      help: 'Reserved or done quantity, in the unit of the move; writing it changes the lines.',
    }),
    additional: boolean({ label: 'Whether the move was added after the picking’s confirmation' }),
    has_tracking: selection(trackings, { label: 'Product with Tracking', related: 'product_id.tracking' }),
    is_storable: boolean({ label: 'Track Inventory', related: 'product_id.is_storable' }),
    lot_ids: many2many('stock.lot', { label: 'Serial Numbers', computed: true }),
    reservation_date: date({
      label: 'Date to Reserve',
      copy: false,
      help: 'Products are not reserved before this date, except by hand.',
    }),
    reference: char({ label: 'Reference', computed: true, stored: true }),
    orderpoint_id: many2one('stock.warehouse.orderpoint', {
      label: 'Original Reordering Rule',
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    forecast_availability: float({ label: 'Forecast Availability', ...quantity, computed: true }),
    forecast_expected_date: datetime({ label: 'Forecasted Expected date', computed: true }),
  },
  methods: {
    document_values: {
      doc: "Values of done moves by their documents, in the company's currency, by id, for these quantities in the product's unit: modules that order goods wrap it.",
      private: true,
      params: { quantities: required<ReadonlyMap<number, number>>('object') },
      returns: returns<ReadonlyMap<number, number>>('object', 'dict'),
    },
    before_done: {
      doc: 'Called before moves are done. Modules that value goods wrap it to read and lock what they need.',
      private: true,
      params: { goods: required<readonly PrefetchedGoods[]>('array') },
    },
    sharing_documents: {
      doc: 'Ids of done moves whose value by documents depends on the quantities of these moves, with their own: modules that order goods wrap it.',
      private: true,
      params: {},
      returns: returns<readonly number[]>('array', 'list[int]'),
    },
    quantities_corrected: {
      doc: "Called when quantities of done moves were corrected, before quantities on hand follow; `changes`: of what the company owns of their goods, by move, in the product's unit. Modules that value goods wrap it.",
      private: true,
      params: { changes: required<ReadonlyMap<number, number>>('object') },
    },
    documents_changed: {
      doc: 'Called when the documents of done moves changed. Modules that value goods wrap it.',
      private: true,
      params: {},
    },
  },
})

/** A product of a company whose goods are about to change places. */
export interface PrefetchedGoods {
  readonly product: number
  readonly company: number
}

declare module '#models' {
  interface Models {
    'stock.move': StockMove
  }
  interface StockMove extends Of<typeof move> {}
}
