// Contract of journal entries and invoices (account.move) (spec/business-models.md section 8).
import {
  boolean,
  char,
  date,
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
import { lineTypes, moveTypes } from './kinds.ts'

/** Computed before the entry is stored, and kept when a client writes it. */
const kept = { computed: true, stored: true, precompute: true, readonly: false } as const
const amount = { computed: true, stored: true } as const
const signed = { ...amount, currency: 'company_currency_id' } as const

export const move = model('account.move', {
  label: 'Journal Entry',
  formsBySaving: true,
  events: {
    posted: {
      doc: 'An invoice, a bill or a credit note was posted.',
      fields: ['name', 'move_type', 'state', 'amount_total', 'currency_id', 'partner_id'],
    },
    paid: {
      doc: 'Nothing is left to pay of an invoice, a bill or a credit note.',
      fields: ['name', 'move_type', 'payment_state', 'amount_total', 'currency_id', 'partner_id'],
    },
  },
  order: 'date desc, name desc, invoice_date desc, id desc',
  recNamesSearch: ['name', 'partner_id.complete_name', 'ref', 'payment_reference'],
  rules: {
    // Two calls at once cannot both take a number.
    unique_name: {
      unique: ['journal_id', 'name'],
      where: "state = 'posted'",
      message: 'A posted entry of this journal has this number already.',
    },
    numbers: { index: ['journal_id', 'sequence_form', 'sequence_number'] },
    bill_once: {
      unique: ['company_id', 'vendor_reference'],
      where: 'vendor_reference IS NOT NULL',
      message:
        'A bill of this vendor with this reference is posted already in this year: correct the reference, or cancel or credit the other one.',
    },
    own_order: { index: ['date desc', 'name desc', 'invoice_date desc', 'id desc'] },
    unpaid: { index: ['payment_state', 'invoice_date_due'], where: "state = 'posted'" },
    posted_has_name: {
      check: "state <> 'posted' OR (name IS NOT NULL AND date IS NOT NULL)",
      message: 'A posted entry has a number and a date.',
    },
  },
  fields: {
    name: char({ label: 'Number', copy: false, index: 'trigram' }),
    sequence_prefix: char({ label: 'Sequence Prefix', computed: true, stored: true, precompute: true }),
    sequence_number: integer({
      label: 'Sequence Number',
      computed: true,
      stored: true,
      precompute: true,
      aggregator: null,
    }),
    /** The number without its counter: those that count together have the same (number-pattern.ts). */
    sequence_form: char({ hidden: true, computed: true, stored: true, precompute: true }),
    ref: char({ label: 'Reference', copy: false, index: 'trigram' }),
    /** Key that no two posted bills of a company share; the database enforces it (protection.ts). */
    vendor_reference: char({ hidden: true, copy: false }),
    date: date({
      label: 'Date',
      ...kept,
      copy: false,
      index: true,
      help: 'Accounting date.',
    }),
    state: selection(
      { draft: 'Draft', posted: 'Posted', cancel: 'Cancelled' },
      { label: 'Status', required: true, default: 'draft', copy: false, readonly: true },
    ),
    move_type: selection(moveTypes, {
      label: 'Type',
      required: true,
      default: 'entry',
      readonly: true,
      index: true,
    }),
    posted_before: boolean({ label: 'Posted Before', copy: false }),
    auto_post: selection(
      { no: 'No', at_date: 'At Date', monthly: 'Monthly', quarterly: 'Quarterly', yearly: 'Yearly' },
      { label: 'Auto-post', required: true, default: 'no', copy: false },
    ),
    journal_id: many2one('account.journal', {
      label: 'Journal',
      required: true,
      ondelete: 'restrict',
      ...kept,
      copy: true,
      checkCompany: true,
      index: true,
    }),
    company_id: many2one('res.company', { label: 'Company', ...kept, index: true }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      asStored: false,
      related: 'company_id.currency_id',
      stored: true,
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      required: true,
      ondelete: 'restrict',
      ...kept,
      copy: true,
    }),
    line_ids: one2many('account.move.line', 'move_id', { label: 'Journal Items' }),
    invoice_line_ids: one2many('account.move.line', 'move_id', {
      label: 'Invoice Lines',
      domain: [['display_type', 'in', [...lineTypes]]],
      copy: true,
    }),
    partner_id: many2one('res.partner', {
      label: 'Partner',
      ondelete: 'restrict',
      index: true,
      checkCompany: true,
    }),
    commercial_partner_id: many2one('res.partner', {
      label: 'Commercial Entity',
      ondelete: 'restrict',
      index: true,
      computed: true,
      stored: true,
      precompute: true,
    }),
    partner_shipping_id: many2one('res.partner', { label: 'Delivery Address', ...kept, copy: true }),
    invoice_partner_display_name: char({
      label: 'Invoice Partner Display Name',
      computed: true,
      stored: true,
      precompute: true,
      help: 'The name that the partner had when the entry was posted.',
    }),
    fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position',
      ondelete: 'restrict',
      ...kept,
      copy: true,
      checkCompany: true,
    }),
    invoice_payment_term_id: many2one('account.payment.term', {
      label: 'Payment Terms',
      ondelete: 'restrict',
      ...kept,
      copy: true,
      checkCompany: true,
    }),
    invoice_user_id: many2one('res.users', { label: 'Salesperson', copy: false, index: true }),
    invoice_date: date({
      label: 'Invoice/Bill Date',
      copy: false,
      index: true,
      help: 'Default: the date of posting.',
    }),
    invoice_date_due: date({
      label: 'Due Date',
      copy: false,
      index: true,
      help: 'Due date of the last instalment.',
    }),
    invoice_origin: char({
      label: 'Origin',
      readonly: true,
      copy: false,
      help: 'Documents that it was created from.',
    }),
    invoice_cash_rounding_id: many2one('account.cash.rounding', {
      label: 'Cash Rounding Method',
      ondelete: 'restrict',
    }),
    payment_reference: char({
      label: 'Payment Reference',
      copy: false,
      index: 'trigram',
      help: 'Reference that payments should name.',
    }),
    narration: html({ label: 'Terms and Conditions' }),
    duplicated_ref_ids: many2many('account.move', {
      label: 'Duplicated Documents',
      computed: true,
      help: 'Other documents of the contact with the same reference.',
    }),
    reversed_entry_id: many2one('account.move', {
      label: 'Reversal of',
      readonly: true,
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    origin_payment_id: many2one('account.payment', {
      label: 'Payment',
      readonly: true,
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    reversal_move_ids: one2many('account.move', 'reversed_entry_id', { label: 'Credit Notes' }),
    amount_untaxed: monetary({ label: 'Untaxed Amount', ...amount }),
    amount_tax: monetary({ label: 'Tax', ...amount }),
    amount_total: monetary({ label: 'Total', ...amount }),
    amount_residual: monetary({ label: 'Amount Due', ...amount }),
    amount_untaxed_signed: monetary({ label: 'Untaxed Amount Signed', ...signed }),
    amount_tax_signed: monetary({ label: 'Tax Signed', ...signed }),
    amount_total_signed: monetary({ label: 'Total Signed', ...signed }),
    amount_residual_signed: monetary({ label: 'Amount Due Signed', ...signed }),
    amount_total_in_currency_signed: monetary({ label: 'Total in Currency Signed', ...amount }),
    amount_untaxed_in_currency_signed: monetary({ label: 'Untaxed Amount in Currency Signed', ...amount }),
    amount_paid: monetary({
      label: 'Amount Paid Online',
      computed: true,
      help: 'Amount of online payments that are not posted yet.',
    }),
    invoice_currency_rate: float({
      label: 'Currency Rate',
      copy: false,
      help: "Value of one unit of the company's currency: on the day of the invoice, or as agreed.",
    }),
    expected_currency_rate: float({
      label: 'Expected Currency Rate',
      computed: true,
      help: "Value of one unit of the company's currency on the day of the invoice.",
    }),
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
      { label: 'Payment Status', computed: true, stored: true },
    ),
    payment_blocked: boolean({
      label: 'Not to Be Paid',
      readonly: true,
      copy: false,
      help: 'The payment status of an unpaid document is Blocked.',
    }),
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
    partner_credit_warning: text({
      label: 'Credit Warning',
      computed: true,
      help: 'The amount that the customer would owe, if it is beyond the limit.',
    }),
    type_name: char({ label: 'Type Name', computed: true }),
  },
  methods: {
    action_post: {
      doc: 'Posts drafts: all of them or none.',
      params: {},
      returns: returns<false>('boolean', 'bool', 'Always false'),
    },
    button_draft: {
      doc: 'Resets posted and cancelled entries to draft; they keep their numbers.',
      params: {},
    },
    button_cancel: {
      doc: 'Cancels entries; payments that were reconciled with them are open again.',
      params: {},
    },
    refresh_invoice_currency_rate: {
      doc: 'Resets the currency rate of drafts to the rate of their date.',
      params: {},
    },
    action_switch_move_type: {
      doc: 'Turns an invoice that was never posted into a credit note, and the other way round.',
      params: {},
    },
  },
})

declare module '#models' {
  interface Models {
    'account.move': AccountMove
  }
  interface AccountMove extends Of<typeof move> {}
}
