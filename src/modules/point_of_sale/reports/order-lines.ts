// Sales of tills, line by line, for grouping (report.pos.order): by product, hour, cashier, method, category.
import { boolean, datetime, float, implement, integer, many2one, model, type Of, selection } from '#models'

const sum = { readonly: true } as const

const report = model('report.pos.order', {
  label: 'Point of Sale Orders Report',
  order: 'date desc, id desc',
  logAccess: false,
  // Amounts in the currency of the company; the first way to pay stands for an order.
  query: `SELECT l.id, o.date_order AS date, l.order_id, o.partner_id, l.product_id, p.product_tmpl_id, t.categ_id AS product_categ_id, o.state,
      o.user_id, o.company_id, o.session_id, o.config_id, o.pricelist_id, c.journal_id, o.account_move IS NOT NULL AS invoiced,
      extract(hour FROM o.date_order)::int AS order_hour, 1 AS nbr_lines, l.qty AS product_qty,
      l.price_unit / COALESCE(NULLIF(o.currency_rate, 0), 1) AS average_price,
      l.price_unit * l.qty / COALESCE(NULLIF(o.currency_rate, 0), 1) AS price_sub_total,
      l.price_subtotal_incl / COALESCE(NULLIF(o.currency_rate, 0), 1) AS price_total,
      l.price_subtotal / COALESCE(NULLIF(o.currency_rate, 0), 1) AS price_subtotal_excl,
      l.price_unit * l.qty * l.discount / 100 / COALESCE(NULLIF(o.currency_rate, 0), 1) AS total_discount,
      (l.price_subtotal - COALESCE(l.total_cost, 0)) / COALESCE(NULLIF(o.currency_rate, 0), 1) AS margin,
      (SELECT m.payment_method_id FROM pos_payment m WHERE m.pos_order_id = o.id ORDER BY m.id LIMIT 1) AS payment_method_id,
      (SELECT min(r.pos_category_id) FROM pos_category_product_template_rel r WHERE r.product_template_id = t.id) AS pos_categ_id,
      GREATEST(0, floor(extract(epoch FROM o.create_date - o.date_order) / 86400))::int AS delay_validation
    FROM pos_order_line l JOIN pos_order o ON o.id = l.order_id JOIN pos_config c ON c.id = o.config_id
    JOIN product_product p ON p.id = l.product_id JOIN product_template t ON t.id = p.product_tmpl_id`,
  fields: {
    date: datetime({ label: 'Order Date', readonly: true }),
    order_hour: integer({
      label: 'Hour',
      readonly: true,
      aggregator: null,
      help: 'The hour of the day, UTC.',
    }),
    order_id: many2one('pos.order', { label: 'Order', readonly: true }),
    partner_id: many2one('res.partner', { label: 'Customer', readonly: true }),
    product_id: many2one('product.product', { label: 'Product', readonly: true }),
    product_tmpl_id: many2one('product.template', { label: 'Product Template', readonly: true }),
    product_categ_id: many2one('product.category', { label: 'Product Category', readonly: true }),
    state: selection(
      { draft: 'New', paid: 'Paid', done: 'Posted', cancel: 'Cancelled' },
      { label: 'Status', readonly: true },
    ),
    user_id: many2one('res.users', { label: 'User', readonly: true }),
    company_id: many2one('res.company', { label: 'Company', readonly: true }),
    session_id: many2one('pos.session', { label: 'Session', readonly: true }),
    config_id: many2one('pos.config', { label: 'Point of Sale', readonly: true }),
    pricelist_id: many2one('product.pricelist', { label: 'Pricelist', readonly: true }),
    journal_id: many2one('account.journal', { label: 'Journal', readonly: true }),
    payment_method_id: many2one('pos.payment.method', { label: 'Payment Method', readonly: true }),
    pos_categ_id: many2one('pos.category', { label: 'Till Category', readonly: true }),
    delay_validation: integer({ label: 'Days until It Came', readonly: true, aggregator: 'avg' }),
    invoiced: boolean({ label: 'Invoiced', readonly: true }),
    nbr_lines: integer({ label: 'Sale Line Count', ...sum }),
    product_qty: float({ label: 'Product Quantity', ...sum }),
    average_price: float({ label: 'Average Price', readonly: true, aggregator: 'avg' }),
    price_sub_total: float({ label: 'Subtotal w/o discount', ...sum }),
    price_total: float({ label: 'Total Price', ...sum }),
    price_subtotal_excl: float({ label: 'Subtotal w/o Tax', ...sum }),
    total_discount: float({ label: 'Total Discount', ...sum }),
    margin: float({ label: 'Margin', ...sum }),
  },
})

declare module '#models' {
  interface Models {
    'report.pos.order': ReportPosOrder
  }
  interface ReportPosOrder extends Of<typeof report> {}
}

export default implement(report)
