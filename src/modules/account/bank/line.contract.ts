// Contract of lines of bank statements and cash boxes (account.bank.statement.line). Each is an entry of
// its journal, seen through `move_id`.
import { boolean, char, float, integer, json, many2one, model, monetary, type Of } from '#models'

const ofMove = { stored: true, precompute: true } as const

export const statementLine = model('account.bank.statement.line', {
  label: 'Bank Statement Line',
  formsBySaving: true,
  inherits: { 'account.move': 'move_id' },
  order: 'internal_index desc',
  recName: 'payment_ref',
  recNamesSearch: ['payment_ref', 'move_id.name', 'partner_name'],
  rules: {
    // The running balance of a journal is a sum in this order.
    journal_order: { index: ['journal_id', 'internal_index'] },
    open_lines: { index: ['journal_id'], where: 'NOT is_reconciled' },
  },
  fields: {
    move_id: many2one('account.move', {
      label: 'Journal Entry',
      required: true,
      ondelete: 'cascade',
      index: true,
      copy: false,
    }),
    journal_id: many2one('account.journal', { label: 'Journal', related: 'move_id.journal_id', ...ofMove }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'move_id.company_id',
      ...ofMove,
      index: true,
    }),
    statement_id: many2one('account.bank.statement', {
      label: 'Statement',
      index: 'set',
      ondelete: 'set null',
      copy: false,
    }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    partner_name: char({ label: 'Partner Name', help: 'As the bank reports it.' }),
    transaction_type: char({ label: 'Transaction Type' }),
    transaction_details: json({ label: 'Transaction Details', readonly: true, copy: false }),
    account_number: char({ label: 'Bank Account Number' }),
    payment_ref: char({ label: 'Label', index: 'trigram' }),
    currency_id: many2one('res.currency', { label: 'Journal Currency', asStored: true, computed: true }),
    amount: monetary({
      label: 'Amount',
      help: 'In the currency of the journal; positive for incoming money.',
    }),
    running_balance: monetary({
      label: 'Running Balance',
      computed: true,
      help: 'Balance of the journal after the line.',
    }),
    foreign_currency_id: many2one('res.currency', { label: 'Foreign Currency', ondelete: 'restrict' }),
    amount_currency: monetary({
      label: 'Amount in Currency',
      currency: 'foreign_currency_id',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Amount in the foreign currency.',
    }),
    counterpart_account_id: many2one('account.account', {
      label: 'Counterpart Account',
      ondelete: 'restrict',
      checkCompany: true,
      help: 'Counterpart account. Empty: the suspense account of the journal.',
    }),
    amount_residual: float({
      label: 'Residual Amount',
      computed: true,
      stored: true,
      help: 'Amount without a counterpart.',
    }),
    is_reconciled: boolean({ label: 'Is Reconciled', computed: true, stored: true }),
    internal_index: char({
      label: 'Internal Reference',
      computed: true,
      stored: true,
      copy: false,
      help: 'Position of the line in its journal.',
    }),
    statement_complete: boolean({ label: 'Statement Complete', related: 'statement_id.is_complete' }),
    statement_valid: boolean({ label: 'Statement Valid', related: 'statement_id.is_valid' }),
    statement_balance_end_real: monetary({
      label: 'Ending Balance',
      related: 'statement_id.balance_end_real',
    }),
    statement_name: char({ label: 'Statement Name', related: 'statement_id.name' }),
  },
  methods: {
    action_undo_reconciliation: {
      doc: 'Undoes the reconciliation of bank lines: their counterpart is on the suspense account again.',
      params: {},
    },
  },
})

declare module '#models' {
  interface Models {
    'account.bank.statement.line': BankStatementLine
  }
  interface BankStatementLine extends Of<typeof statementLine> {}
  interface Delegates {
    'account.bank.statement.line': 'account.move'
  }
}
