// Writable fields of entries, payments and statements by their state. Posted entries were sent and declared:
// they stay.
import { writable } from '#models'

export const moveWritable = writable<'account.move'>({
  state: 'state',
  open: ['draft'],
  once: ['move_type'],
  server: ['posted_before', 'vendor_reference', 'access_token', 'invoice_pdf_report_file'],
  always: ['checked'],
  later: {
    posted: ['ref', 'invoice_user_id', 'invoice_date_due'],
    cancel: ['ref', 'invoice_user_id', 'narration'],
  },
  // `unlink` decides which of them can be removed, and gives the reason.
  removed: ['draft', 'posted', 'cancel'],
})

/** Matches are created by reconciling. The account of a posted item may be changed later (recorded). */
export const itemWritable = writable<'account.move.line'>({
  partOf: 'move_id',
  later: { posted: ['account_id'] },
  server: ['matched_debit_ids', 'matched_credit_ids'],
})

/** Matches are made by reconciling and not by hand: amounts that say otherwise would pay for nothing. */
export const matchWritable = writable<'account.partial.reconcile'>({
  only: { 'account.group_account_invoice': 'all' },
  server: [
    'debit_move_id',
    'credit_move_id',
    'full_reconcile_id',
    'exchange_move_id',
    'company_id',
    'debit_currency_id',
    'credit_currency_id',
    'amount',
    'debit_amount_currency',
    'credit_amount_currency',
    'max_date',
    'draft_caba_move_vals',
  ],
  added: [],
  removed: ['always'],
})

/** The amount of an outstanding payment may be corrected: its entry follows (recorded). */
export const paymentWritable = writable<'account.payment'>({
  state: 'state',
  open: ['draft'],
  once: ['company_id'],
  always: ['is_sent'],
  later: { in_process: ['amount', 'memo'] },
  // `unlink` decides which of them can be removed.
  removed: ['draft', 'in_process', 'paid', 'canceled', 'rejected'],
})

/** Figures of the bank stay while they are matched. */
export const bankLineWritable = writable<'account.bank.statement.line'>({
  lock: 'is_reconciled',
  once: ['journal_id', 'company_id', 'move_id'],
  always: ['sequence', 'statement_id'],
  removed: ['always', 'locked'],
  into: { statement_id: ['always'] },
})

/**
 * Balances stay once the bank's figure is reached and every line is matched, until a match is undone or a
 * line leaves for another statement (recorded).
 */
export const statementWritable = writable<'account.bank.statement'>({
  lock: 'is_settled',
  always: ['name', 'reference'],
  // Lines of a whole statement are free once it is removed (recorded).
  removed: ['always', 'locked'],
})

/** Set-up of the books: billers and stock managers have the rights to its models, as actions write them. */
export const setUpWritable = writable({ only: { 'account.group_account_manager': 'all' } })
