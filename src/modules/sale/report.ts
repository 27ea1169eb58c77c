// Sales, line by line, for grouping (sale.report): by day, customer, product, team, salesperson, in the
// currency of the company.
import { char, datetime, float, implement, integer, many2one, model, type Of, selection } from '#models'

const only = { readonly: true } as const
const rate = 'COALESCE(NULLIF(o.currency_rate, 0), 1)'
const inUnit = (quantity: string) =>
  `l.${quantity} * COALESCE(u.factor, 1) / COALESCE(NULLIF(b.factor, 0), 1)`

const report = model('sale.report', {
  label: 'Sales Analysis Report',
  order: 'date desc, id desc',
  recName: 'name',
  logAccess: false,
  // Quantities in the unit of the product; sections and notes do not count.
  query: `SELECT l.id, o.name, o.id AS order_id, o.date_order AS date, o.state, o.invoice_status, l.invoice_status AS line_invoice_status, o.partner_id,
      c.commercial_partner_id, c.country_id, c.state_id, o.company_id, o.pricelist_id, o.team_id, o.user_id, y.currency_id,
      l.product_id, p.product_tmpl_id, t.categ_id, t.uom_id AS product_uom_id, 1 AS nbr,
      ${inUnit('product_uom_qty')} AS product_uom_qty, ${inUnit('qty_delivered')} AS qty_delivered, ${inUnit('qty_invoiced')} AS qty_invoiced,
      ${inUnit('qty_to_invoice')} AS qty_to_invoice,
      CASE WHEN o.state = 'sale' THEN greatest(l.product_uom_qty - l.qty_delivered, 0) * COALESCE(u.factor, 1) / COALESCE(NULLIF(b.factor, 0), 1) ELSE 0 END
        AS qty_to_deliver,
      l.price_unit / ${rate} AS price_unit, l.price_subtotal / ${rate} AS price_subtotal, l.price_total / ${rate} AS price_total,
      l.untaxed_amount_to_invoice / ${rate} AS untaxed_amount_to_invoice, l.untaxed_amount_invoiced / ${rate} AS untaxed_amount_invoiced,
      l.discount, l.price_unit * l.product_uom_qty * l.discount / 100 / ${rate} AS discount_amount
    FROM sale_order_line l JOIN sale_order o ON o.id = l.order_id JOIN res_company y ON y.id = o.company_id LEFT JOIN res_partner c ON c.id = o.partner_id
    LEFT JOIN product_product p ON p.id = l.product_id LEFT JOIN product_template t ON t.id = p.product_tmpl_id
    LEFT JOIN uom_uom u ON u.id = l.product_uom_id LEFT JOIN uom_uom b ON b.id = t.uom_id
    WHERE l.display_type IS NULL`,
  fields: {
    name: char({ label: 'Order Reference', ...only }),
    order_id: many2one('sale.order', { label: 'Order', ...only }),
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
    company_id: many2one('res.company', { label: 'Company', ...only }),
    pricelist_id: many2one('product.pricelist', { label: 'Pricelist', ...only }),
    team_id: many2one('crm.team', { label: 'Sales Team', ...only }),
    user_id: many2one('res.users', { label: 'Salesperson', ...only }),
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
    price_unit: float({ label: 'Unit Price', aggregator: 'avg', ...only }),
    price_subtotal: float({ label: 'Untaxed Total', ...only }),
    price_total: float({ label: 'Total', ...only }),
    untaxed_amount_to_invoice: float({ label: 'Untaxed Amount To Invoice', ...only }),
    untaxed_amount_invoiced: float({ label: 'Untaxed Amount Invoiced', ...only }),
    discount: float({ label: 'Discount %', aggregator: 'avg', ...only }),
    discount_amount: float({ label: 'Discount Amount', ...only }),
  },
})

declare module '#models' {
  interface Models {
    'sale.report': SaleReport
  }
  interface SaleReport extends Of<typeof report> {}
}

export default implement(report)
