// Lines of sales orders (sale.order.line): products and what is charged for them, sections, notes
// (spec/business-models.md section 6).
import {
  boolean,
  float,
  json,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  selection,
  text,
} from '#models'
import { orderLineFields, precomputed } from '../account/index.ts'

const quantity = { precision: 'Product Unit' } as const

export const line = model('sale.order.line', {
  label: 'Sales Order Line',
  formsBySaving: true,
  order: 'order_id, sequence, id',
  recNamesSearch: ['name', 'order_id.name'],
  rules: {
    text_lines: {
      check:
        'display_type IS NULL OR (product_id IS NULL AND COALESCE(price_unit, 0) = 0 AND COALESCE(product_uom_qty, 0) = 0 AND product_uom_id IS NULL)',
      message: 'Sections and notes have no product, price, quantity or unit.',
    },
    line_order: { index: ['order_id', 'sequence', 'id'] },
  },
  fields: {
    ...orderLineFields,
    order_id: many2one('sale.order', {
      label: 'Order Reference',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    parent_id: many2one('sale.order.line', { label: 'Parent Section Line', computed: true }),
    is_downpayment: boolean({
      label: 'Is a down payment',
      copy: false,
      help: 'Created by a down payment invoice; not copied.',
    }),
    extra_tax_data: json({
      label: 'Extra Tax Data',
      help: 'Amounts of a deposit or a discount, which its price alone does not give to the cent.',
    }),
    is_expense: boolean({ label: 'Is expense', copy: false }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      related: 'order_id.currency_id',
      stored: true,
    }),
    order_partner_id: many2one('res.partner', {
      label: 'Customer',
      related: 'order_id.partner_id',
      stored: true,
      index: true,
    }),
    salesman_id: many2one('res.users', { label: 'Salesperson', related: 'order_id.user_id', stored: true }),
    state: selection(
      { draft: 'Quotation', sent: 'Quotation Sent', sale: 'Sales Order', cancel: 'Cancelled' },
      { label: 'Order Status', related: 'order_id.state', stored: true },
    ),
    product_template_attribute_value_ids: many2many('product.template.attribute.value', {
      label: 'Attribute Values',
      related: 'product_id.product_template_attribute_value_ids',
    }),
    product_no_variant_attribute_value_ids: many2many('product.template.attribute.value', {
      label: 'Extra Values',
      help: 'Values of attributes that make no variants: they show in the text and add their extra price.',
    }),
    product_custom_attribute_value_ids: one2many('product.attribute.custom.value', 'sale_order_line_id', {
      label: 'Custom Values',
      copy: true,
    }),
    linked_line_id: many2one('sale.order.line', {
      label: 'Linked Order Line',
      ondelete: 'cascade',
      index: 'set',
      copy: false,
      help: 'The combo that the line was chosen for.',
    }),
    linked_line_ids: one2many('sale.order.line', 'linked_line_id', { label: 'Linked Order Lines' }),
    combo_item_id: many2one('product.combo.item', {
      label: 'Combo Item',
      ondelete: 'restrict',
      copy: false,
    }),
    name: text({ label: 'Description', ...precomputed }),
    product_uom_qty: float({ label: 'Quantity', ...quantity, required: true, default: 1 }),
    tax_ids: many2many('account.tax', {
      label: 'Taxes',
      ...precomputed,
      checkCompany: true,
      outlives: true,
      relation: {
        table: 'account_tax_sale_order_line_rel',
        column: 'sale_order_line_id',
        other: 'account_tax_id',
      },
      context: { active_test: false },
      domain: [['type_tax_use', '=', 'sale']],
    }),
    pricelist_item_id: many2one('product.pricelist.item', { label: 'Pricelist Item', computed: true }),
    price_tax: float({ label: 'Total Tax', computed: true, stored: true, precompute: true }),
    price_reduce_taxexcl: monetary({ label: 'Price Reduce Tax excl', asStored: true, computed: true }),
    price_reduce_taxinc: monetary({ label: 'Price Reduce Tax incl', asStored: true, computed: true }),
    customer_lead: float({ label: 'Lead Time', default: 0, help: 'Days from confirmation to delivery.' }),
    qty_delivered_method: selection(
      { manual: 'Manual', analytic: 'Analytic From Expenses' },
      {
        label: 'Method to update delivered qty',
        computed: true,
        stored: true,
        help: 'Entered by the user, unless a module computes it.',
      },
    ),
    qty_delivered: float({ label: 'Delivery Quantity', ...quantity, copy: false }),
    invoice_lines: many2many('account.move.line', {
      label: 'Invoice Lines',
      copy: false,
      relation: { table: 'sale_order_line_invoice_rel', column: 'order_line_id', other: 'invoice_line_id' },
    }),
    qty_invoiced: float({
      label: 'Invoiced Quantity',
      ...quantity,
      ...precomputed,
      help: 'Draft documents included.',
    }),
    qty_invoiced_posted: float({
      label: 'Invoiced Quantity (posted)',
      asStored: false,
      ...quantity,
      ...precomputed,
    }),
    qty_to_invoice: float({
      label: 'Quantity To Invoice',
      ...quantity,
      computed: true,
      stored: true,
      precompute: true,
    }),
    untaxed_amount_invoiced: monetary({
      label: 'Untaxed Invoiced Amount',
      ...precomputed,
      help: 'Posted invoices only.',
    }),
    untaxed_amount_to_invoice: monetary({
      label: 'Untaxed Amount To Invoice',
      computed: true,
      stored: true,
      precompute: true,
    }),
    amount_invoiced: monetary({
      label: 'Invoiced Amount',
      asStored: false,
      ...precomputed,
      help: 'Posted invoices only, taxes included.',
    }),
    amount_to_invoice: monetary({ label: 'Un-invoiced Balance', computed: true }),
    invoice_status: selection(
      {
        upselling: 'Upselling Opportunity',
        invoiced: 'Fully Invoiced',
        'to invoice': 'To Invoice',
        no: 'Nothing to Invoice',
      },
      { label: 'Invoice Status', computed: true, stored: true, precompute: true },
    ),
    is_configurable_product: boolean({
      label: 'Is the product configurable?',
      related: 'product_id.has_configurable_attributes',
    }),
    product_updatable: boolean({ label: 'Can Edit Product', computed: true }),
    product_uom_readonly: boolean({ label: 'Unit is fixed', computed: true }),
    translated_product_name: text({ label: 'Product Name in the customer’s language', computed: true }),
    tax_country_id: many2one('res.country', { label: 'Tax Country', related: 'order_id.tax_country_id' }),
  },
})

declare module '#models' {
  interface Models {
    'sale.order.line': SaleOrderLine
  }
  interface SaleOrderLine extends Of<typeof line> {}
}
