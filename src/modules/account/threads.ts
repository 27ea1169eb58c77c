// Accounts, journals, taxes, documents and payments have threads.
import { dataSet, extend, implement } from '#models'
import { delegatesThread, withActivities, withThread } from '../mail/index.ts'

const move = implement(
  extend('account.move', { mixins: ['mail.thread', 'mail.activity.mixin'], fields: {} }),
  {
    wrapGeneric: { opening_kind: () => async () => 'account.mt_invoice_created' },
  },
)

export const accountThreads = [
  withActivities('account.account'),
  withActivities('account.journal'),
  withThread('account.tax'),
  withActivities('account.payment'),
  move,
  delegatesThread('account.bank.statement.line'),
]

/** The note that a document was created is of a kind of its own, and what is written later answers it. */
export const documentKinds = dataSet('mail.message.subtype', {
  mt_invoice_created: { name: 'Invoice Created', res_model: 'account.move', default: false, hidden: true },
})
