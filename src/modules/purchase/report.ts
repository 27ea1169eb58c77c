// Purchases, line by line, for grouping (purchase.report): by day, vendor, product, category, buyer, in the
// currency of the company.
import { datetime, float, implement, integer, many2one, model, monetary, type Of, selection } from '#models'
import {
  amountInCompanyCurrency,
  fromOrderLines,
  inCompanyCurrency,
  inProductUnit,
  measured,
  perProductUnit,
} from '../account/index.ts'
import { orderStates } from './order.contract.ts'

const only = { readonly: true } as const
const days = (from: string, to: string) => `EXTRACT(epoch FROM ${to} - ${from}) / 86400`

const report = model('purchase.report', {
  label: 'Purchase Report',
  order: 'date_order desc, price_total desc, id desc',
  recName: 'order_id',
  logAccess: false,
  query: `SELECT l.id, o.id AS order_id, o.date_order, o.date_approve, o.state, o.partner_id, c.commercial_partner_id, c.country_id,
      o.company_id, o.user_id, o.fiscal_position_id, y.currency_id, l.product_id, p.product_tmpl_id, t.categ_id AS category_id,
      t.uom_id AS product_uom, t.uom_id AS product_uom_id, 1 AS nbr_lines, ${inProductUnit('l.product_qty')} AS qty_ordered, ${inProductUnit('l.qty_received')} AS qty_received,
      ${inProductUnit('l.qty_invoiced')} AS qty_billed,
      ${measured('l.product_qty', 'weight')} AS weight, ${measured('l.product_qty', 'volume')} AS volume,
      ${inProductUnit("CASE WHEN t.purchase_method = 'purchase' THEN l.product_qty - l.qty_invoiced ELSE l.qty_received - l.qty_invoiced END")} AS qty_to_be_billed,
      ${amountInCompanyCurrency('l.price_subtotal')} AS untaxed_total, ${amountInCompanyCurrency('l.price_total')} AS price_total,
      ${inCompanyCurrency(perProductUnit('l.price_unit'))} AS price_average,
      ${days('o.date_order', 'o.date_approve')} AS delay, ${days('o.date_order', 'l.date_planned')} AS delay_pass
    ${fromOrderLines('purchase')}`,
  fields: {
    order_id: many2one('purchase.order', { label: 'Order', ...only }),
    date_order: datetime({ label: 'Order Date', ...only }),
    date_approve: datetime({ label: 'Confirmation Date', ...only }),
    state: selection(orderStates, { label: 'Status', ...only }),
    partner_id: many2one('res.partner', { label: 'Vendor', ...only }),
    commercial_partner_id: many2one('res.partner', { label: 'Commercial Entity', ...only }),
    country_id: many2one('res.country', { label: 'Partner Country', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    user_id: many2one('res.users', { label: 'Buyer', ...only }),
    fiscal_position_id: many2one('account.fiscal.position', { label: 'Fiscal Position', ...only }),
    currency_id: many2one('res.currency', { label: 'Currency', ...only }),
    product_id: many2one('product.product', { label: 'Product', ...only }),
    product_tmpl_id: many2one('product.template', { label: 'Product Template', ...only }),
    category_id: many2one('product.category', { label: 'Product Category', ...only }),
    product_uom: many2one('uom.uom', { label: 'Reference Unit of Measure', ...only }),
    product_uom_id: many2one('uom.uom', { label: 'Reference Unit of Measure', ...only }),
    nbr_lines: integer({ label: '# of Lines', ...only }),
    qty_ordered: float({ label: 'Qty Ordered', ...only }),
    qty_received: float({ label: 'Qty Received', ...only }),
    qty_billed: float({ label: 'Qty Billed', ...only }),
    qty_to_be_billed: float({ label: 'Qty to be Billed', ...only }),
    weight: float({ label: 'Gross Weight', ...only }),
    volume: float({ label: 'Volume', ...only }),
    untaxed_total: monetary({ label: 'Untaxed Total', ...only }),
    price_total: monetary({ label: 'Total', ...only }),
    price_average: monetary({ label: 'Average Cost', aggregator: 'avg', ...only }),
    delay: float({ label: 'Days to Confirm', digits: [16, 2], aggregator: 'avg', ...only }),
    delay_pass: float({ label: 'Days to Receive', digits: [16, 2], aggregator: 'avg', ...only }),
  },
})

declare module '#models' {
  interface Models {
    'purchase.report': PurchaseReport
  }
  interface PurchaseReport extends Of<typeof report> {}
}

export default implement(report)
