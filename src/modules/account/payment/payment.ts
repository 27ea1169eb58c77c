// Payments (account.payment): how it is done. States: states.ts; entries: entries.ts; what they pay:
// computed.ts.
import { computed, implement, type Records } from '#models'
import { today } from '../../../kit/dates.ts'
import { givenVals } from '../../base/index.ts'
import { withoutFollowed } from '../move/followed.ts'
import { currency, destination, methodLine, outstanding, shown, state } from './computed.ts'
import { firstJournal } from './first.ts'
import { payment } from './payment.contract.ts'
import {
  assertRemovable,
  backToDraft,
  cancel,
  followChanges,
  post,
  removeEntries,
  validate,
} from './states.ts'

async function markSent(payments: Records<'account.payment'>, is_sent: boolean): Promise<null> {
  await payments.write({ is_sent })
  return null
}

export default implement(payment, {
  displayName: computed(payment, ['name'], (one) => one.name ?? 'Draft Payment'),
  defaults: {
    date: (env) => today(env.tz, env.now()),
    journal_id: (env) => firstJournal(env, env.companyId),
  },
  computed: { ...currency, ...methodLine, ...outstanding, ...destination, ...state, ...shown },
  checks: {
    'A payment goes through a journal of a bank, a cash box or a credit card.': computed(
      payment,
      ['journal_id.type'],
      (one) => ['bank', 'cash', 'credit'].includes(one.journal_id.type),
    ),
    'The amount of a payment is not negative.': computed(payment, ['amount'], (one) => one.amount >= 0),
  },
  methods: {
    action_post: post,
    action_validate: validate,
    action_draft: backToDraft,
    action_cancel: cancel,
    mark_as_sent: (payments) => markSent(payments, true),
    unmark_as_sent: (payments) => markSent(payments, false),
  },
  wrapWrite: (next) => (payments, changes) => followChanges(payments, changes, () => next(payments, changes)),
  wrapGeneric: {
    create: (next) => (payments, params) =>
      next(payments, {
        ...params,
        vals_list: givenVals(params.vals_list).map((vals) => withoutFollowed('account.payment', vals)),
      }),
    unlink: (next) => async (payments, params) => {
      const moves = await assertRemovable(payments)
      const answer = await next(payments, params)
      await removeEntries(payments, moves)
      return answer
    },
  },
})
