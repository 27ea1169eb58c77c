// Options of companies that documents and closings read (res.company): the fiscal year, terms on
// documents, accounts of closings, lock dates as they hold for the caller.

import {
  boolean,
  computedFields,
  date,
  extend,
  html,
  implement,
  integer,
  many2one,
  type Of,
  one2many,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { UserError } from '../../errors.ts'
import { addDays, daysInMonth, isDate, monthNames } from '../../kit/dates.ts'
import { assertAllowed } from '../base/index.ts'
import { locksInForce } from './lock-exception.ts'

const account = (label: string, help?: string) =>
  many2one('account.account', { label, ondelete: 'restrict', ...(help ? { help } : {}) })
const lockInForce = (label: string) =>
  date({
    label,
    computed: true,
    help: 'The lock date that applies to the caller, parent companies included.',
  })

const company = extend('res.company', {
  rules: {
    last_day: {
      check: 'fiscalyear_last_day BETWEEN 1 AND 31',
      message: 'The last day of the fiscal year must be between 1 and 31.',
    },
  },
  fields: {
    fiscalyear_last_day: integer({ label: 'Fiscalyear Last Day', required: true, default: 31 }),
    fiscalyear_last_month: selection(monthNames, {
      label: 'Fiscalyear Last Month',
      required: true,
      default: '12',
    }),
    account_opening_date: date({ label: 'Opening Entry', help: 'First date of the books.' }),
    account_opening_move_id: many2one('account.move', {
      label: 'Opening Journal Entry',
      copy: false,
      ondelete: 'set null',
    }),
    bank_journal_ids: one2many('account.journal', 'company_id', {
      label: 'Bank Journals',
      domain: [['type', '=', 'bank']],
    }),
    expects_chart_of_accounts: boolean({ label: 'Expects a Chart of Accounts', default: true }),
    anglo_saxon_accounting: boolean({
      label: 'Use anglo-saxon accounting',
      help: 'The cost of goods is booked when they are invoiced, not when they are bought.',
    }),
    account_storno: boolean({
      label: 'Storno accounting',
      help: 'Credit notes and reversals have negative amounts on the sides of what they take back.',
    }),
    tax_exigibility: boolean({ label: 'Use Cash Basis' }),
    restrictive_audit_trail: boolean({ label: 'Restrictive Audit Trail' }),
    autopost_bills: boolean({ label: 'Auto-validate bills', default: true }),
    incoterm_id: many2one('account.incoterms', { label: 'Default incoterm', ondelete: 'restrict' }),
    terms_type: selection(
      { plain: 'Add a Note', html: 'Add a link to a Web Page' },
      { label: 'Terms & Conditions format', default: 'plain' },
    ),
    invoice_terms: html({ label: 'Default Terms and Conditions', translate: true }),
    invoice_terms_html: html({ label: 'Default Terms and Conditions as a Web page', translate: true }),
    qr_code: boolean({ label: 'Display QR-code on invoices' }),
    link_qr_code: boolean({ label: 'Display Link QR-code' }),
    display_invoice_amount_total_words: boolean({ label: 'Total amount of invoice in letters' }),
    display_invoice_tax_company_currency: boolean({ label: 'Taxes in company currency', default: true }),
    quick_edit_mode: selection(
      {
        out_invoices: 'Customer Invoices',
        in_invoices: 'Vendor Bills',
        out_and_in_invoices: 'Customer Invoices and Vendor Bills',
      },
      { label: 'Quick encoding' },
    ),
    batch_payment_sequence_id: many2one('ir.sequence', { label: 'Batch Payment Sequence', readonly: true }),
    automatic_entry_default_journal_id: many2one('account.journal', {
      label: 'Automatic Entry Default Journal',
      ondelete: 'restrict',
    }),
    tax_cash_basis_journal_id: many2one('account.journal', {
      label: 'Cash Basis Journal',
      ondelete: 'restrict',
    }),
    account_cash_basis_base_account_id: account('Base Tax Received Account'),
    account_discount_expense_allocation_id: account('Separate account for expense discount'),
    account_discount_income_allocation_id: account('Separate account for income discount'),
    account_purchase_receipt_fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Default Purchase Receipt Fiscal Position',
      ondelete: 'restrict',
    }),
    expense_accrual_account_id: account('Expense Accrual Account', 'Holds costs of goods not yet billed.'),
    revenue_accrual_account_id: account('Revenue Accrual Account', 'Holds sales that are not yet invoiced.'),
    price_difference_account_id: account('Price Difference Account'),
    user_fiscalyear_lock_date: lockInForce('User Fiscalyear Lock Date'),
    user_tax_lock_date: lockInForce('User Tax Lock Date'),
    user_sale_lock_date: lockInForce('User Sale Lock Date'),
    user_purchase_lock_date: lockInForce('User Purchase Lock Date'),
    user_hard_lock_date: lockInForce('User Hard Lock Date'),
  },
  methods: {
    compute_fiscalyear_dates: {
      doc: 'Returns the first and the last day of the fiscal year of a date.',
      readonly: true,
      params: { current_date: required<string>('string', { annotation: 'date' }) },
      returns: returns<{ readonly date_from: string; readonly date_to: string }>('object', 'dict'),
    },
    get_unaffected_earnings_account: {
      doc: "The account of the current year's earnings.",
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    opening_move_posted: {
      doc: 'Whether the opening entry is posted.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    get_new_account_code: {
      doc: 'Replaces the prefix of an account code and keeps its length.',
      readonly: true,
      params: {
        current_code: required<string>('string'),
        old_prefix: required<string>('string'),
        new_prefix: required<string>('string'),
      },
      returns: returns<string>('string', 'str'),
    },
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

type Companies = Records<'res.company'>

const locks = ['fiscalyear', 'tax', 'sale', 'purchase', 'hard'] as const
/** The day that stands for no lock date (recorded), before all others. */
const NEVER = '1-01-01'

const lockDates = computedFields(
  company,
  locks.map((lock) => `user_${lock}_lock_date` as const),
  ['parent_path'],
  async (companies, env) => {
    const above = (path: string | null) => (path ?? '').split('/').filter(Boolean).map(Number)
    const ids = [...new Set(companies.flatMap((company) => above(company.parent_path)))]
    const rows = await env
      .sudo()
      .model('res.company')
      .browse(ids)
      .load(locks.map((lock) => `${lock}_lock_date` as const))
    const inForce = await locksInForce(env, ids)
    return new Map(
      companies.map((company) => {
        const lineage = rows.filter(({ id }) => above(company.parent_path).includes(id))
        const latest = (lock: (typeof locks)[number]) =>
          lineage
            .flatMap((row) => inForce(row.id, `${lock}_lock_date`, row[`${lock}_lock_date`]) ?? [])
            .sort()
            .at(-1) ?? NEVER
        return [
          company.id,
          {
            user_fiscalyear_lock_date: latest('fiscalyear'),
            user_tax_lock_date: latest('tax'),
            user_sale_lock_date: latest('sale'),
            user_purchase_lock_date: latest('purchase'),
            user_hard_lock_date: latest('hard'),
          },
        ]
      }),
    )
  },
)

async function fiscalYear(companies: Companies, day: string) {
  companies.ensureOne()
  if (!isDate(day)) throw new UserError('Enter a date as YYYY-MM-DD, such as 2025-03-31.')
  const { fiscalyear_last_day: last, fiscalyear_last_month: month } = await companies.one([
    'fiscalyear_last_day',
    'fiscalyear_last_month',
  ])
  // A year that ends with February ends with its last day, in leap years too.
  const isFebruary = month === '2' && last >= 28
  const endOf = (year: number) => {
    const length = daysInMonth(year, Number(month))
    return `${String(year).padStart(4, '0')}-${month.padStart(2, '0')}-${String(isFebruary ? length : Math.min(last, length)).padStart(2, '0')}`
  }
  const year = Number(day.slice(0, 4))
  const ends = endOf(year) >= day ? year : year + 1
  return { date_from: addDays(endOf(ends - 1), 1), date_to: endOf(ends) }
}

async function earningsAccount(companies: Companies): Promise<number[]> {
  await assertAllowed(companies, 'read')
  const { ids } = await companies.env
    .sudo()
    .model('account.account')
    .search([
      ['company_ids', 'parent_of', companies.ids],
      ['account_type', '=', 'equity_unaffected'],
    ])
  if (ids.length === 0)
    throw new UserError('The company has no account of the type Current Year Earnings: create one.')
  return ids.slice(0, 1)
}

export default implement(company, {
  computed: lockDates,
  methods: {
    compute_fiscalyear_dates: (companies, { current_date: day }) => fiscalYear(companies, day.slice(0, 10)),
    get_unaffected_earnings_account: earningsAccount,
    opening_move_posted: async (companies) => {
      companies.ensureOne()
      await assertAllowed(companies, 'read')
      const { account_opening_move_id: entry } = await companies.sudo().one(['account_opening_move_id.state'])
      return entry?.state === 'posted'
    },
    get_new_account_code: async (_companies, { current_code: code, old_prefix: old, new_prefix: fresh }) => {
      const rest = code.startsWith(old) ? code.slice(old.length) : code
      const digits = rest.replace(/^0+/, '')
      return `${fresh}${digits.padStart(code.length - fresh.length, '0')}`
    },
  },
})
