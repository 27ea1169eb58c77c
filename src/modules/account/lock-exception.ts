// Exceptions of lock dates (account.lock_exception): a user, or all users, may post in a closed period for a
// while. Hard lock dates have none.
import {
  boolean,
  char,
  computed,
  date,
  datetime,
  type Environment,
  implement,
  many2one,
  model,
  type Of,
  selection,
  writable,
} from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'
import { assertAllowed } from '../base/index.ts'

export const lockFields = {
  fiscalyear_lock_date: 'Global Lock Date',
  tax_lock_date: 'Tax Return Lock Date',
  sale_lock_date: 'Sales Lock Date',
  purchase_lock_date: 'Purchase Lock Date',
} as const
type LockField = keyof typeof lockFields

const exception = model('account.lock_exception', {
  label: 'Account Lock Exception',
  order: 'id desc',
  rules: { in_force: { index: ['company_id', 'end_datetime'], where: 'active' } },
  fields: {
    active: boolean({ label: 'Active', default: true }),
    state: selection(
      { active: 'Active', revoked: 'Revoked', expired: 'Expired' },
      { label: 'State', computed: true },
    ),
    company_id: many2one('res.company', {
      label: 'Company',
      required: true,
      readonly: true,
      ondelete: 'cascade',
    }),
    user_id: many2one('res.users', {
      label: 'User',
      help: 'The user of the exception; empty for all users.',
    }),
    reason: char({ label: 'Reason' }),
    end_datetime: datetime({ label: 'End Date', help: 'End of the exception. Empty: unlimited.' }),
    lock_date_field: selection(lockFields, { label: 'Lock Date Field', required: true }),
    lock_date: date({
      label: 'Changed Lock Date',
      help: 'Lock date during the exception. Empty: none.',
    }),
    company_lock_date: date({
      label: 'Original Lock Date',
      readonly: true,
      copy: false,
      help: 'Lock date of the company when the exception was created.',
    }),
  },
  methods: {
    action_revoke: { doc: 'Ends exceptions at once.', params: {} },
  },
})

declare module '#models' {
  interface Models {
    'account.lock_exception': LockException
  }
  interface LockException extends Of<typeof exception> {}
}

/** Exceptions document what was allowed: they can be ended, but not edited. */
const exceptionWritable = writable<'account.lock_exception'>({
  once: ['company_id', 'user_id', 'reason', 'end_datetime', 'lock_date_field', 'lock_date'],
  server: ['active', 'company_lock_date'],
  removed: [],
})

export default implement(exception, {
  writable: exceptionWritable,
  defaults: { company_id: (env) => env.companyId },
  displayName: computed(exception, ['id'], ({ id }) => `Lock Date Exception ${id}`, {
    sql: ({ id }) => sql`('Lock Date Exception ' || ${id})`,
  }),
  computed: {
    state: computed(exception, ['active', 'end_datetime'], ({ active, end_datetime: end }, env) =>
      !active ? 'revoked' : end !== null && end < nowUtc(env.now()) ? 'expired' : 'active',
    ),
  },
  methods: {
    action_revoke: async (exceptions) => {
      await assertAllowed(exceptions, 'write')
      await exceptions.sudo().write({ active: false, end_datetime: nowUtc(exceptions.env.now()) })
      return null
    },
  },
  wrapCreate: (next) => async (exceptions, list) => {
    const created = await next(exceptions, list)
    const fields = Object.keys(lockFields) as LockField[]
    const rows = await created
      .sudo()
      .load(['lock_date_field', ...fields.map((field) => `company_id.${field}` as const)])
    await created
      .sudo()
      .writeEach(
        new Map(
          rows.map((row) => [row.id, { company_lock_date: row.company_id[row.lock_date_field] ?? false }]),
        ),
      )
    return created
  },
})

/**
 * Returns the lock date of a company that applies to the user: an exception replaces the date of the company,
 * the most permissive one if there are several.
 */
export async function locksInForce(
  env: Environment,
  companies: readonly number[],
): Promise<(company: number, field: string, day: string | null) => string | null> {
  const exceptions = await env
    .sudo()
    .model('account.lock_exception')
    .search([
      ['company_id', 'in', [...companies]],
      '|',
      ['user_id', '=', false],
      ['user_id', '=', env.uid],
      '|',
      ['end_datetime', '=', false],
      ['end_datetime', '>', nowUtc(env.now())],
    ])
  const rows = await exceptions.load(['company_id', 'lock_date_field', 'lock_date'])
  return (company, field, day) => {
    const days = rows
      .filter((row) => row.company_id.id === company && row.lock_date_field === field)
      .map((row) => row.lock_date)
    if (days.length === 0 || day === null) return day
    const least = days.includes(null) ? null : days.toSorted()[0]
    return least && least > day ? day : (least ?? null)
  }
}
