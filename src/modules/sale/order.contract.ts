// Sales orders (sale.order): what they hold and what may be done with them (spec/business-models.md section
// 6).
import {
  binary,
  boolean,
  char,
  date,
  datetime,
  float,
  html,
  integer,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  returns,
  selection,
  text,
} from '#models'
import { orderFields, precomputed } from '../account/index.ts'
import { actionMethod } from '../base/index.ts'

const done = returns<true>('boolean', 'bool')

export const order = model('sale.order', {
  label: 'Sales Order',
  formsBySaving: true,
  events: {
    confirmed: {
      doc: 'A quotation became an order.',
      fields: ['name', 'state', 'amount_total', 'currency_id', 'partner_id'],
    },
  },
  order: 'date_order desc, id desc',
  recNamesSearch: ['name', 'partner_id.complete_name', 'client_order_ref'],
  rules: {
    own_order: { index: ['date_order desc', 'id desc'] },
    // Other systems ask for the whole number, people type parts of it.
    number: { index: ['name'] },
    newest: { index: ['create_date desc', 'id'] },
    // And for what changed since they asked last.
    changes: { index: ['write_date', 'id'] },
    confirmed_has_date: {
      check: "state <> 'sale' OR date_order IS NOT NULL",
      message: 'A confirmed sales order needs the date of its confirmation.',
    },
  },
  fields: {
    ...orderFields,
    partner_id: many2one('res.partner', {
      label: 'Customer',
      required: true,
      index: true,
      checkCompany: true,
    }),
    state: selection(
      { draft: 'Quotation', sent: 'Quotation Sent', sale: 'Sales Order', cancel: 'Cancelled' },
      { label: 'Status', default: 'draft', copy: false, readonly: true, index: true },
    ),
    locked: boolean({
      label: 'Locked',
      default: false,
      copy: false,
      help: 'The lines of a locked order stay as they are.',
    }),
    client_order_ref: char({ label: 'Customer Reference', copy: false, index: 'trigram' }),
    date_order: datetime({
      label: 'Order Date',
      required: true,
      copy: false,
      help: 'When the quotation was made; of a confirmed order, when it was confirmed.',
    }),
    commitment_date: datetime({
      label: 'Delivery Date',
      copy: false,
      help: 'Delivery date promised to the customer.',
    }),
    expected_date: datetime({
      label: 'Expected Date',
      computed: true,
      help: 'The earliest day that the lead times of the lines allow.',
    }),
    origin: char({ label: 'Source Document', help: 'The document that the order comes from.' }),
    reference: char({ label: 'Payment Ref.', copy: false }),
    validity_date: date({
      label: 'Expiration',
      ...precomputed,
      copy: false,
      help: 'Until when the customer may accept.',
    }),
    is_expired: boolean({ label: 'Is Expired', computed: true }),
    require_signature: boolean({
      label: 'Online Signature',
      ...precomputed,
      help: 'The customer signs to confirm.',
    }),
    require_payment: boolean({
      label: 'Online Payment',
      ...precomputed,
      help: 'The customer pays to confirm.',
    }),
    prepayment_percent: float({
      label: 'Prepayment percentage',
      ...precomputed,
      help: 'The share to be paid to confirm; 1 is the whole.',
    }),
    signature: binary({ label: 'Signature', image: true, maxWidth: 1024, copy: false }),
    signed_by: char({ label: 'Signed By', copy: false }),
    signed_on: datetime({ label: 'Signed On', copy: false }),
    note: html({ label: 'Terms and conditions' }),
    partner_invoice_id: many2one('res.partner', {
      label: 'Invoice Address',
      required: true,
      index: true,
      ...precomputed,
      checkCompany: true,
    }),
    partner_shipping_id: many2one('res.partner', {
      label: 'Delivery Address',
      required: true,
      index: true,
      ...precomputed,
      checkCompany: true,
    }),
    user_id: many2one('res.users', { label: 'Salesperson', index: true, ...precomputed }),
    team_id: many2one('crm.team', { label: 'Sales Team', ...precomputed, checkCompany: true }),
    pricelist_id: many2one('product.pricelist', {
      label: 'Pricelist',
      ...precomputed,
      checkCompany: true,
      help: 'New lines take their prices from it; lines that are there keep theirs.',
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      computed: true,
      stored: true,
      precompute: true,
      ondelete: 'restrict',
    }),
    fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position',
      ...precomputed,
      checkCompany: true,
      help: 'Replaces the taxes of products by those that the customer is charged.',
    }),
    order_line: one2many('sale.order.line', 'order_id', { label: 'Order Lines', copy: true }),
    tag_ids: many2many('crm.tag', { label: 'Tags' }),
    amount_undiscounted: float({ label: 'Amount Before Discount', computed: true }),
    amount_to_invoice: monetary({ label: 'Un-invoiced Balance', computed: true }),
    amount_invoiced: monetary({ label: 'Already invoiced', computed: true }),
    invoice_status: selection(
      {
        upselling: 'Upselling Opportunity',
        invoiced: 'Fully Invoiced',
        'to invoice': 'To Invoice',
        no: 'Nothing to Invoice',
      },
      { label: 'Invoice Status', computed: true, stored: true, index: true },
    ),
    invoice_ids: many2many('account.move', { label: 'Invoices', computed: true }),
    invoice_count: integer({ label: 'Invoice Count', computed: true }),
    duplicated_order_ids: many2many('sale.order', {
      label: 'Duplicated Orders',
      computed: true,
      help: 'Other orders of the customer with the same reference.',
    }),
    pending_email_template_id: many2one('mail.template', {
      label: 'Pending Email Template',
      readonly: true,
      copy: false,
      ondelete: 'set null',
      help: 'A mail that another system was still to send; this server sends mails by its queue.',
    }),
    has_active_pricelist: boolean({ label: 'Has Active Pricelist', computed: true }),
    has_archived_products: boolean({ label: 'Has Archived Products', computed: true }),
    partner_credit_warning: text({
      label: 'Credit Warning',
      computed: true,
      help: 'The amount that the customer would owe, if it is beyond the limit.',
    }),
  },
  methods: {
    action_quotation_sent: { doc: 'Marks quotations as sent.', params: {} },
    action_confirm: { doc: 'Confirms quotations: all of them or none.', params: {}, returns: done },
    action_cancel: { doc: 'Cancels orders that are not locked.', params: {}, returns: done },
    action_draft: {
      doc: 'Resets cancelled and sent orders to quotations; skips others.',
      params: {},
      returns: done,
    },
    action_lock: { doc: 'Locks orders: their lines cannot be changed.', params: {} },
    action_unlock: { doc: 'Unlocks orders: their lines can be changed again.', params: {} },
    action_update_prices: {
      doc: 'Updates prices and discounts of all lines from the pricelist.',
      params: {},
    },
    action_update_taxes: {
      doc: 'Updates the taxes of all lines by the fiscal position.',
      params: {},
    },
    action_open_discount_wizard: actionMethod('The action that opens the discount form.'),
  },
})

declare module '#models' {
  interface Models {
    'sale.order': SaleOrder
  }
  interface SaleOrder extends Of<typeof order> {}
}
