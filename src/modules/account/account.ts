// Accounts of the chart (account.account): what amounts are booked on. Codes are unique within a company.
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  implement,
  many2many,
  many2one,
  model,
  type Of,
  selection,
  set,
  text,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { keptOnceIssued } from '../base/index.ts'
import { accountGroups, accountTypes } from './account-types.ts'
import { assertUnset } from './account-use.ts'

const account = model('account.account', {
  label: 'Account',
  order: 'code, id',
  recNamesSearch: ['name', 'code'],
  fields: {
    name: char({ label: 'Account Name', required: true, translate: true, index: 'trigram' }),
    code: char({ label: 'Code', asStored: false, required: true, size: 64, index: true }),
    account_type: selection(accountTypes, {
      label: 'Type',
      required: true,
      index: true,
      help: 'Where reports show the account, and how years close it.',
    }),
    internal_group: selection(accountGroups, {
      label: 'Internal Group',
      asStored: false,
      computed: true,
      stored: true,
    }),
    reconcile: boolean({
      label: 'Allow Reconciliation',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Its entries can be reconciled, such as invoices with payments.',
    }),
    active: boolean({ label: 'Active', default: true }),
    description: text({ label: 'Description', translate: true }),
    currency_id: many2one('res.currency', {
      label: 'Account Currency',
      help: 'Entries must be in this currency.',
    }),
    company_currency_id: many2one('res.currency', { label: 'Company Currency', computed: true }),
    company_ids: many2many('res.company', { label: 'Companies', required: true }),
    tax_ids: many2many('account.tax', {
      label: 'Default Taxes',
      relation: { table: 'account_account_tax_default_rel', column: 'account_id', other: 'tax_id' },
    }),
    note: text({ label: 'Internal Notes' }),
  },
})

declare module '#models' {
  interface Models {
    'account.account': Account
  }
  interface Account extends Of<typeof account> {}
}

type Group = keyof typeof accountGroups
const mustMatch: readonly string[] = ['asset_receivable', 'liability_payable']

/** People without accounting rights see the name; codes are for accountants. */
const showsCodes = (env: Environment) =>
  env.hasGroup('account.group_account_readonly') || env.hasGroup('account.group_account_user')

const codeWithName = computed(
  account,
  ['code', 'name'],
  (a, env) => (showsCodes(env) && a.code ? `${a.code} ${a.name}` : a.name),
  {
    sql: (scope) => {
      const name = scope.model.fields.get('name')
      const companyValue = name ? scope.value(name) : null
      if (!companyValue) return null
      return showsCodes(scope.env) ? sql`(${scope.column('code')} || ' ' || ${companyValue})` : companyValue
    },
    search: (operator, value) => {
      const negative = operator.startsWith('not') || operator === '!='
      return [
        negative ? '&' : '|',
        ['name', operator, value],
        ['code', operator === 'ilike' ? '=ilike' : operator, prefix(operator, value)],
      ]
    },
  },
)

/** A part of a code is its beginning. */
const prefix = (operator: string, value: unknown) =>
  operator === 'ilike' && typeof value === 'string' ? `${value}%` : value

export default implement(account, {
  displayName: codeWithName,
  defaults: { company_ids: (env) => set([env.companyId]) },
  computed: {
    internal_group: computed(account, ['account_type'], (a) => a.account_type.split('_')[0] as Group),
    reconcile: computed(account, ['account_type'], (a) => mustMatch.includes(a.account_type), {
      editable: true,
    }),
    company_currency_id: computedTogether(
      account,
      [],
      async (accounts, env) => {
        const company = await env.sudo().model('res.company').browse([env.companyId]).one(['currency_id'])
        return new Map(accounts.map((a) => [a.id, company.currency_id]))
      },
      { sql: ({ env }) => sql`(SELECT o.currency_id FROM res_company o WHERE o.id = ${env.companyId}::int)` },
    ),
  },
  checks: {
    'An account code consists of letters, digits and dots.': computed(account, ['code'], (a) =>
      /^[A-Za-z0-9.]+$/.test(a.code),
    ),
    'Receivable and payable accounts must allow reconciliation.': computed(
      account,
      ['account_type', 'reconcile'],
      (a) => a.reconcile || !mustMatch.includes(a.account_type),
    ),
    'An off-balance account can neither be reconciled nor have taxes.': computed(
      account,
      ['account_type', 'reconcile', 'tax_ids'],
      (a) => a.account_type !== 'off_balance' || (!a.reconcile && a.tax_ids.length === 0),
    ),
    'An account belongs to a company.': computed(account, ['company_ids'], (a) => a.company_ids.length > 0),
    'Account codes must be unique within a company.': computedTogether(
      account,
      ['code', 'company_ids'],
      async (accounts, env) => {
        const ids = accounts.map((a) => a.id)
        const rows = await env.rows(
          sql`SELECT DISTINCT a.id FROM account_account a JOIN account_account o ON o.code = a.code AND o.id <> a.id
        JOIN account_account_res_company_rel ac ON ac.account_account_id = a.id
        JOIN account_account_res_company_rel oc ON oc.account_account_id = o.id AND oc.res_company_id = ac.res_company_id
        WHERE a.id = ANY(${idList(ids)})`,
          { reads: ['account.account'], row: ['int'] },
        )
        const twice = new Set(rows.map((row) => row[0]))
        return new Map(ids.map((id) => [id, !twice.has(id)]))
      },
    ),
  },
  wrapWrite: keptOnceIssued(['account_type', 'reconcile', 'currency_id'], ({ name, before, vals }) => {
    if (name === 'currency_id') return true
    const types = [before.account_type, vals.account_type].map(String)
    // A changed type ends matching too, unless the write sets `reconcile`.
    const ends = before.reconcile === true && !vals.reconcile
    return ends || (name === 'account_type' && types.some((type) => mustMatch.includes(type)))
  }),
  wrapGeneric: {
    unlink: (next) => async (accounts, params) => {
      if (accounts.length) await assertUnset(accounts.env, accounts.ids)
      return next(accounts, params)
    },
    copy_data: (next) => async (accounts, params) => {
      const copies = (await next(accounts, params)) as Record<string, unknown>[]
      const defaults = (params.default ?? {}) as Record<string, unknown>
      const wanted = copies.map((vals) => String(vals.code))
      const codes =
        defaults.code === undefined ? await freeCodes(accounts.env, wanted) : copies.map((vals) => vals.code)
      return copies.map((vals, i) => ({
        ...vals,
        code: codes[i],
        ...(defaults.name === undefined ? { name: `${vals.name} (copy)` } : {}),
      }))
    },
  },
})

/**
 * Each code itself if no account of the company has it, else the next one up: `101000` → `101001`, `BANK` →
 * `BANK1`. No code twice.
 */
export async function freeCodes(env: Environment, wanted: readonly string[]): Promise<string[]> {
  const all = env.sudo().withContext({ active_test: false }).model('account.account')
  const used = await (await all.search([['company_ids', 'in', [env.companyId]]])).load(['code'])
  const taken = new Set(used.map((row) => row.code))
  return wanted.map((first) => {
    const [digits = ''] = /(?<!\d)\d+$/.exec(first) ?? []
    const head = first.slice(0, first.length - digits.length)
    let code = first
    for (let next = Number(digits || 0); taken.has(code); ) {
      next++
      code = `${head}${String(next).padStart(digits.length, '0')}`
    }
    taken.add(code)
    return code
  })
}
