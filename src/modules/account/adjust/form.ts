// The form that moves items to another period or account: its proposals, and the entries that it creates.
import {
  computed,
  computedFields,
  computedTogether,
  type Environment,
  implement,
  type Rec,
  type Records,
  type Seen,
  type Vals,
} from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'
import { assertWithin } from '../../../limits.ts'
import { assertAllowed, givenIds, ratesOn, shownRecords } from '../../base/index.ts'
import { closedDays } from '../move/guards.ts'
import { sides } from '../move/sides.ts'
import { reconcileGroups } from '../reconcile/reconcile.ts'
import { form } from './form.contract.ts'
import { otherAccount, otherPeriod, type PlannedEntry } from './planned.ts'
import { proposals } from './proposals.ts'

type Forms = Records<'account.automatic.entry.wizard'>

const paths = [
  'action',
  'date',
  'percentage',
  'account_type',
  'company_id.currency_id.rounding',
  'expense_accrual_account.currency_id.rounding',
  'revenue_accrual_account.currency_id.rounding',
  'destination_account_id.currency_id.rounding',
  'move_line_ids.name',
  'move_line_ids.date',
  'move_line_ids.balance',
  'move_line_ids.amount_currency',
  'move_line_ids.account_id.internal_group',
  'move_line_ids.account_id.display_name',
  'move_line_ids.partner_id',
  'move_line_ids.currency_id.rounding',
  'move_line_ids.analytic_distribution',
  'move_line_ids.move_id.name',
] as const
type Form = Seen<Rec<'account.automatic.entry.wizard'>, (typeof paths)[number]>

/** The account on the other side: that of accruals, or that which items move to. */
function accountOf(row: Form) {
  if (row.action === 'change_account') return row.destination_account_id
  return row.account_type === 'income' ? row.revenue_accrual_account : row.expense_accrual_account
}

/** Entries that a form stands for; none while something is missing. */
function entriesOf(row: Form): PlannedEntry[] {
  const account = accountOf(row)
  if (!account || !row.date || row.move_line_ids.length === 0) return []
  const plan = row.action === 'change_account' ? otherAccount : otherPeriod
  return plan(row.move_line_ids, {
    date: row.date,
    percentage: row.percentage,
    account: account.id,
    rounding: row.company_id?.currency_id.rounding ?? 0.01,
  })
}

const sumOf = (items: readonly { readonly balance: number }[]) =>
  items.reduce((sum, { balance }) => addDecimals(sum, balance), 0)

/** Writes the percentage that an amount is of all items. */
async function setTotals(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const forms = env.model('account.automatic.entry.wizard').browse([...values.keys()])
  const rows = await forms.load(['move_line_ids.balance'])
  await forms.writeEach(
    new Map(
      rows.map(({ id, move_line_ids: items }) => {
        const all = sumOf(items)
        if (all === 0) throw new UserError('The sum of the items is zero: enter a percentage instead.')
        return [id, { percentage: (Number(values.get(id)) / all) * 100 }]
      }),
    ),
  )
}

/** Throws UserError for what cannot be moved, with what to do about it. */
function assertAdjustable(row: Form, states: readonly (string | null)[]): void {
  const { move_line_ids: items, percentage } = row
  if (items.length === 0) throw new UserError('No items selected: choose the items to move.')
  if (states.some((state) => state !== 'posted'))
    throw new UserError('Only items of posted entries can be moved: change items of drafts directly.')
  if (percentage === 0) throw new UserError('Nothing would be moved: enter a percentage of more than 0.')
  if (!accountOf(row))
    throw new UserError(
      'Choose the account that amounts move to (an accrual account for a change of the period).',
    )
  if (row.action === 'change_account') return
  const wrong = items.find((item) => !['income', 'expense'].includes(item.account_id?.internal_group ?? ''))
  if (wrong)
    throw new UserError(
      `${wrong.account_id?.display_name} is not an income or expense account: remove its items from the selection.`,
    )
  const same = items.find((item) => item.date === row.date)
  if (same) throw new UserError(`${same.move_id.name} already has the date ${row.date}: choose another date.`)
}

/** Values of planned entries. Amounts of an account with a currency of its own are in that currency. */
async function valuesOf(env: Environment, row: Form, journal_id: number): Promise<Vals<'account.move'>[]> {
  const account = accountOf(row)
  const company = row.company_id
  const currency = account?.currency_id
  const converted = currency && currency.id !== company?.currency_id.id ? currency : null
  const [rate = 1] = converted
    ? await ratesOn(env, [{ company: company?.id ?? 0, currency: converted.id, day: row.date ?? '' }])
    : []
  return entriesOf(row).map(({ date, ref, origins, lines }) => ({
    move_type: 'entry',
    journal_id,
    date,
    ref,
    adjusting_entry_origin_move_ids: [[6, 0, origins]],
    line_ids: lines.map((line) => [
      0,
      0,
      {
        ...line,
        ...sides(line.balance),
        partner_id: line.partner_id ?? false,
        ...(converted && line.account_id === account?.id
          ? {
              currency_id: converted.id,
              amount_currency: roundHalfUp(line.balance * rate, converted.rounding),
            }
          : {}),
      },
    ]),
  }))
}

