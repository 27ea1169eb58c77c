// Accounts, journals, taxes, documents and payments have threads.
import { dataSet, extend, implement, type Of, one2many } from '#models'
import { actionMethod, assertAllowedAndExisting, layoutChosenFirst, shownForm } from '../base/index.ts'
import { composing, delegatesThread, withActivities, withThread } from '../mail/index.ts'

const move = extend('account.move', {
  mixins: ['mail.thread', 'mail.activity.mixin'],
  fields: {
    audit_trail_message_ids: one2many('mail.message', 'res_id', {
      label: 'Audit Trail Messages',
      domain: [['message_type', '=', 'notification']],
      help: 'Messages about changes of the entry, which no user wrote.',
    }),
  },
  methods: {
    action_invoice_sent: actionMethod(
      'The form by which an invoice is sent to its customer; before it, administrators of a company without a document layout choose one.',
    ),
    action_send_and_print: actionMethod('The form by which documents are sent to their customers.'),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

const moveThread = implement(move, {
  methods: {
    async action_invoice_sent(moves) {
      moves.ensureOne()
      const action = await composing(moves)
      const { company_id: company } = await moves.one(['company_id'])
      return layoutChosenFirst(moves.env, company?.id ?? moves.env.companyId, action, {
        default_from_invoice: true,
      })
    },
    async action_send_and_print(moves) {
      await assertAllowedAndExisting(moves, 'read')
      const context = { active_model: moves.name, active_ids: moves.ids }
      return moves.length === 1
        ? shownForm('Send', 'account.move.send.wizard', { ...context, default_move_id: moves.ids[0] })
        : shownForm('Send', 'account.move.send.batch.wizard', context)
    },
  },
  wrapGeneric: { opening_kind: () => async () => 'account.mt_invoice_created' },
})

export const accountThreads = [
  withActivities('account.account'),
  withActivities('account.journal'),
  withThread('account.tax'),
  withThread('account.analytic.account'),
  withThread('account.reconcile.model'),
  withActivities('account.payment'),
  moveThread,
  delegatesThread('account.bank.statement.line'),
]

/** The note that a document was created is of a kind of its own, and what is written later answers it. */
export const documentKinds = dataSet('mail.message.subtype', {
  mt_invoice_created: { name: 'Invoice Created', res_model: 'account.move', default: false, hidden: true },
})
