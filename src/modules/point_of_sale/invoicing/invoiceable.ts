// Orders with all values that their invoices need, read as superuser.
import type { Environment } from '#models'

const paths = [
  'name',
  'state',
  'account_move',
  'pos_reference',
  'date_order',
  'is_refund',
  'amount_total',
  'payment_ids.amount',
  'general_customer_note',
  'user_id',
  'partner_id.commercial_partner_id',
  'fiscal_position_id',
  'refunded_order_id.account_move',
  'currency_id',
  'session_id.state',
  'config_id.name',
  'config_id.invoice_journal_id',
  'config_id.cash_rounding',
  'config_id.rounding_method.rounding',
  'config_id.rounding_method.rounding_method',
  'pricelist_id',
  'lines.product_id.lst_price',
  'lines.full_product_name',
  'lines.qty',
  'lines.price_unit',
  'lines.discount',
  'lines.tax_ids_after_fiscal_position',
  'lines.customer_note',
] as const

export const loadInvoiceable = (env: Environment, ids: readonly number[]) =>
  env.sudo().model('pos.order').browse(ids).load(paths)
export type Invoiceable = Awaited<ReturnType<typeof loadInvoiceable>>[number]
