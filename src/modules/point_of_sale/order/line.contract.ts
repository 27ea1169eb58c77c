// Lines of orders of tills (pos.order.line), and the lots that were handed over with them.
import {
  boolean,
  char,
  float,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  returns,
  selection,
} from '#models'

/** A unit price and discount that were agreed before a line came to the till. */
export interface AgreedPrice {
  readonly price: number
  readonly discount: number
}
/** Agreed prices by line. */
export type AgreedPrices = ReadonlyMap<number, AgreedPrice>

export const line = model('pos.order.line', {
  label: 'Point of Sale Order Lines',
  order: 'id',
  rules: { uuid_unique: { unique: ['uuid'], message: 'An order line with this uuid already exists.' } },
  fields: {
    name: char({
      label: 'Line No',
      readonly: true,
      copy: false,
      help: 'Numbered without gaps at each point of sale.',
    }),
    uuid: char({ label: 'Uuid', readonly: true, copy: false }),
    order_id: many2one('pos.order', { label: 'Order Ref', required: true, ondelete: 'cascade', index: true }),
    company_id: many2one('res.company', { label: 'Company', index: true, ondelete: 'restrict' }),
    currency_id: many2one('res.currency', { label: 'Currency', asStored: false, ondelete: 'restrict' }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      ondelete: 'restrict',
      index: true,
    }),
    product_uom_id: many2one('uom.uom', { label: 'Product Unit', related: 'product_id.uom_id' }),
    full_product_name: char({ label: 'Full Product Name' }),
    attribute_value_ids: many2many('product.template.attribute.value', { label: 'Selected Attributes' }),
    qty: float({ label: 'Quantity', precision: 'Product Unit', default: 1 }),
    // As the till sends them, to every decimal: a rounded price would not come to the total of the receipt.
    price_unit: float({ label: 'Unit Price', digits: 0 }),
    price_type: selection(
      { original: 'Original', manual: 'Manual', automatic: 'Automatic' },
      { label: 'Price Type', default: 'original' },
    ),
    price_extra: float({ label: 'Price extra' }),
    discount: float({ label: 'Discount (%)', digits: 0, default: 0 }),
    tax_ids: many2many('account.tax', {
      label: 'Taxes',
      readonly: true,
      outlives: true,
      relation: {
        table: 'account_tax_pos_order_line_rel',
        column: 'pos_order_line_id',
        other: 'account_tax_id',
      },
      context: { active_test: false },
    }),
    tax_ids_after_fiscal_position: many2many('account.tax', { label: 'Taxes to Apply', computed: true }),
    price_subtotal: monetary({ label: 'Tax Excl.', required: true }),
    price_subtotal_incl: monetary({ label: 'Tax Incl.', required: true }),
    total_cost: float({ label: 'Total cost', readonly: true }),
    is_total_cost_computed: boolean({ label: 'Is the cost computed', readonly: true }),
    margin: monetary({ label: 'Margin', computed: true }),
    margin_percent: float({ label: 'Margin (%)', digits: [12, 4], computed: true }),
    customer_note: char({ label: 'Customer Note' }),
    note: char({ label: 'Product Note' }),
    notice: char({ label: 'Discount Notice' }),
    skip_change: boolean({ label: 'Skip line when sending ticket to kitchen printers.' }),
    is_edited: boolean({ label: 'Edited' }),
    refunded_orderline_id: many2one('pos.order.line', {
      label: 'Refunded Order Line',
      copy: false,
      index: 'set',
      ondelete: 'restrict',
      help: 'The order line that this line refunds.',
    }),
    refund_orderline_ids: one2many('pos.order.line', 'refunded_orderline_id', {
      label: 'Refund Order Lines',
    }),
    refunded_qty: float({ label: 'Refunded Quantity', computed: true }),
    combo_parent_id: many2one('pos.order.line', {
      label: 'Combo Parent',
      index: 'set',
      ondelete: 'cascade',
      copy: false,
    }),
    combo_line_ids: one2many('pos.order.line', 'combo_parent_id', { label: 'Combo Lines' }),
    combo_item_id: many2one('product.combo.item', { label: 'Combo Item', ondelete: 'set null' }),
    pack_lot_ids: one2many('pos.pack.operation.lot', 'pos_order_line_id', {
      label: 'Lot/serial Number',
      copy: true,
    }),
  },
  methods: {
    agreed_prices: {
      doc: 'Returns prices and discounts of lines that were agreed outside the till. Modules wrap it to add theirs.',
      private: true,
      params: {},
      returns: returns<AgreedPrices>('any', 'dict'),
    },
  },
})

export const lot = model('pos.pack.operation.lot', {
  label: 'Specify product lot/serial number in pos order line',
  recName: 'lot_name',
  fields: {
    pos_order_line_id: many2one('pos.order.line', { label: 'Order Line', index: true, ondelete: 'cascade' }),
    lot_name: char({ label: 'Lot Name' }),
    product_id: many2one('product.product', { label: 'Product', related: 'pos_order_line_id.product_id' }),
  },
})

declare module '#models' {
  interface Models {
    'pos.order.line': PosOrderLine
    'pos.pack.operation.lot': PosPackOperationLot
  }
  interface PosOrderLine extends Of<typeof line> {}
  interface PosPackOperationLot extends Of<typeof lot> {}
}
