// Fields of tills in the audit log: settings, sessions, and orders once they are paid. Counts, drawers,
// refunds and typed prices have their own events as well.
import { audited } from '#models'

const bound = ['paid', 'done', 'cancel']

export const auditedModels = [
  audited('res.company', { fields: ['point_of_sale_update_stock_quantities'] }),
  audited('pos.config', {
    fields: [
      'name',
      'active',
      'company_id',
      'journal_id',
      'invoice_journal_id',
      'payment_method_ids',
      'use_pricelist',
      'pricelist_id',
      'available_pricelist_ids',
      'tax_regime_selection',
      'fiscal_position_ids',
      'default_fiscal_position_id',
      'cash_rounding',
      'rounding_method',
      'only_round_cash_method',
      'set_maximum_difference',
      'amount_authorized_diff',
      'price_check',
      'manual_discount',
      'restrict_price_control',
      'restrict_discounts',
      'limit_discount',
      'restrict_refunds',
      'limit_refund',
      'restrict_negative_orders',
      'restrict_drawer',
      'restrict_cash_out',
      'is_margins_costs_accessible_to_every_user',
      'iface_cashdrawer',
      'picking_type_id',
      'is_closing_entry_by_product',
    ],
    create: true,
    unlink: true,
  }),
  audited('pos.payment.method', {
    fields: [
      'name',
      'active',
      'company_id',
      'journal_id',
      'split_transactions',
      'receivable_account_id',
      'outstanding_account_id',
      'config_ids',
    ],
    create: true,
    unlink: true,
  }),
  audited('pos.session', {
    fields: [
      'state',
      'user_id',
      'cash_register_balance_start',
      'cash_register_balance_end_real',
      'opening_notes',
      'closing_notes',
    ],
    unlink: true,
  }),
  // States have events: pos.paid, pos.invoice, pos.order.cancel; pos.close for all orders of a session.
  audited('pos.order', {
    later: { state: 'state', in: bound, fields: ['partner_id', 'session_id', 'amount_total'] },
    unlink: ['state', 'amount_tax', 'pos_reference'],
  }),
  audited('pos.order.line', {
    later: {
      state: 'order_id.state',
      in: bound,
      fields: ['product_id', 'qty', 'price_unit', 'discount', 'price_subtotal_incl'],
    },
  }),
  audited('pos.payment', {
    later: { state: 'pos_order_id.state', in: bound, fields: ['amount', 'payment_method_id'] },
  }),
]
