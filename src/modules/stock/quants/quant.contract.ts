// Contract of quantities in places (stock.quant): a row for each product, place, lot, package and owner.
import { boolean, date, datetime, float, many2one, model, type Of, returns, selection } from '#models'
import { trackings } from '../products/trackings.ts'

const quantity = { precision: 'Product Unit' } as const

export const quant = model('stock.quant', {
  // Its rows come and go by statements; followed are the quantities of products.
  changes: false,
  label: 'Quants',
  order: 'location_id, id',
  recName: 'product_id',
  recNamesSearch: ['location_id', 'lot_id', 'package_id', 'owner_id'],
  rules: {
    one_row: {
      uniqueExpression:
        'product_id, location_id, COALESCE(lot_id, 0), COALESCE(package_id, 0), COALESCE(owner_id, 0)',
      message: 'A quantity for these goods in this location already exists.',
    },
    of_location: { index: ['location_id'] },
  },
  fields: {
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      ondelete: 'restrict',
      checkCompany: true,
    }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      related: 'product_id.product_tmpl_id',
    }),
    product_uom_id: many2one('uom.uom', { label: 'Unit', related: 'product_id.uom_id' }),
    product_categ_id: many2one('product.category', {
      label: 'Product Category',
      related: 'product_tmpl_id.categ_id',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      readonly: true,
      index: true,
      help: 'That of the place.',
    }),
    location_id: many2one('stock.location', { label: 'Location', required: true, ondelete: 'restrict' }),
    warehouse_id: many2one('stock.warehouse', { label: 'Warehouse', related: 'location_id.warehouse_id' }),
    lot_id: many2one('stock.lot', { label: 'Lot/Serial Number', ondelete: 'restrict', checkCompany: true }),
    package_id: many2one('stock.package', { label: 'Package', ondelete: 'restrict', checkCompany: true }),
    owner_id: many2one('res.partner', { label: 'Owner', ondelete: 'restrict' }),
    quantity: float({
      label: 'Quantity',
      ...quantity,
      readonly: true,
      help: "In the product's unit; negative where more left than was known.",
    }),
    reserved_quantity: float({
      label: 'Reserved Quantity',
      ...quantity,
      required: true,
      default: 0,
      readonly: true,
    }),
    available_quantity: float({
      label: 'Available Quantity',
      ...quantity,
      computed: true,
      help: 'Quantity that is not reserved.',
    }),
    in_date: datetime({ label: 'Incoming Date', required: true, mustSend: false, readonly: true }),
    tracking: selection(trackings, { label: 'Tracking', related: 'product_id.tracking' }),
    on_hand: boolean({ label: 'On Hand', computed: true }),
    inventory_quantity: float({ label: 'Counted Quantity', ...quantity, help: 'What was counted.' }),
    inventory_quantity_auto_apply: float({
      ...quantity,
      label: 'Inventoried Quantity',
      computed: true,
      help: 'Writing it counts and applies at once.',
    }),
    inventory_diff_quantity: float({
      label: 'Difference',
      ...quantity,
      readonly: true,
      help: 'Counted quantity less the quantity on hand at that time.',
    }),
    inventory_quantity_set: boolean({ label: 'Inventory Quantity Set' }),
    inventory_date: date({ label: 'Scheduled', help: 'When the next count is due.' }),
    last_count_date: date({ label: 'Last Count Date', asStored: false, readonly: true }),
    is_outdated: boolean({ label: 'Quantity has been moved since last count', computed: true }),
    user_id: many2one('res.users', { label: 'Assigned To', help: 'User who counts.' }),
  },
  methods: {
    action_apply_inventory: {
      doc: 'Applies the counted quantity: moves the difference from or to the inventory adjustment location.',
      params: {},
      returns: returns<object | null>('any', 'dict | None'),
    },
    action_set_inventory_quantity: { doc: 'Sets the counted quantity to the quantity on hand.', params: {} },
    action_clear_inventory_quantity: { doc: 'Clears the counted quantity.', params: {} },
  },
})

declare module '#models' {
  interface Models {
    'stock.quant': StockQuant
  }
  interface StockQuant extends Of<typeof quant> {}
}
