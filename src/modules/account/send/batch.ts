// The form by which several documents are sent (account.move.send.batch.wizard): each as its own form
// proposes.
import {
  computedTogether,
  type Environment,
  implement,
  json,
  many2many,
  type Of,
  optional,
  returns,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { assertWithin } from '../../../limits.ts'
import { givenIds } from '../../base/index.ts'
import { missingAddresses } from './alerts.ts'
import { afterSending, sendAll } from './form.ts'
import { methodFor, sendingLabels } from './methods.ts'

const batch = transient('account.move.send.batch.wizard', {
  label: 'Account Move Send Batch Wizard',
  fields: {
    move_ids: many2many('account.move', {
      label: 'Moves',
      relation: { table: 'account_move_send_batch_move_rel', column: 'form_id', other: 'move_id' },
    }),
    summary_data: json({ label: 'Summary Data', computed: true, help: 'Documents by way of sending.' }),
    alerts: json({ label: 'Alerts', computed: true }),
  },
  methods: {
    action_send_and_print: {
      doc: 'Prints and sends the documents in the way that their contacts prefer; all or none of them.',
      params: {
        force_synchronous: optional<boolean>('boolean', false, {
          annotation: 'bool',
          doc: 'No effect: documents are sent during the call, emails by the mail queue.',
        }),
        allow_fallback_pdf: optional<boolean>('boolean', false, { annotation: 'bool', doc: 'No effect.' }),
      },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.move.send.batch.wizard': SendDocuments
  }
  interface SendDocuments extends Of<typeof batch> {}
}

const formsFor = (env: Environment, moves: readonly { readonly id: number }[]) =>
  env.model('account.move.send.wizard').create(moves.map(({ id }) => ({ move_id: id })))

const summary = computedTogether(
  batch,
  ['move_ids.partner_id.invoice_sending_method', 'move_ids.partner_id.email'],
  (batches) =>
    new Map(
      batches.map(({ id, move_ids: moves }) => {
        const byMethod = Map.groupBy(moves, ({ partner_id: partner }) => methodFor(partner))
        return [
          id,
          Object.fromEntries(
            [...byMethod].map(([method, list]) => [
              method,
              { count: list.length, label: sendingLabels[method] },
            ]),
          ),
        ]
      }),
    ),
)

/** Documents that would be mailed to a contact without an address. */
const alerts = computedTogether(
  batch,
  ['move_ids.partner_id.name', 'move_ids.partner_id.invoice_sending_method', 'move_ids.partner_id.email'],
  (batches) =>
    new Map(
      batches.map(({ id, move_ids: moves }) => {
        const unreached = moves.flatMap(({ partner_id: partner }) =>
          methodFor(partner) === 'email' && !partner?.email ? (partner?.name ?? '') : [],
        )
        return [id, missingAddresses(unreached)]
      }),
    ),
)

export default implement(batch, {
  defaults: {
    move_ids: ({ context }) => (context.active_model === 'account.move' ? givenIds(context.active_ids) : []),
  },
  computed: { summary_data: summary, alerts },
  methods: {
    action_send_and_print: async (batches) => {
      const { move_ids: moves } = await batches.one(['move_ids'])
      if (moves.length === 0) throw new UserError('No documents selected: choose the documents to send.')
      assertWithin('print-documents', moves.length)
      return afterSending(await sendAll(await formsFor(batches.env, moves)))
    },
  },
})
