// The form that closes a session which does not balance (pos.close.session.wizard): the rest goes to an
// account.
import { boolean, float, implement, many2one, type Of, type Records, returns, text, transient } from '#models'
import { UserError } from '../../../errors.ts'
import { givenIds } from '../../base/index.ts'
import { openSessionsAmong } from './close.ts'

const wizard = transient('pos.close.session.wizard', {
  label: 'Close Session Wizard',
  fields: {
    amount_to_balance: float({ label: 'Amount to balance' }),
    account_id: many2one('account.account', { label: 'Destination account' }),
    account_readonly: boolean({ label: 'Destination account is readonly' }),
    message: text({ label: 'Information message' }),
  },
  methods: {
    close_session: {
      doc: 'Closes the session of the context; the difference is posted to the account.',
      params: {},
      returns: returns<unknown>('any', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'pos.close.session.wizard': PosCloseSessionWizard
  }
  interface PosCloseSessionWizard extends Of<typeof wizard> {}
}

async function close(forms: Records<'pos.close.session.wizard'>): Promise<unknown> {
  const { env } = forms
  const { account_id } = await forms.one(['account_id'])
  const ids = givenIds(env.context.active_ids)
  if (ids.length === 0) throw new UserError('No session in the context: open this form from a session.')
  if (!account_id) throw new UserError('Choose the account for the difference.')
  let answer: unknown = true
  for (const id of await openSessionsAmong(env, ids))
    answer = await env
      .model('pos.session')
      .browse([id])
      .action_pos_session_closing_control({ balancing_account: account_id.id })
  return answer
}

export default implement(wizard, { methods: { close_session: close } })
