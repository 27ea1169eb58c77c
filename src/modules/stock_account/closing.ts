// Periodic valuation (res.company): the value of goods, the balances of the accounts that hold it, and the
// entry that brings the books in line.

import { zoneOf } from '#engine'
import { type Environment, extend, implement, type Of, optional, type Records, returns } from '#models'
import { AccessError, InvalidValue, UserError } from '../../errors.ts'
import { isDate, today } from '../../kit/dates.ts'
import { isId, present } from '../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { BOOKKEEPERS } from '../account/index.ts'
import { assertAllowed, shownRecords } from '../base/index.ts'
import {
  accountsByCategory,
  CLOSING,
  closedAccounts,
  companyOf,
  holdingAccounts,
} from './closing-accounts.ts'
import { worthOf } from './current-values.ts'

const at = optional<unknown>('any', null, { doc: 'A day; empty: today', annotation: 'str | None' })
const accounts = optional<unknown>('any', null, {
  doc: 'The account that holds the value of a product, by product; empty: that of its category, else of the company',
  annotation: 'dict[int, int] | None',
})
const values = returns<Readonly<Record<string, number>>>('object', 'dict[int, float]')

const company = extend('res.company', {
  fields: {},
  methods: {
    stock_value: {
      doc: 'Values of the goods of a company by the accounts that hold them.',
      readonly: true,
      params: { accounts_by_product: accounts, at_date: at },
      returns: values,
    },
    stock_accounting_value: {
      doc: 'Posted balances of the accounts that hold what goods of a company are worth.',
      readonly: true,
      params: { accounts_by_product: accounts, at_date: at },
      returns: values,
    },
    action_close_stock_valuation: {
      doc: 'Creates the entry that adjusts the books to the value of goods at the end of a date.',
      params: {
        at_date: at,
        auto_post: optional<boolean>('boolean', false, { doc: 'Post it', annotation: 'bool' }),
      },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

type Companies = Records<'res.company'>

interface Asked {
  readonly accounts_by_product?: unknown
  readonly at_date: unknown
}

/** A day, or null for none. Throws InvalidValue for others. */
function dayIn(value: unknown): string | null {
  if (value === null || value === undefined || value === false || value === '') return null
  const day = typeof value === 'string' ? value.slice(0, 10) : ''
  if (!isDate(day)) throw new InvalidValue('at_date must be a date such as 2026-12-31.')
  return day
}

/** Accounts by product that a caller names, or null. Throws InvalidValue for others. */
function accountsIn(value: unknown): ReadonlyMap<number, number> | null {
  if (value === null || value === undefined || value === false) return null
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidValue('accounts_by_product must be an object of account ids by product id.')
  return new Map(
    Object.entries(value).map(([product, account]) => {
      if (!isId(Number(product)) || !isId(account))
        throw new InvalidValue('accounts_by_product must be an object of account ids by product id.')
      return [Number(product), account]
    }),
  )
}

/** The environment of one company that the caller acts for. Throws AccessError, MissingError, UserError. */
async function homeOf(companies: Companies): Promise<Environment> {
  const id = companies.ensureOne()
  await assertAllowed(companies, 'read')
  await companies.one(['name'])
  const { env } = companies
  if (!env.companyIds.includes(id))
    throw new UserError('This company is not one of your current companies: select it first.')
  await assertAllowed(env.model('product.value').browse([]), 'read')
  return env.withCompany(id)
}

/** Throws AccessError for callers who do not see the books as a whole. */
function assertSeesBooks(env: Environment): void {
  if (!env.su && !BOOKKEEPERS.split(',').some((group) => env.hasGroup(group)))
    throw new AccessError('You may not see account balances: ask an accountant.')
}

const holdingOf = async (home: Environment, { accounts_by_product }: Asked) =>
  accountsIn(accounts_by_product) ?? (await holdingAccounts(home))

/** The last second of a day in the zone of the caller, in UTC. */
async function endOf(home: Environment, day: string): Promise<string> {
  const end = sql`(${day}::date + 1)::timestamp AT TIME ZONE ${zoneOf(home)}::text AT TIME ZONE 'UTC'`
  const [row] = await home.rows(
    sql`SELECT to_char(LEAST(${end} - interval '1 second', timestamp '9999-12-31 23:59:59'), 'YYYY-MM-DD HH24:MI:SS')`,
    {
      reads: [],
      row: ['text'],
    },
  )
  return present(row)[0]
}

/** Values of goods at the end of a day, by account. */
async function stockValues(home: Environment, holding: ReadonlyMap<number, number>, day: string | null) {
  const dated = day === null ? home : home.withContext({ to_date: await endOf(home, day) })
  const { currency_id: currency } = await companyOf(home)
  const sums = new Map<number, number>([...holding.values()].map((account) => [account, 0]))
  for (const [product, { value }] of await worthOf(dated, [...holding.keys()])) {
    const account = holding.get(product)
    if (account !== undefined)
      sums.set(account, addDecimals(sums.get(account) ?? 0, roundHalfUp(value, currency.rounding)))
  }
  return sums
}

/** Posted balances of accounts in a company up to the end of a day. */
async function balancesOf(home: Environment, list: readonly number[], day: string | null) {
  const rows = await home.rows(
    sql`SELECT account_id, sum(balance)::float8 FROM account_move_line WHERE account_id = ANY(${idList(list)})
      AND company_id = ${home.companyId}::int AND parent_state = 'posted' AND (${day}::date IS NULL OR date <= ${day}::date) GROUP BY 1`,
    { reads: ['account.move.line'], row: ['int', 'float'] },
  )
  const balances = new Map(rows)
  return new Map(list.map((account) => [account, balances.get(account) ?? 0]))
}

/**
 * Makes closings of a company collide: the later of two is repeated and sees the entry of the earlier one. A
 * lock would not do: a transaction that waited for it still reads from before the other entry.
 */
async function claimBooks(home: Environment): Promise<void> {
  await home.execute(sql`UPDATE res_company SET name = name WHERE id = ${home.companyId}::int`, {
    reads: ['res.company'],
  })
}

/** Throws UserError while an entry of valuation waits: it would be booked twice. */
async function assertNoneOpen(home: Environment, journal: number): Promise<void> {
  const open = await home
    .sudo()
    .model('account.move')
    .searchCount([
      ['journal_id', '=', journal],
      ['state', '=', 'draft'],
    ])
  if (open) throw new UserError('The stock journal has a draft: post or delete it before you close.')
}

interface Difference {
  readonly account: number
  readonly counterpart: number
  readonly amount: number
}

/** Differences of the books, with the accounts that they are booked against. Throws UserError without one. */
async function differencesOf(home: Environment, journal: number, day: string): Promise<Difference[]> {
  const { account_stock_valuation_id: valuation, expense_account_id: shared } = await companyOf(home)
  // An account that its goods left holds nothing: what is booked there goes too.
  const holders = [
    ...(await closedAccounts(home, journal)),
    ...(await accountsByCategory(home)).values(),
    ...(valuation ? [valuation.id] : []),
  ]
  const worth = new Map([
    ...holders.map((account) => [account, 0] as const),
    ...(await stockValues(home, await holdingAccounts(home), day)),
  ])
  const booked = await balancesOf(home, [...worth.keys()], day)
  const changed = [...worth].flatMap(([account, value]) => {
    const amount = addDecimals(value, -(booked.get(account) ?? 0))
    return amount === 0 ? [] : [{ account, amount }]
  })
  const rows = await home
    .sudo()
    .model('account.account')
    .browse(changed.map(({ account }) => account))
    .load(['display_name', 'account_stock_variation_id', 'account_stock_expense_id'])
  return changed.map((difference) => {
    const row = rows.find(({ id }) => id === difference.account)
    const counterpart = row?.account_stock_variation_id ?? row?.account_stock_expense_id ?? shared
    if (!counterpart)
      throw new UserError(
        `Set the variation account of ${row?.display_name}, on which differences are booked.`,
      )
    return { ...difference, counterpart: counterpart.id }
  })
}

async function close(companies: Companies, { at_date, auto_post }: Asked & { readonly auto_post: boolean }) {
  const home = await homeOf(companies)
  assertSeesBooks(home)
  const now = today(home.tz, home.now())
  const day = dayIn(at_date) ?? now
  if (day > now)
    throw new InvalidValue('at_date is in the future: close the books up to today at the latest.')
  const moves = home.model('account.move')
  await assertAllowed(moves.browse([]), 'create')
  const { account_stock_journal_id: journal } = await companyOf(home)
  if (!journal) throw new UserError('Set the stock journal of the company, in which the entry is booked.')
  await claimBooks(home)
  await assertNoneOpen(home, journal.id)
  const differences = await differencesOf(home, journal.id, day)
  if (differences.length === 0)
    throw new UserError('The books already match the value of the goods: there is nothing to close.')
  const name = `${CLOSING} ${day}`
  const item = (account_id: number, balance: number) =>
    [0, 0, { account_id, name, debit: Math.max(0, balance), credit: Math.max(0, -balance) }] as const
  const entry = await moves.create([
    {
      move_type: 'entry',
      journal_id: journal.id,
      company_id: home.companyId,
      date: day,
      ref: name,
      line_ids: differences.flatMap(({ account, counterpart, amount }) => [
        item(account, amount),
        item(counterpart, -amount),
      ]),
    },
  ])
  if (auto_post) await entry.action_post()
  return shownRecords('Stock Valuation', 'account.move', entry.ids)
}

export default implement(company, {
  methods: {
    stock_value: async (companies, params) => {
      const home = await homeOf(companies)
      return Object.fromEntries(await stockValues(home, await holdingOf(home, params), dayIn(params.at_date)))
    },
    stock_accounting_value: async (companies, params) => {
      const home = await homeOf(companies)
      assertSeesBooks(home)
      const holding = [...new Set((await holdingOf(home, params)).values())]
      return Object.fromEntries(await balancesOf(home, holding, dayIn(params.at_date)))
    },
    action_close_stock_valuation: close,
  },
})
