// Implementation of payments (account.payment). States: states.ts; entries: entries.ts; paid documents:
// computed.ts.
import { computed, type Environment, implement, type Records } from '#models'
import { today } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { givenVals } from '../../base/index.ts'
import { withoutDerivedValues } from '../move/derived-fields.ts'
import { paymentWritable } from '../writable.ts'
import { recipientBank } from './agreed.ts'
import { computedCurrency, computedMethodLine, destination, outstanding, shown, state } from './computed.ts'
import { firstJournal } from './default-journal.ts'
import { payment } from './payment.contract.ts'
import { statementLines } from './statement-lines.ts'
import {
  assertRemovable,
  backToDraft,
  cancel,
  followChanges,
  post,
  reject,
  removeEntries,
  validate,
} from './states.ts'

async function markSent(payments: Records<'account.payment'>, is_sent: boolean): Promise<null> {
  await payments.write({ is_sent })
  return null
}

/** The default journal of a payment: the first bank or cash journal of the company. */
async function withJournals(
  env: Environment,
  list: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const follows = (vals: Record<string, unknown>) => !vals.journal_id && !env.context.default_journal_id
  const companies = list.filter(follows).map((vals) => vals.company_id)
  const journals = new Map<unknown, number | null>()
  for (const company of new Set(companies.filter(isInteger)))
    journals.set(company, await firstJournal(env, company))
  return list.map((vals) => {
    const { company_id, ...others } = vals
    const journal_id = follows(vals) ? (journals.get(company_id) ?? null) : null
    return journal_id === null ? vals : { ...others, journal_id }
  })
}

export default implement(payment, {
  writable: paymentWritable,
  displayName: computed(payment, ['name'], (payment) => payment.name ?? 'Draft Payment'),
  defaults: {
    date: (env) => today(env.tz, env.now()),
    journal_id: (env) => firstJournal(env, env.companyId),
  },
  computed: {
    ...computedCurrency,
    ...computedMethodLine,
    ...recipientBank,
    ...outstanding,
    ...destination,
    ...state,
    ...shown,
    ...statementLines,
  },
  checks: {
    'A payment needs a journal of the type bank, cash or credit card: choose another journal.': computed(
      payment,
      ['journal_id.type'],
      (payment) => ['bank', 'cash', 'credit'].includes(payment.journal_id.type),
    ),
    'The amount of a payment must not be negative.': computed(
      payment,
      ['amount'],
      (payment) => payment.amount >= 0,
    ),
  },
  methods: {
    action_post: post,
    action_validate: validate,
    action_draft: backToDraft,
    action_cancel: cancel,
    action_reject: reject,
    mark_as_sent: (payments) => markSent(payments, true),
    unmark_as_sent: (payments) => markSent(payments, false),
  },
  wrapWrite: (next) => (payments, changes) => followChanges(payments, changes, () => next(payments, changes)),
  wrapGeneric: {
    create: (next) => async (payments, params) => {
      const valsList = givenVals(params.vals_list).map((vals) =>
        withoutDerivedValues('account.payment', vals),
      )
      const vals_list = await withJournals(payments.env, valsList)
      return next(payments, { ...params, vals_list })
    },
    unlink: (next) => async (payments, params) => {
      const moves = await assertRemovable(payments)
      const answer = await next(payments, params)
      await removeEntries(payments, moves)
      return answer
    },
  },
})
