// Contract of payments (account.payment) (spec/business-models.md section 8, "Payments").
import {
  boolean,
  char,
  date,
  integer,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  selection,
} from '#models'

const kept = { computed: true, stored: true, precompute: true, readonly: false } as const

export const payment = model('account.payment', {
  label: 'Payments',
  formsBySaving: true,
  order: 'date desc, name desc, id desc',
  recNamesSearch: ['name', 'memo', 'partner_id.complete_name'],
  rules: {
    amount_not_negative: { check: 'amount >= 0', message: 'The amount of a payment must not be negative.' },
  },
  fields: {
    name: char({ label: 'Number', copy: false, readonly: true, index: 'trigram' }),
    date: date({ label: 'Date', required: true, index: true }),
    move_id: many2one('account.move', {
      label: 'Journal Entry',
      copy: false,
      readonly: true,
      index: true,
      ondelete: 'restrict',
    }),
    journal_id: many2one('account.journal', {
      label: 'Journal',
      required: true,
      ondelete: 'restrict',
      checkCompany: true,
      index: true,
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'journal_id.company_id',
      stored: true,
      precompute: true,
      index: true,
    }),
    stage: selection(
      {
        draft: 'Draft',
        posted: 'Posted',
        validated: 'Validated',
        canceled: 'Canceled',
        rejected: 'Rejected',
      },
      {
        label: 'Stage',
        required: true,
        default: 'draft',
        readonly: true,
        copy: false,
        help: 'The way in which the payment was handled, in addition to its state.',
      },
    ),
    state: selection(
      { draft: 'Draft', in_process: 'In Process', paid: 'Paid', canceled: 'Canceled', rejected: 'Rejected' },
      { label: 'State', computed: true, stored: true },
    ),
    is_reconciled: boolean({
      label: 'Is Reconciled',
      computed: true,
      stored: true,
      help: 'The payment is fully reconciled.',
    }),
    is_matched: boolean({ label: 'Is Matched With a Bank Statement', computed: true, stored: true }),
    is_sent: boolean({ label: 'Is Sent', copy: false }),
    amount: monetary({ label: 'Amount' }),
    amount_signed: monetary({ label: 'Amount Signed', computed: true }),
    amount_company_currency_signed: monetary({
      label: 'Amount Company Currency Signed',
      asStored: true,
      computed: true,
      currency: 'company_currency_id',
    }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      required: true,
      ondelete: 'restrict',
      ...kept,
      copy: true,
    }),
    payment_type: selection(
      { outbound: 'Send', inbound: 'Receive' },
      { label: 'Payment Type', required: true, default: 'inbound' },
    ),
    partner_type: selection(
      { customer: 'Customer', supplier: 'Vendor' },
      { label: 'Partner Type', required: true, default: 'customer' },
    ),
    partner_id: many2one('res.partner', {
      label: 'Customer/Vendor',
      ondelete: 'restrict',
      index: true,
      checkCompany: true,
    }),
    memo: char({ label: 'Memo' }),
    payment_reference: char({ label: 'Payment Reference', copy: false }),
    destination_account_id: many2one('account.account', {
      label: 'Destination Account',
      ondelete: 'restrict',
      checkCompany: true,
      ...kept,
      copy: true,
    }),
    outstanding_account_id: many2one('account.account', {
      label: 'Outstanding Account',
      ondelete: 'restrict',
      checkCompany: true,
      ...kept,
      copy: true,
    }),
    payment_method_line_id: many2one('account.payment.method.line', {
      label: 'Payment Method',
      ondelete: 'restrict',
      checkCompany: true,
      ...kept,
      copy: true,
    }),
    payment_method_id: many2one('account.payment.method', {
      label: 'Method',
      asStored: true,
      related: 'payment_method_line_id.payment_method_id',
    }),
    payment_method_code: char({ label: 'Code', related: 'payment_method_line_id.payment_method_id.code' }),
    partner_bank_id: many2one('res.partner.bank', {
      label: 'Recipient Bank Account',
      ondelete: 'restrict',
      ...kept,
      copy: true,
    }),
    /** Documents that it was made for, matched or not. */
    invoice_ids: many2many('account.move', {
      label: 'Invoices',
      copy: false,
      relation: { table: 'account_move__account_payment', column: 'payment_id', other: 'invoice_id' },
    }),
    reconciled_invoice_ids: many2many('account.move', { label: 'Reconciled Invoices', computed: true }),
    reconciled_bill_ids: many2many('account.move', { label: 'Reconciled Bills', computed: true }),
    reconciled_invoices_count: integer({ label: '# Reconciled Invoices', computed: true }),
    reconciled_bills_count: integer({ label: '# Reconciled Bills', computed: true }),
    reconciled_statement_line_ids: many2many('account.bank.statement.line', {
      label: 'Reconciled Statement Lines',
      computed: true,
    }),
    reconciled_statement_lines_count: integer({ label: '# Reconciled Statement Lines', computed: true }),
  },
  methods: {
    action_post: { doc: 'Posts draft payments: creates their entries and numbers.', params: {} },
    action_validate: { doc: 'Marks payments as paid.', params: {} },
    action_draft: { doc: 'Resets payments to draft; their reconciliations stay.', params: {} },
    action_cancel: {
      doc: 'Cancels payments: items that were reconciled with them are open again.',
      params: {},
    },
    action_reject: {
      doc: 'Marks payments as rejected by the bank: items that were reconciled with them are open again.',
      params: {},
    },
    mark_as_sent: { doc: 'Marks payments as sent.', params: {} },
    unmark_as_sent: { doc: 'Marks payments as not sent.', params: {} },
  },
})

declare module '#models' {
  interface Models {
    'account.payment': Payment
  }
  interface Payment extends Of<typeof payment> {}
}