/** Items that adjusting entries settle: in accrual accounts each other, in accounts that are left the old ones. */
async function settle(env: Environment, moves: readonly number[], row: Form): Promise<void> {
  const account = accountOf(row)?.id ?? 0
  const isMoved = row.action === 'change_account'
  const items = await env
    .model('account.move.line')
    .search([
      '|',
      '&',
      ['move_id', 'in', moves],
      ['account_id', isMoved ? '!=' : '=', account],
      ['id', 'in', isMoved ? row.move_line_ids.map(({ id }) => id) : []],
      ['account_id.reconcile', '=', true],
      ['reconciled', '=', false],
    ])
  const rows = await items.load(['account_id', 'partner_id', 'currency_id'])
  const groups = Map.groupBy(rows, (item) =>
    [item.account_id?.id, item.partner_id?.id, item.currency_id.id].join(),
  )
  await reconcileGroups(
    env,
    [...groups.values()].filter((group) => group.length > 1).map((group) => group.map(({ id }) => id)),
  )
}

async function adjust(forms: Forms): Promise<object> {
  const { env } = forms
  forms.ensureOne()
  const row = await forms.one([
    ...paths,
    'journal_id',
    'move_line_ids.parent_state',
    'move_line_ids.company_id',
  ])
  const { journal_id: journal, move_line_ids: items } = row
  await assertAllowed(env.model('account.move').browse([]), 'create')
  await assertAllowed(env.model('account.move.line').browse(items.map(({ id }) => id)), 'write')
  assertWithin('records', items.length)
  assertAdjustable(
    row,
    items.map((item) => item.parent_state),
  )
  if (new Set(items.map((item) => item.company_id?.id)).size > 1)
    throw new UserError(
      'Items of several companies cannot be moved together: choose the items of one company.',
    )
  if (!journal) throw new UserError('Choose a journal for the entries.')
  const values = await valuesOf(env, row, journal.id)
  if (values.length === 0) throw new UserError('The sum of the items is zero: there is nothing to move.')
  const moves = await env.model('account.move').create(values)
  await moves.action_post()
  await settle(env, moves.ids, row)
  return shownRecords('Generated Entries', 'account.move', moves.ids)
}

const data = computedFields(
  form,
  ['move_data', 'preview_move_data'],
  paths,
  (forms) =>
    new Map(
      forms.map((row) => {
        const entries = entriesOf(row)
        const groups = entries.map(({ date, ref, lines }) => ({
          group_name: `${date} ${ref}`,
          items_vals: lines,
        }))
        return [
          row.id,
          { move_data: JSON.stringify(entries), preview_move_data: JSON.stringify({ groups_vals: groups }) },
        ]
      }),
    ),
)

/** Refusals that posting the entries would meet. */
const locked = computedTogether(form, paths, async (forms, env) => {
  const days = forms.flatMap((row) => entriesOf(row).map(({ date }) => ({ row, date })))
  const closed = await closedDays(
    env,
    // The entries have no ids yet.
    days.map(({ row, date }, i) => ({
      id: -1 - i,
      date,
      move_type: 'entry',
      name: null,
      company_id: row.company_id,
    })),
  )
  return new Map(
    forms.map((row) => {
      const last = days.flatMap((day, i) => (day.row === row ? (closed.get(-1 - i) ?? []) : [])).sort()
      return [
        row.id,
        last.length
          ? `The books are closed up to ${last.at(-1)}, and an entry would have an earlier date: choose a later date.`
          : null,
      ]
    }),
  )
})

export default implement(form, {
  defaults: {
    move_line_ids: ({ context }) =>
      context.active_model === 'account.move.line' ? givenIds(context.active_ids) : [],
    date: (env) => today(env.tz, env.now()),
  },
  computed: {
    ...proposals,
    ...data,
    total_amount: computed(
      form,
      ['move_line_ids.balance', 'percentage', 'company_id.currency_id.rounding'],
      ({ move_line_ids: items, percentage, company_id: company }) =>
        roundHalfUp((sumOf(items) * percentage) / 100, company?.currency_id.rounding ?? 0.01),
      { inverse: setTotals },
    ),
    display_currency_helper: computed(
      form,
      ['destination_account_id.currency_id'],
      ({ destination_account_id: account }) => Boolean(account?.currency_id),
    ),
    lock_date_message: locked,
  },
  checks: {
    'The percentage to move must be between 0 and 100.': computed(
      form,
      ['percentage'],
      ({ percentage }) => percentage >= 0 && percentage <= 100,
    ),
  },
  methods: { do_action: adjust },
})
