// Invoices, line by line, for grouping (account.invoice.report): by day, partner, product, account, in
// the currency of the company. Receivable amounts are positive, payable ones negative.
import { date, float, implement, many2one, model, type Of, selection } from '#models'
import { moveTypes } from './move/kinds.ts'
import { inProductUnit } from './order-analysis.ts'

const only = { readonly: true } as const

/** 1 for documents of what is sold, and -1 for those that take it back; of what is bought the other way. */
const side = `CASE WHEN m.move_type IN ('out_invoice', 'in_refund', 'out_receipt') THEN 1 ELSE -1 END`
const quantity = inProductUnit('l.quantity')
/** The untaxed amount and the total of the line, in the currency of the company. */
const subtotal = `-l.balance`
const total = `CASE WHEN l.price_subtotal = 0 THEN -l.balance ELSE -l.balance * l.price_total / l.price_subtotal END`
const cost = `COALESCE((p.standard_price->>(m.company_id::text))::numeric, 0) * ${quantity}`

const report = model('account.invoice.report', {
  label: 'Invoices Statistics',
  order: 'invoice_date desc, id desc',
  recName: 'move_id',
  logAccess: false,
  query: `SELECT l.id, l.move_id, m.journal_id, m.company_id, y.currency_id AS company_currency_id, m.currency_id, m.partner_id,
      m.commercial_partner_id, COALESCE(c.country_id, e.country_id) AS country_id, m.move_type, m.state, m.payment_state,
      m.invoice_user_id, m.fiscal_position_id, m.invoice_date, m.invoice_date_due, l.account_id, l.product_id,
      t.categ_id AS product_categ_id, COALESCE(t.uom_id, l.product_uom_id) AS product_uom_id,
      ${side} * ${quantity} AS quantity, ${side} * l.price_subtotal AS price_subtotal_currency,
      ${side} * l.price_total AS price_total_currency, ${subtotal} AS price_subtotal, ${total} AS price_total,
      COALESCE(${subtotal} / NULLIF(${side} * ${quantity}, 0), 0) AS price_average,
      CASE WHEN m.move_type IN ('out_invoice', 'out_refund', 'out_receipt') THEN ${subtotal} - ${side} * ${cost} ELSE 0 END AS price_margin,
      -${side} * ${cost} AS inventory_value
    FROM account_move_line l JOIN account_move m ON m.id = l.move_id JOIN res_company y ON y.id = m.company_id
    LEFT JOIN res_partner c ON c.id = m.partner_id LEFT JOIN res_partner e ON e.id = m.commercial_partner_id
    LEFT JOIN product_product p ON p.id = l.product_id LEFT JOIN product_template t ON t.id = p.product_tmpl_id
    LEFT JOIN uom_uom u ON u.id = l.product_uom_id LEFT JOIN uom_uom b ON b.id = t.uom_id
    WHERE m.move_type <> 'entry' AND l.display_type = 'product' AND l.account_id IS NOT NULL`,
  fields: {
    move_id: many2one('account.move', { label: 'Move', ...only }),
    journal_id: many2one('account.journal', { label: 'Journal', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    company_currency_id: many2one('res.currency', { label: 'Company Currency', ...only }),
    currency_id: many2one('res.currency', { label: 'Currency', ...only }),
    partner_id: many2one('res.partner', { label: 'Partner', ...only }),
    commercial_partner_id: many2one('res.partner', { label: 'Main Partner' }),
    country_id: many2one('res.country', { label: 'Country' }),
    move_type: selection(moveTypes, { label: 'Move Type', ...only }),
    state: selection(
      { draft: 'Draft', posted: 'Open', cancel: 'Cancelled' },
      { label: 'Invoice Status', ...only },
    ),
    payment_state: selection(
      {
        not_paid: 'Not Paid',
        in_payment: 'In Payment',
        paid: 'Paid',
        partial: 'Partially Paid',
        reversed: 'Reversed',
        blocked: 'Blocked',
        invoicing_legacy: 'Invoicing App Legacy',
      },
      { label: 'Payment Status', ...only },
    ),
    invoice_user_id: many2one('res.users', { label: 'Salesperson', ...only }),
    fiscal_position_id: many2one('account.fiscal.position', { label: 'Fiscal Position', ...only }),
    invoice_date: date({ label: 'Invoice Date', ...only }),
    invoice_date_due: date({ label: 'Due Date', ...only }),
    account_id: many2one('account.account', { label: 'Revenue/Expense Account', ...only }),
    product_id: many2one('product.product', { label: 'Product', ...only }),
    product_categ_id: many2one('product.category', { label: 'Product Category', ...only }),
    product_uom_id: many2one('uom.uom', { label: 'Unit', ...only }),
    quantity: float({ label: 'Product Quantity', ...only }),
    price_subtotal: float({ label: 'Untaxed Amount', ...only }),
    price_total: float({ label: 'Total', ...only }),
    price_subtotal_currency: float({ label: 'Untaxed Amount in Currency', ...only }),
    price_total_currency: float({ label: 'Total in Currency', ...only }),
    price_average: float({ label: 'Average Price', aggregator: 'avg', ...only }),
    price_margin: float({ label: 'Margin', ...only }),
    inventory_value: float({ label: 'Inventory Value', ...only }),
  },
})

declare module '#models' {
  interface Models {
    'account.invoice.report': AccountInvoiceReport
  }
  interface AccountInvoiceReport extends Of<typeof report> {}
}

export default implement(report)
