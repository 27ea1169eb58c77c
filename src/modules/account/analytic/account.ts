// Analytic accounts (account.analytic.account): what costs and revenues are gathered for, each in a plan;
// their balance follows from their analytic lines.
import {
  boolean,
  char,
  computed,
  computedFields,
  type Environment,
  implement,
  integer,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  type Records,
} from '#models'
import { isDate } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { readonlyActionMethod, shownRecords } from '../../base/index.ts'
import { topOf } from './plan.ts'

const account = model('account.analytic.account', {
  label: 'Analytic Account',
  order: 'plan_id, name, id',
  recNamesSearch: ['name', 'code'],
  fields: {
    name: char({ label: 'Analytic Account', required: true, index: 'trigram', translate: true }),
    code: char({ label: 'Reference', index: true }),
    active: boolean({ label: 'Active', default: true }),
    plan_id: many2one('account.analytic.plan', { label: 'Plan', required: true, index: true }),
    root_plan_id: many2one('account.analytic.plan', { label: 'Root Plan', computed: true, stored: true }),
    color: integer({ label: 'Color Index', related: 'plan_id.color' }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    partner_id: many2one('res.partner', { label: 'Customer', index: 'set', checkCompany: true }),
    line_ids: one2many('account.analytic.line', 'account_id', { label: 'Analytic Lines' }),
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    balance: monetary({ label: 'Balance', computed: true }),
    debit: monetary({ label: 'Debit', computed: true }),
    credit: monetary({ label: 'Credit', computed: true }),
    invoice_count: integer({ label: 'Invoice Count', computed: true }),
    vendor_bill_count: integer({ label: 'Vendor Bill Count', computed: true }),
  },
  methods: {
    action_view_invoice: readonlyActionMethod('Shows the posted invoices that name the account.'),
    action_view_vendor_bill: readonlyActionMethod('Shows the posted bills that name the account.'),
  },
})

declare module '#models' {
  interface Models {
    'account.analytic.account': AnalyticAccount
  }
  interface AnalyticAccount extends Of<typeof account> {}
}

const day = (value: unknown): string | null => (typeof value === 'string' && isDate(value) ? value : null)

/** Sums of lines of the caller's companies, between the days of the context where it names some. */
const sums = computedFields(
  account,
  ['balance', 'debit', 'credit'],
  [],
  async (accounts, env) => {
    const from = day(env.context.from_date)
    const to = day(env.context.to_date)
    const rows = await env.rows(
      sql`SELECT l.account_id, COALESCE(sum(l.amount) FILTER (WHERE l.amount < 0), 0)::float8,
        COALESCE(sum(l.amount) FILTER (WHERE l.amount > 0), 0)::float8 FROM account_analytic_line l
      WHERE l.account_id = ANY(${idList(accounts.map(({ id }) => id))}) AND l.company_id = ANY(${idList([...env.companyIds])})
        AND (${from}::date IS NULL OR l.date >= ${from}::date) AND (${to}::date IS NULL OR l.date <= ${to}::date) GROUP BY 1`,
      { reads: ['account.analytic.line'], row: ['int', 'float', 'float'] },
    )
    const byAccount = new Map(rows.map(([id, spent, earned]) => [id, { spent, earned }]))
    return new Map(
      accounts.map(({ id }) => {
        const { spent, earned } = byAccount.get(id) ?? { spent: 0, earned: 0 }
        return [id, { balance: earned + spent, debit: -spent + 0, credit: earned }]
      }),
    )
  },
  { context: ['from_date', 'to_date'] },
)

type Side = 'invoice' | 'vendor_bill'

/** Entries of a side, by account, that analytic lines of accounts were made of. */
async function documentsOf(env: Environment, accounts: readonly number[], side: Side) {
  const rows = await env.rows(
    sql`SELECT DISTINCT a.account_id, l.move_id FROM account_analytic_line a JOIN account_move_line l ON l.id = a.move_line_id
    WHERE a.account_id = ANY(${idList([...accounts])}) AND a.category = ${side} AND a.company_id = ANY(${idList([...env.companyIds])})`,
    { reads: ['account.analytic.line', 'account.move.line'], row: ['int', 'int'] },
  )
  // Only those that the caller may read.
  const { ids } = await env.model('account.move').search([['id', 'in', rows.map(([, move]) => move)]])
  const readable = new Set(ids)
  return Map.groupBy(
    rows.filter(([, move]) => readable.has(move)),
    ([id]) => id,
  )
}

const counts = computedFields(account, ['invoice_count', 'vendor_bill_count'], [], async (accounts, env) => {
  const ids = accounts.map(({ id }) => id)
  const invoices = await documentsOf(env, ids, 'invoice')
  const bills = await documentsOf(env, ids, 'vendor_bill')
  return new Map(
    ids.map((id) => [
      id,
      { invoice_count: invoices.get(id)?.length ?? 0, vendor_bill_count: bills.get(id)?.length ?? 0 },
    ]),
  )
})

async function shownDocuments(accounts: Records<'account.analytic.account'>, side: Side): Promise<object> {
  // Rights and rules of the account are asked by reading it.
  await accounts.load(['name'])
  const documents = await documentsOf(accounts.env, accounts.ids, side)
  const ids = [...new Set([...documents.values()].flatMap((rows) => rows.map(([, move]) => move)))]
  return shownRecords(side === 'invoice' ? 'Customer Invoices' : 'Vendor Bills', 'account.move', ids)
}

export default implement(account, {
  defaults: { company_id: (env) => env.companyId },
  displayName: computed(account, ['name', 'code', 'partner_id.name'], ({ name, code, partner_id: partner }) =>
    [code && `[${code}]`, name, partner?.name && `- ${partner.name}`].filter(Boolean).join(' '),
  ),
  computed: {
    root_plan_id: computed(account, ['plan_id.parent_path'], ({ plan_id: plan }) => topOf(plan.parent_path)),
    currency_id: computed(
      account,
      ['company_id.currency_id'],
      ({ company_id: company }) => company?.currency_id ?? null,
    ),
    ...sums,
    ...counts,
  },
  methods: {
    action_view_invoice: (accounts) => shownDocuments(accounts, 'invoice'),
    action_view_vendor_bill: (accounts) => shownDocuments(accounts, 'vendor_bill'),
  },
})
