// Contract of the form that pays documents (account.payment.register) (spec/business-models.md section
// 8).
import { boolean, char, date, many2many, many2one, monetary, type Of, selection, transient } from '#models'
import { actionMethod } from '../../base/index.ts'

export const register = transient('account.payment.register', {
  label: 'Pay',
  formsBySaving: true,
  fields: {
    line_ids: many2many('account.move.line', {
      label: 'Journal items',
      relation: { table: 'account_payment_register_move_line_rel', column: 'wizard_id', other: 'line_id' },
    }),
    payment_date: date({ label: 'Payment Date', required: true }),
    amount: monetary({ label: 'Amount' }),
    communication: char({ label: 'Memo' }),
    group_payment: boolean({ label: 'Group Payments', help: 'One payment for all documents of a partner.' }),
    currency_id: many2one('res.currency', { label: 'Currency' }),
    journal_id: many2one('account.journal', { label: 'Journal' }),
    payment_method_line_id: many2one('account.payment.method.line', { label: 'Payment Method' }),
    company_id: many2one('res.company', { label: 'Company', computed: true, stored: true }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    partner_id: many2one('res.partner', { label: 'Customer/Vendor', computed: true, stored: true }),
    payment_type: selection(
      { outbound: 'Send Money', inbound: 'Receive Money' },
      { label: 'Payment Type', computed: true, stored: true },
    ),
    partner_type: selection(
      { customer: 'Customer', supplier: 'Vendor' },
      { label: 'Partner Type', computed: true, stored: true },
    ),
    source_amount: monetary({
      label: 'Amount to Pay (company currency)',
      asStored: true,
      computed: true,
      currency: 'company_currency_id',
    }),
    source_amount_currency: monetary({
      label: 'Amount to Pay (foreign currency)',
      asStored: true,
      computed: true,
      currency: 'source_currency_id',
    }),
    source_currency_id: many2one('res.currency', { label: 'Source Currency', computed: true, stored: true }),
    can_edit_wizard: boolean({ label: 'Can Edit Wizard', computed: true, stored: true }),
    can_group_payments: boolean({ label: 'Can Group Payments', computed: true, stored: true }),
    payment_difference: monetary({ label: 'Payment Difference', computed: true }),
    payment_difference_handling: selection(
      { open: 'Keep open', reconcile: 'Mark as fully paid' },
      { label: 'Payment Difference Handling' },
    ),
    available_journal_ids: many2many('account.journal', { label: 'Available Journals', computed: true }),
    available_payment_method_line_ids: many2many('account.payment.method.line', {
      label: 'Available Payment Methods',
      computed: true,
    }),
    writeoff_account_id: many2one('account.account', { label: 'Difference Account' }),
    writeoff_label: char({ label: 'Journal Item Label', default: 'Write-Off' }),
  },
  methods: {
    action_create_payments: actionMethod('Creates the payments, posts them and reconciles them.'),
  },
})

declare module '#models' {
  interface Models {
    'account.payment.register': PaymentRegister
  }
  interface PaymentRegister extends Of<typeof register> {}
}
