// Lines of purchase orders (purchase.order.line): what is bought at which price, sections, notes.
import {
  boolean,
  char,
  datetime,
  float,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  selection,
  text,
} from '#models'
import { orderFields, orderLineFields, precomputed } from '../account/index.ts'
import { orderStates } from './order.contract.ts'

const quantity = { precision: 'Product Unit' } as const

export const line = model('purchase.order.line', {
  label: 'Purchase Order Line',
  formsBySaving: true,
  order: 'order_id, sequence, id',
  recNamesSearch: ['name', 'order_id.name'],
  rules: {
    priced_lines: {
      check:
        'display_type IS NOT NULL OR is_downpayment IS TRUE OR (product_id IS NOT NULL AND product_uom_id IS NOT NULL AND date_planned IS NOT NULL)',
      message: 'A line needs a product, a unit and the day when it is expected.',
    },
    text_lines: {
      check:
        'display_type IS NULL OR (product_id IS NULL AND COALESCE(price_unit, 0) = 0 AND COALESCE(product_qty, 0) = 0 AND product_uom_id IS NULL AND date_planned IS NULL)',
      message: 'Sections and notes have no product, price, quantity, unit or day.',
    },
    line_order: { index: ['order_id', 'sequence', 'id'] },
  },
  fields: {
    ...orderLineFields,
    order_id: many2one('purchase.order', {
      label: 'Order Reference',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    parent_id: many2one('purchase.order.line', { label: 'Parent Section Line', computed: true }),
    is_downpayment: boolean({ label: 'Is a down payment', copy: false }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      asStored: false,
      related: 'order_id.currency_id',
      stored: true,
    }),
    partner_id: many2one('res.partner', {
      label: 'Vendor',
      related: 'order_id.partner_id',
      stored: true,
      index: true,
    }),
    state: selection(orderStates, {
      label: 'Status',
      asStored: false,
      related: 'order_id.state',
      stored: true,
    }),
    date_order: datetime({ label: 'Order Deadline', related: 'order_id.date_order' }),
    date_approve: datetime({ label: 'Confirmation Date', related: 'order_id.date_approve' }),
    product_no_variant_attribute_value_ids: many2many('product.template.attribute.value', {
      label: 'Extra Values',
      help: 'Values of attributes that make no variants: they show in the text.',
    }),
    name: text({ label: 'Description', required: true, mustSend: false, ...precomputed }),
    product_qty: float({ label: 'Quantity', ...quantity, required: true, default: 1 }),
    product_uom_qty: float({
      label: 'Total Quantity',
      ...quantity,
      computed: true,
      stored: true,
      precompute: true,
      help: "The quantity in the product's own unit.",
    }),
    date_planned: datetime({
      label: 'Expected Arrival',
      index: true,
      ...precomputed,
      help: 'The deadline of the order and the days that the vendor takes.',
    }),
    selected_seller_id: many2one('product.supplierinfo', {
      label: 'Vendor Pricelist',
      computed: true,
      help: 'The offer that applies.',
    }),
    tax_ids: many2many('account.tax', {
      label: 'Taxes',
      ...precomputed,
      checkCompany: true,
      outlives: true,
      relation: {
        table: 'account_tax_purchase_order_line_rel',
        column: 'purchase_order_line_id',
        other: 'account_tax_id',
      },
      context: { active_test: false },
      domain: [['type_tax_use', '=', 'purchase']],
    }),
    price_unit_discounted: float({ label: 'Unit Price (Discounted)', digits: false, computed: true }),
    price_unit_product_uom: float({
      label: 'Unit Price Product UoM',
      digits: false,
      computed: true,
      help: "For one of the product's own unit, after the discount.",
    }),
    price_tax: float({ label: 'Tax', computed: true, stored: true, precompute: true }),
    qty_received_method: selection(
      { manual: 'Manual' },
      {
        label: 'Received Qty Method',
        computed: true,
        stored: true,
        precompute: true,
        help: 'Entered by the user, unless a module computes it.',
      },
    ),
    qty_received_manual: float({ label: 'Manual Received Qty', ...quantity, copy: false }),
    qty_received: float({ label: 'Received Qty', ...quantity, ...precomputed, copy: false }),
    invoice_lines: one2many('account.move.line', 'purchase_line_id', { label: 'Bill Lines', copy: false }),
    qty_invoiced: float({
      label: 'Billed Qty',
      ...quantity,
      computed: true,
      stored: true,
      precompute: true,
      help: 'Draft documents included.',
    }),
    qty_to_invoice: float({
      label: 'To Invoice Quantity',
      ...quantity,
      computed: true,
      stored: true,
      precompute: true,
    }),
    tax_calculation_rounding_method: orderFields.tax_calculation_rounding_method,
    translated_product_name: char({ label: "Product Name in the vendor's language", computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'purchase.order.line': PurchaseOrderLine
  }
  interface PurchaseOrderLine extends Of<typeof line> {}
}
