// Whether goods of orders come on the day that was promised, line by line (vendor.delay.report). On time is
// counted as `on_time_rate` of contacts counts it.
import { datetime, float, implement, many2one, model, type Of } from '#models'

const only = { readonly: true } as const

/** Quantity that came by the end of the day that it was expected on, in the unit of the product. */
const onTime = `LEAST(l.product_uom_qty, COALESCE(d.on_time, 0))`

const report = model('vendor.delay.report', {
  label: 'Vendor Delay Report',
  order: 'date desc, id desc',
  recName: 'partner_id',
  logAccess: false,
  query: `SELECT l.id, o.partner_id, o.company_id, l.product_id, t.categ_id AS category_id, d.last AS date, l.product_uom_qty::float8 AS qty_total,
      ${onTime}::float8 AS qty_on_time, (100 * ${onTime} / l.product_uom_qty)::float8 AS on_time_rate
    FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id AND o.state = 'purchase'
    JOIN product_product p ON p.id = l.product_id JOIN product_template t ON t.id = p.product_tmpl_id AND t.type <> 'service'
    JOIN LATERAL (SELECT max(m.date) AS last, sum(m.quantity) FILTER (WHERE m.date::date <= l.date_planned::date) AS on_time
      FROM stock_move m WHERE m.purchase_line_id = l.id AND m.state = 'done') d ON d.last IS NOT NULL
    WHERE l.qty_received <> 0 AND l.product_uom_qty > 0`,
  fields: {
    partner_id: many2one('res.partner', { label: 'Vendor', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    product_id: many2one('product.product', { label: 'Product', ...only }),
    category_id: many2one('product.category', { label: 'Product Category', ...only }),
    date: datetime({ label: 'Effective Date', ...only, help: 'When the last goods of the line came.' }),
    qty_total: float({ label: 'Total Quantity', ...only }),
    qty_on_time: float({ label: 'On-Time Quantity', ...only }),
    on_time_rate: float({
      label: 'On-Time Delivery Rate',
      aggregator: 'avg',
      ...only,
      help: 'Percentage of the quantity that was received on time. Groups show the average of their lines.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'vendor.delay.report': VendorDelayReport
  }
  interface VendorDelayReport extends Of<typeof report> {}
}

export default implement(report)
