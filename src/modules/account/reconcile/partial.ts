// Matches of two items (account.partial.reconcile): how much of a debit is settled by a credit, in three
// currencies.
import { date, implement, json, many2one, model, monetary, type Of } from '#models'
import { assertAllowed } from '../../base/index.ts'
import { matchWritable } from '../writable.ts'
import { undoPartials } from './undo.ts'

const partial = model('account.partial.reconcile', {
  label: 'Partial Reconcile',
  rules: {
    positive: {
      check: 'amount >= 0 AND debit_amount_currency >= 0 AND credit_amount_currency >= 0',
      message: 'Matched amounts must not be negative.',
    },
  },
  fields: {
    debit_move_id: many2one('account.move.line', {
      label: 'Debit Move',
      required: true,
      index: true,
      ondelete: 'cascade',
    }),
    credit_move_id: many2one('account.move.line', {
      label: 'Credit Move',
      required: true,
      index: true,
      ondelete: 'cascade',
    }),
    full_reconcile_id: many2one('account.full.reconcile', {
      label: 'Full Reconcile',
      copy: false,
      index: true,
      ondelete: 'set null',
    }),
    exchange_move_id: many2one('account.move', {
      label: 'Exchange Move',
      index: true,
      ondelete: 'set null',
      help: 'The entry that posts the exchange rate difference between the two items.',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'debit_move_id.company_id',
      stored: true,
      index: true,
    }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    debit_currency_id: many2one('res.currency', {
      label: 'Currency of the debit journal item',
      related: 'debit_move_id.currency_id',
      stored: true,
    }),
    credit_currency_id: many2one('res.currency', {
      label: 'Currency of the credit journal item',
      related: 'credit_move_id.currency_id',
      stored: true,
    }),
    amount: monetary({ label: 'Amount', currency: 'company_currency_id' }),
    debit_amount_currency: monetary({ label: 'Debit Amount Currency', currency: 'debit_currency_id' }),
    credit_amount_currency: monetary({ label: 'Credit Amount Currency', currency: 'credit_currency_id' }),
    draft_caba_move_vals: json({
      label: 'Values that created the draft cash-basis entry',
      copy: false,
      help: 'Kept of databases that came from elsewhere.',
    }),
    max_date: date({ label: 'Max Date of Matched Lines', index: true }),
  },
})

declare module '#models' {
  interface Models {
    'account.partial.reconcile': PartialReconcile
  }
  interface PartialReconcile extends Of<typeof partial> {}
}

/**
 * The removal of a match takes back the entries that were booked for it: differences of rates, and the number
 * of items that were settled together.
 */
export default implement(partial, {
  writable: matchWritable,
  wrapGeneric: {
    unlink: (next) => async (matches, params) => {
      if (matches.env.su) return next(matches, params)
      await assertAllowed(matches, 'unlink')
      await undoPartials(matches.env, matches.ids)
      return true
    },
  },
})
