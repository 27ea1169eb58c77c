// Implementation of journal entries and invoices (account.move). Items: settle.ts; posting: post.ts;
// states: states.ts; refusals: guards.ts.
import { computed, idsWhere, implement } from '#models'
import { UserError } from '../../../errors.ts'
import { assertAllowed, givenVals } from '../../base/index.ts'
import { paymentState } from '../reconcile/payment-state.ts'
import { moveWritable } from '../writable.ts'
import { amountPaid, moveAmounts } from './amounts.ts'
import { creditWarning } from './credit.ts'
import { withoutDerivedValues } from './derived-fields.ts'
import { duplicates } from './duplicates.ts'
import { expectedRate } from './expected-rate.ts'
import {
  bookedOn,
  commercialPartner,
  company,
  currencyOfPartner,
  fiscalPosition,
  journal,
  partnerName,
  shipping,
  terms,
  withJournalOfCompany,
} from './from-partner.ts'
import { assertHeadersKept, assertJournals, assertMovesRemovable } from './guards.ts'
import { documentNames, isSale } from './kinds.ts'
import { move } from './move.contract.ts'
import { sequenceParts } from './names.ts'
import { LONGEST_NUMBER } from './number-pattern.ts'
import { touch, touchRates, withSettledEntries } from './pending-changes.ts'
import { post } from './post.ts'
import { withPrefetch } from './prefetch.ts'
import { settleMoves } from './settle.ts'
import { backToDraft, cancel, switchType } from './states.ts'

/** Fields of a header that items follow. */
const moving = [
  'partner_id',
  'currency_id',
  'company_id',
  'journal_id',
  'date',
  'invoice_date',
  'invoice_date_due',
  'invoice_payment_term_id',
  'invoice_cash_rounding_id',
  'fiscal_position_id',
  'move_type',
  'line_ids',
  'invoice_line_ids',
  'invoice_currency_rate',
] as const

/** Fields that say on which day and into which currency an invoice is converted. */
const dating = ['currency_id', 'company_id', 'journal_id', 'date', 'invoice_date'] as const

/** Sales get the caller as salesperson; the number `/` means no number. */
function completed(vals: Record<string, unknown>, uid: number, type: unknown): Record<string, unknown> {
  const kind = vals.move_type ?? type ?? 'entry'
  const user =
    typeof kind === 'string' && isSale(kind) && vals.invoice_user_id === undefined
      ? { invoice_user_id: uid }
      : {}
  return { ...vals, ...user, ...(vals.name === '/' ? { name: false } : {}) }
}

export default implement(move, {
  writable: moveWritable,
  displayName: computed(
    move,
    ['name', 'move_type', 'ref', 'id'],
    // Links show what a document is found by: its number, and the reference of its sender.
    (move) => `${move.name ?? `Draft ${documentNames[move.move_type]}`}${move.ref ? ` (${move.ref})` : ''}`,
  ),
  computed: {
    ...sequenceParts,
    ...journal,
    ...company,
    ...currencyOfPartner,
    ...commercialPartner,
    ...partnerName,
    ...shipping,
    ...terms,
    ...fiscalPosition,
    ...bookedOn,
    ...moveAmounts,
    ...paymentState,
    amount_paid: amountPaid,
    duplicated_ref_ids: duplicates,
    expected_currency_rate: expectedRate,
    partner_credit_warning: creditWarning,
    type_name: computed(move, ['move_type'], (move) => documentNames[move.move_type]),
  },
  methods: {
    action_post: post,
    button_draft: backToDraft,
    button_cancel: cancel,
    action_switch_move_type: switchType,
    refresh_invoice_currency_rate: async (moves) => {
      await assertAllowed(moves, 'write')
      const drafts = await moves.filtered([['state', '=', 'draft']])
      await drafts.write({ invoice_currency_rate: 0 })
      return null
    },
  },
  checks: {
    'The currency rate must be positive: enter 0 to use the rate of the day.': computed(
      move,
      ['invoice_currency_rate'],
      (move) => move.invoice_currency_rate >= 0,
    ),
  },
  prepare: ({ name }) => {
    if (typeof name === 'string' && name.length > LONGEST_NUMBER)
      throw new UserError(`The number is too long: at most ${LONGEST_NUMBER} characters.`)
  },
  wrapWrite: (next) => async (moves, changes) => {
    const { env } = moves
    await assertHeadersKept(moves, changes)
    await withSettledEntries(
      env,
      async () => {
        touch(
          env,
          idsWhere(changes, (vals) => moving.some((field) => field in vals)),
        )
        touchRates(
          env,
          idsWhere(changes, (vals) => dating.some((field) => field in vals)),
          'redated',
        )
        touchRates(
          env,
          idsWhere(changes, (vals) => 'invoice_currency_rate' in vals),
          'written',
        )
        await next(
          moves,
          env.direct
            ? changes.map(({ ids, vals }) => ({ ids, vals: { ...vals, is_manually_modified: true } }))
            : changes,
        )
        const journaled = idsWhere(changes, (vals) => 'journal_id' in vals || 'move_type' in vals)
        if (journaled.length) await assertJournals(env, journaled)
      },
      (ids, rates) => settleMoves(env, ids, rates),
    )
  },
  wrapGeneric: {
    create: (next) => async (moves, params) => {
      const { env } = moves
      const vals_list = await withJournalOfCompany(
        env,
        givenVals(params.vals_list).map((vals) =>
          completed(
            env.su ? { ...vals } : withoutDerivedValues('account.move', vals),
            env.uid,
            env.context.default_move_type,
          ),
        ),
      )
      return withSettledEntries(
        env,
        async () => {
          const createdMoves = (await withPrefetch(env, vals_list, () =>
            next(moves, { ...params, vals_list }),
          )) as typeof moves
          touch(env, createdMoves.ids)
          await assertJournals(env, createdMoves.ids)
          return createdMoves
        },
        (ids, rates) => settleMoves(env, ids, rates),
      )
    },
    unlink: (next) => async (moves, params) => {
      await assertMovesRemovable(moves)
      return next(moves, params)
    },
  },
})
