// The form that seals entries up to a day (account.secure.entries.wizard), whatever journals they are in.
import {
  char,
  computedFields,
  date,
  type Environment,
  implement,
  json,
  many2many,
  many2one,
  type Of,
  type Records,
  returns,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { limits } from '../../../limits.ts'
import { assertAllowed, shownRecords } from '../../base/index.ts'

const form = transient('account.secure.entries.wizard', {
  label: 'Secure Journal Entries',
  fields: {
    company_id: many2one('res.company', { label: 'Company', required: true }),
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
    hash_date: date({
      label: 'Hash All Entries',
      required: true,
      help: 'Entries up to this day are sealed.',
    }),
    max_hash_date: date({
      label: 'Max Hash Date',
      computed: true,
      help: 'The day of the last entry that is not sealed.',
    }),
    move_to_hash_ids: many2many('account.move', { label: 'Moves To Hash', computed: true }),
    not_hashable_unlocked_move_ids: many2many('account.move', {
      label: 'Not hashable unlocked moves',
      computed: true,
      help: 'Drafts of these days: they are not sealed.',
    }),
    unreconciled_bank_statement_line_ids: many2many('account.bank.statement.line', {
      label: 'Unreconciled bank statement lines',
      computed: true,
      help: 'Their entries are not sealed, as reconciliation creates them anew.',
    }),
    warnings: json<readonly string[]>({ label: 'Warnings', computed: true }),
  },
  methods: {
    action_secure_entries: {
      doc: 'Seals the posted entries of the company up to the date. Returns the form while entries are left: call it again; null when all are sealed.',
      params: {},
      returns: returns<object | null>('object', 'dict | None', 'The form, while entries are left'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.secure.entries.wizard': SecureEntries
  }
  interface SecureEntries extends Of<typeof form> {}
}

interface Period {
  readonly company_id: { readonly id: number }
  readonly hash_date: string
}

/** Posted entries that are not sealed; those of bank lines that wait for their match come later. */
const open = ({ company_id: { id } }: Pick<Period, 'company_id'>) =>
  [
    ['company_id', '=', id],
    ['state', '=', 'posted'],
    ['inalterable_hash', '=', false],
    '|',
    ['statement_line_id', '=', false],
    ['statement_line_id.is_reconciled', '=', true],
  ] as const

/** Entries that one call seals, the earliest first, and whether more are left. */
async function portionOf(env: Environment, period: Period) {
  const domain = [...open(period), ['date', '<=', period.hash_date]] as const
  const options = { order: 'date, id', limit: limits.records + 1 }
  const { ids } = await env.model('account.move').search([...domain], options)
  return { ids: ids.slice(0, limits.records), isLast: ids.length <= limits.records }
}

async function standing(env: Environment, period: Period) {
  const { company_id, hash_date } = period
  const entries = await portionOf(env, period)
  const [last] = await (
    await env.model('account.move').search([...open(period)], { order: 'date desc', limit: 1 })
  ).load(['date'])
  const drafts = await env.model('account.move').search([
    ['company_id', '=', company_id.id],
    ['state', '=', 'draft'],
    ['date', '<=', hash_date],
  ])
  const lines = await env.model('account.bank.statement.line').search([
    ['company_id', '=', company_id.id],
    ['is_reconciled', '=', false],
    ['move_id.state', '=', 'posted'],
    ['move_id.date', '<=', hash_date],
  ])
  const rows = (ids: readonly number[]) => ids.map((id) => ({ id }))
  return {
    max_hash_date: last?.date ?? null,
    move_to_hash_ids: rows(entries.ids),
    not_hashable_unlocked_move_ids: rows(drafts.ids),
    unreconciled_bank_statement_line_ids: rows(lines.ids),
    warnings: [
      ...(entries.isLast
        ? []
        : [`One call seals at most ${limits.records} entries: call the method again for the others.`]),
      ...(drafts.length ? ['Drafts up to this day are not sealed.'] : []),
      ...(lines.length ? ['Entries of bank lines without a match are not sealed.'] : []),
    ],
  }
}

/** Gives the form once more while entries are left, for the next portion. */
async function secure(forms: Records<'account.secure.entries.wizard'>): Promise<object | null> {
  const { env } = forms
  await assertAllowed(env.model('account.move').browse([]), 'write')
  const period = await forms.one(['company_id', 'hash_date'])
  if (period.hash_date > today(env.tz, env.now()))
    throw new UserError('Entries can be sealed up to today: choose today or an earlier day.')
  const { ids, isLast } = await portionOf(env, period)
  if (ids.length === 0)
    throw new UserError(`No posted entry up to ${period.hash_date} is left to seal: choose a later day.`)
  await env.model('account.move').browse(ids).button_hash()
  return isLast ? null : shownRecords('Secure Journal Entries', forms.name, forms.ids, { target: 'new' })
}

export default implement(form, {
  defaults: {
    company_id: (env) => env.companyId,
    hash_date: (env) => today(env.tz, env.now()),
  },
  computed: computedFields(
    form,
    [
      'max_hash_date',
      'move_to_hash_ids',
      'not_hashable_unlocked_move_ids',
      'unreconciled_bank_statement_line_ids',
      'warnings',
    ],
    ['company_id', 'hash_date'],
    async (forms, env) => {
      const rows = await Promise.all(
        forms.map(async (period) => [period.id, await standing(env, period)] as const),
      )
      return new Map(rows)
    },
  ),
  methods: { action_secure_entries: secure },
})
