// Companies (res.company): their default taxes and accounts, how they round taxes, the country they owe taxes
// to.

import {
  boolean,
  char,
  computed,
  date,
  extend,
  idsWhere,
  implement,
  many2one,
  type Of,
  one2many,
  type Records,
  selection,
  type WriteChange,
} from '#models'
import { UserError } from '../../errors.ts'
import { today } from '../../kit/dates.ts'
import { assertProven } from '../base/index.ts'
import { chartNames } from './chart/charts.ts'
import { takeFromParents } from './company-branches.ts'

const account = (label: string, help?: string) =>
  many2one('account.account', { label, ondelete: 'restrict', ...(help ? { help } : {}) })

const company = extend('res.company', {
  fields: {
    chart_template: selection(chartNames, {
      label: 'Chart of Accounts',
      copy: false,
      readonly: true,
      help: 'The chart that was loaded for the company.',
    }),
    account_fiscal_country_id: many2one('res.country', {
      label: 'Fiscal Country',
      computed: true,
      stored: true,
      readonly: false,
      help: 'The country that the company owes taxes to.',
    }),
    tax_calculation_rounding_method: selection(
      { round_per_line: 'Round per Line', round_globally: 'Round Globally' },
      { label: 'Tax Calculation Rounding Method', required: true, default: 'round_globally' },
    ),
    account_price_include: selection(
      { tax_included: 'Tax Included', tax_excluded: 'Tax Excluded' },
      {
        label: 'Default Sales Price Include',
        required: true,
        default: 'tax_excluded',
        help: 'Whether prices include taxes. A tax may have its own setting.',
      },
    ),
    account_sale_tax_id: many2one('account.tax', {
      label: 'Default Sale Tax',
      help: 'New products are sold with it.',
    }),
    account_purchase_tax_id: many2one('account.tax', {
      label: 'Default Purchase Tax',
      help: 'New products are bought with it.',
    }),
    fiscal_position_ids: one2many('account.fiscal.position', 'company_id', { label: 'Fiscal Positions' }),
    bank_account_code_prefix: char({
      label: 'Prefix of the bank accounts',
      help: 'Codes of accounts of new bank journals begin with it.',
    }),
    cash_account_code_prefix: char({
      label: 'Prefix of the cash accounts',
      help: 'Codes of accounts of new cash journals begin with it.',
    }),
    transfer_account_code_prefix: char({ label: 'Prefix of the transfer accounts' }),
    transfer_account_id: account(
      'Inter-Banks Transfer Account',
      'Holds money on its way between two journals.',
    ),
    income_account_id: account(
      'Default Income Account',
      'Sales, where neither the product nor its category says otherwise.',
    ),
    expense_account_id: account(
      'Default Expense Account',
      'Purchases, where neither the product nor its category says otherwise.',
    ),
    downpayment_account_id: account(
      'Downpayment Account',
      'Deposits; without one they are booked where the products of the order are.',
    ),
    account_journal_suspense_account_id: account('Journal Suspense Account'),
    account_journal_payment_debit_account_id: account('Outstanding Receipts Account'),
    account_journal_payment_credit_account_id: account('Outstanding Payments Account'),
    default_cash_difference_income_account_id: account(
      'Cash Difference Income',
      'Takes what a till has too much.',
    ),
    default_cash_difference_expense_account_id: account(
      'Cash Difference Expense',
      'Takes what a till lacks.',
    ),
    account_default_pos_receivable_account_id: account('Default PoS Receivable Account'),
    income_currency_exchange_account_id: account('Gain Exchange Rate Account'),
    expense_currency_exchange_account_id: account('Loss Exchange Rate Account'),
    account_journal_early_pay_discount_gain_account_id: account('Cash Discount Write-Off Gain Account'),
    account_journal_early_pay_discount_loss_account_id: account('Cash Discount Write-Off Loss Account'),
    account_use_credit_limit: boolean({
      label: 'Sales Credit Limit',
      help: 'Warn of documents that make a customer owe more than the limit.',
    }),
    fiscalyear_lock_date: date({
      label: 'Global Lock Date',
      help: 'Entries up to this date cannot be changed.',
    }),
    tax_lock_date: date({
      label: 'Tax Return Lock Date',
      help: 'Invoices and bills up to this date cannot be changed.',
    }),
    sale_lock_date: date({ label: 'Sales Lock Date', help: 'Sales up to this date cannot be changed.' }),
    purchase_lock_date: date({
      label: 'Purchase Lock Date',
      help: 'Purchases up to this date cannot be changed.',
    }),
    hard_lock_date: date({
      label: 'Hard Lock Date',
      help: 'Entries up to this date can never be changed again. The date cannot be moved back.',
    }),
    currency_exchange_journal_id: many2one('account.journal', { label: 'Exchange Gain or Loss Journal' }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

const isLock = (name: string): boolean => name.endsWith('_lock_date')

/** Fields that a new branch takes from its company. */
const ofBranches = [
  ...Object.keys(company.fields).filter((name) => name !== 'fiscal_position_ids' && !isLock(name)),
  'anglo_saxon_accounting',
]

export default implement(company, {
  checks: {
    'A hard lock date cannot be taken back: choose today or a day before.': computed(
      company,
      ['hard_lock_date'],
      ({ hard_lock_date: last }, env) => !last || last <= today(env.tz, env.now()),
    ),
  },
  computed: {
    account_fiscal_country_id: computed(company, ['partner_id.country_id'], (c) => c.partner_id.country_id, {
      editable: true,
    }),
  },
  wrapWrite: (next) => async (companies, changes) => {
    await assertHardLocksStay(companies, changes)
    if (changes.some(({ vals }) => Object.keys(vals).some(isLock))) await assertProven(companies.env)
    const countryIds = idsWhere(
      changes,
      (vals) => 'country_id' in vals || 'account_fiscal_country_id' in vals,
    )
    if (countryIds.length === 0) return next(companies, changes)
    const moving = companies.browse(countryIds)
    const before = await moving.sudo().load(['account_fiscal_country_id'])
    await next(companies, changes)
    await followCountries(moving, new Map(before.map((c) => [c.id, c.account_fiscal_country_id?.id ?? null])))
  },
  wrapGeneric: {
    create: (next) => async (companies, params) => {
      const createdCompanies = (await next(companies, params)) as typeof companies
      await takeFromParents(createdCompanies, params.vals_list as readonly unknown[], ofBranches)
      return createdCompanies
    },
  },
})

/** Throws UserError if a hard lock date is removed or moved back: no user may do that. */
async function assertHardLocksStay(
  companies: Records<'res.company'>,
  changes: readonly WriteChange[],
): Promise<void> {
  const locking = changes.filter(({ vals }) => 'hard_lock_date' in vals)
  if (locking.length === 0) return
  const locked = await companies
    .browse(locking.flatMap(({ ids }) => ids))
    .sudo()
    .load(['name', 'hard_lock_date'])
  const locks = new Map(locked.map((row) => [row.id, row]))
  for (const { ids, vals } of locking)
    for (const id of ids) {
      const { name, hard_lock_date: last } = locks.get(id) ?? { name: '', hard_lock_date: null }
      if (last && !(typeof vals.hard_lock_date === 'string' && vals.hard_lock_date >= last))
        throw new UserError(
          `The books of ${name} are permanently closed up to ${last}: a hard lock date can only be moved forward.`,
        )
    }
}

/**
 * A company that owes its taxes to another country from now on: its domestic fiscal positions are for that
 * one.
 */
async function followCountries(
  companies: Records<'res.company'>,
  before: ReadonlyMap<number, number | null>,
): Promise<void> {
  const moved = new Map<number, { readonly was: number; readonly now: number }>()
  for (const { id, account_fiscal_country_id: country } of await companies
    .sudo()
    .load(['account_fiscal_country_id'])) {
    const [was, now] = [before.get(id), country?.id]
    if (was && now && was !== now) moved.set(id, { was, now })
  }
  if (moved.size === 0) return
  const positions = await companies.env
    .sudo()
    .withContext({ active_test: false })
    .model('account.fiscal.position')
    .search([
      ['company_id', 'in', [...moved.keys()]],
      ['auto_apply', '=', true],
      ['foreign_vat', '=', false],
      ['state_ids', '=', false],
    ])
  const domestic = (await positions.load(['company_id', 'country_id'])).filter(
    ({ company_id, country_id }) => country_id?.id === moved.get(company_id.id)?.was,
  )
  await positions.writeEach(
    new Map(
      domestic.map(({ id, company_id }) => [id, { country_id: moved.get(company_id.id)?.now ?? false }]),
    ),
  )
}
