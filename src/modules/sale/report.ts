// Sales, line by line, for grouping (sale.report): by day, customer, product, team, salesperson, in the
// currency of the company.
import {
  char,
  datetime,
  float,
  implement,
  integer,
  many2one,
  model,
  monetary,
  type Of,
  reference,
  selection,
} from '#models'
import {
  amountInCompanyCurrency,
  fromOrderLines,
  inCompanyCurrency,
  inProductUnit,
  measured,
} from '../account/index.ts'
import { readonlyActionMethod, shownRecords } from '../base/index.ts'

const only = { readonly: true } as const

const report = model('sale.report', {
  label: 'Sales Analysis Report',
  order: 'date desc, id desc',
  recName: 'name',
  logAccess: false,
  query: `SELECT l.id, o.name, o.id AS order_id, 'sale.order,' || o.id AS order_reference, o.date_order AS date, o.state, o.invoice_status, l.invoice_status AS line_invoice_status, o.partner_id,
      c.commercial_partner_id, c.country_id, c.state_id, c.zip AS partner_zip, c.industry_id, o.company_id, o.pricelist_id, o.team_id, o.user_id, o.campaign_id, o.medium_id, o.source_id, y.currency_id,
      l.product_id, p.product_tmpl_id, t.categ_id, t.uom_id AS product_uom_id, 1 AS nbr,
      ${inProductUnit('l.product_uom_qty')} AS product_uom_qty, ${inProductUnit('l.qty_delivered')} AS qty_delivered,
      ${inProductUnit('l.qty_invoiced')} AS qty_invoiced, ${inProductUnit('l.qty_to_invoice')} AS qty_to_invoice,
      CASE WHEN o.state = 'sale' THEN ${inProductUnit('greatest(l.product_uom_qty - l.qty_delivered, 0)')} ELSE 0 END AS qty_to_deliver,
      ${measured('l.product_uom_qty', 'weight')} AS weight, ${measured('l.product_uom_qty', 'volume')} AS volume,
      ${inCompanyCurrency('l.price_unit')} AS price_unit, ${amountInCompanyCurrency('l.price_subtotal')} AS price_subtotal,
      ${amountInCompanyCurrency('l.price_total')} AS price_total, ${amountInCompanyCurrency('l.untaxed_amount_to_invoice')} AS untaxed_amount_to_invoice,
      ${amountInCompanyCurrency('l.untaxed_amount_invoiced')} AS untaxed_amount_invoiced, l.discount,
      ${amountInCompanyCurrency('l.price_unit * l.product_uom_qty * l.discount / 100')} AS discount_amount
    ${fromOrderLines('sale')}`,
  fields: {
    name: char({ label: 'Order Reference', ...only }),
    order_id: many2one('sale.order', { label: 'Order', ...only }),
    order_reference: reference({ 'sale.order': 'Sales Order' }, { label: 'Order' }),
    date: datetime({ label: 'Order Date', ...only }),
    state: selection(
      { draft: 'Quotation', sent: 'Quotation Sent', sale: 'Sales Order', cancel: 'Cancelled' },
      { label: 'Status', ...only },
    ),
    invoice_status: selection(
      {
        upselling: 'Upselling Opportunity',
        invoiced: 'Fully Invoiced',
        'to invoice': 'To Invoice',
        no: 'Nothing to Invoice',
      },
      { label: 'Order Invoice Status', ...only },
    ),
    line_invoice_status: selection(
      {
        upselling: 'Upselling Opportunity',
        invoiced: 'Fully Invoiced',
        'to invoice': 'To Invoice',
        no: 'Nothing to Invoice',
      },
      { label: 'Invoice Status', ...only },
    ),
    partner_id: many2one('res.partner', { label: 'Customer', ...only }),
    commercial_partner_id: many2one('res.partner', { label: 'Customer Entity', ...only }),
    country_id: many2one('res.country', { label: 'Customer Country', ...only }),
    state_id: many2one('res.country.state', { label: 'Customer State', ...only }),
    partner_zip: char({ label: 'Customer ZIP', ...only }),
    industry_id: many2one('res.partner.industry', { label: 'Customer Industry', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    pricelist_id: many2one('product.pricelist', { label: 'Pricelist', ...only }),
    team_id: many2one('crm.team', { label: 'Sales Team', ...only }),
    user_id: many2one('res.users', { label: 'Salesperson', ...only }),
    campaign_id: many2one('utm.campaign', { label: 'Campaign', ...only }),
    medium_id: many2one('utm.medium', { label: 'Medium', ...only }),
    source_id: many2one('utm.source', { label: 'Source', ...only }),
    currency_id: many2one('res.currency', { label: 'Currency', ...only }),
    product_id: many2one('product.product', { label: 'Product Variant', ...only }),
    product_tmpl_id: many2one('product.template', { label: 'Product', ...only }),
    categ_id: many2one('product.category', { label: 'Product Category', ...only }),
    product_uom_id: many2one('uom.uom', { label: 'Unit', ...only }),
    nbr: integer({ label: '# of Lines', ...only }),
    product_uom_qty: float({ label: 'Qty Ordered', ...only }),
    qty_to_deliver: float({ label: 'Qty To Deliver', ...only }),
    qty_delivered: float({ label: 'Qty Delivered', ...only }),
    qty_to_invoice: float({ label: 'Qty To Invoice', ...only }),
    qty_invoiced: float({ label: 'Qty Invoiced', ...only }),
    weight: float({ label: 'Gross Weight', ...only }),
    volume: float({ label: 'Volume', ...only }),
    price_unit: float({ label: 'Unit Price', aggregator: 'avg', ...only }),
    price_subtotal: monetary({ label: 'Untaxed Total', ...only }),
    price_total: monetary({ label: 'Total', ...only }),
    untaxed_amount_to_invoice: monetary({ label: 'Untaxed Amount To Invoice', ...only }),
    untaxed_amount_invoiced: monetary({ label: 'Untaxed Amount Invoiced', ...only }),
    discount: float({ label: 'Discount %', aggregator: 'avg', ...only }),
    discount_amount: monetary({ label: 'Discount Amount', ...only }),
  },
  methods: {
    action_open_order: readonlyActionMethod('The action that opens the order of a line.'),
  },
})

declare module '#models' {
  interface Models {
    'sale.report': SaleReport
  }
  interface SaleReport extends Of<typeof report> {}
}

export default implement(report, {
  methods: {
    action_open_order: async (rows) =>
      shownRecords('Order', 'sale.order', [
        ...new Set((await rows.load(['order_id'])).flatMap(({ order_id: order }) => order?.id ?? [])),
      ]),
  },
})
