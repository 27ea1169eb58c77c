// Openings of accounts (account.account): what stands on them when the books begin, kept in the opening entry
// of the company; their code in each company, and the taxes that are booked on them.
import {
  boolean,
  type Command,
  char,
  computed,
  computedFields,
  computedTogether,
  type Environment,
  extend,
  implement,
  integer,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  type Records,
} from '#models'
import { UserError } from '../../errors.ts'
import { addDays, today } from '../../kit/dates.ts'
import { addDecimals } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { assertAllowed, readonlyActionMethod, shownRecords } from '../base/index.ts'
import { BOOKKEEPERS } from './account-types.ts'

/** Each account in each of its companies: accounts have one code, which clients read by company. */
const mapping = model('account.code.mapping', {
  label: 'Mapping of account codes per company',
  logAccess: false,
  query: `SELECT (row_number() OVER (ORDER BY r.account_account_id, r.res_company_id))::int AS id, r.account_account_id AS account_id,
    r.res_company_id AS company_id, a.code FROM account_account_res_company_rel r JOIN account_account a ON a.id = r.account_account_id`,
  fields: {
    account_id: many2one('account.account', { label: 'Account' }),
    company_id: many2one('res.company', { label: 'Company' }),
    code: char({ label: 'Code' }),
  },
})

const opening = (label: string) =>
  monetary({
    label,
    computed: true,
    readonly: false,
    groups: BOOKKEEPERS,
    currency: 'company_currency_id',
  })

const account = extend('account.account', {
  fields: {
    code_store: char({ label: 'Code Store', related: 'code', stored: true, readonly: false }),
    code_mapping_ids: one2many('account.code.mapping', 'account_id', { label: 'Code Mapping' }),
    opening_debit: opening('Opening Debit'),
    opening_credit: opening('Opening Credit'),
    opening_balance: opening('Opening Balance'),
    related_taxes_amount: integer({ label: 'Related Taxes Amount', computed: true }),
    company_fiscal_country_code: char({ label: 'Company Fiscal Country Code', computed: true }),
    placeholder_code: char({ label: 'Display code', computed: true }),
    display_mapping_tab: boolean({ label: 'Display Mapping Tab', computed: true }),
  },
  methods: {
    action_open_related_taxes: readonlyActionMethod('Shows the taxes that are booked on accounts.'),
  },
})

declare module '#models' {
  interface Models {
    'account.code.mapping': CodeMapping
  }
  interface CodeMapping extends Of<typeof mapping> {}
  interface Account extends Of<typeof account> {}
}

/** Opening items by account, of the company of the caller. */
const openings = computedFields(
  account,
  ['opening_debit', 'opening_credit', 'opening_balance'],
  [],
  async (accounts, env) => {
    const rows = await env.rows(
      sql`SELECT l.account_id, sum(l.debit)::float8, sum(l.credit)::float8 FROM res_company c
      JOIN account_move_line l ON l.move_id = c.account_opening_move_id WHERE c.id = ${env.companyId}::int
        AND l.account_id = ANY(${idList(accounts.map(({ id }) => id))}) GROUP BY 1`,
      { reads: ['res.company', 'account.move.line'], row: ['int', 'float', 'float'] },
    )
    const byAccount = new Map(rows.map(([id, debit, credit]) => [id, { debit, credit }]))
    return new Map(
      accounts.map(({ id }) => {
        const { debit, credit } = byAccount.get(id) ?? { debit: 0, credit: 0 }
        return [
          id,
          {
            opening_debit: debit,
            opening_credit: credit,
            opening_balance: Number((debit - credit).toFixed(6)),
          },
        ]
      }),
    )
  },
)

/**
 * The opening entry of the caller's company, created as a draft if it does not exist. Throws UserError
 * once it is posted.
 */
async function openingEntry(env: Environment): Promise<Records<'account.move'>> {
  const company = env.model('res.company').browse([env.companyId])
  const row = await company.one(['account_opening_move_id.state', 'account_opening_date'])
  const { account_opening_move_id: entry } = row
  if (entry?.state === 'posted')
    throw new UserError('The opening entry is posted: reset it to draft before opening balances change.')
  if (entry) return env.model('account.move').browse([entry.id])
  const [journal] = (
    await env.model('account.journal').search(
      [
        ['type', '=', 'general'],
        ['company_id', '=', env.companyId],
      ],
      { limit: 1 },
    )
  ).ids
  if (!journal) throw new UserError('The opening entry needs a journal of miscellaneous entries: create one.')
  const day = row.account_opening_date ?? `${today(env.tz, env.now()).slice(0, 4)}-01-01`
  const created = await env
    .model('account.move')
    .create([
      { move_type: 'entry', journal_id: journal, date: addDays(day, -1), ref: 'Opening Journal Entry' },
    ])
  await company.sudo().write({ account_opening_move_id: created.ensureOne() })
  return created
}

/** Items that a value takes the place of, by the field that it is written to. */
const replaced = {
  opening_debit: (balance: number) => balance > 0,
  opening_credit: (balance: number) => balance < 0,
  opening_balance: () => true,
}
type Opening = keyof typeof replaced

/**
 * Gives accounts an opening debit, credit or balance (debit less credit), by one item each: a debit leaves
 * the credit of its account, and a credit the debit. The account of the current year's earnings takes the
 * difference, so that the entry balances.
 */
async function setOpenings(
  env: Environment,
  field: Opening,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  await assertAllowed(env.model('account.account').browse([...values.keys()]), 'write')
  const entry = await openingEntry(env)
  const [earnings] = await env.model('res.company').browse([env.companyId]).get_unaffected_earnings_account()
  const { line_ids: items } = await entry.one(['line_ids.account_id', 'line_ids.balance'])
  const others = items.filter(
    ({ account_id: on, balance }) =>
      on && on.id !== earnings && !(values.has(on.id) && replaced[field](balance)),
  )
  const sign = field === 'opening_credit' ? -1 : 1
  const set = [...values].flatMap(([id, value]) =>
    id !== earnings && Number(value) ? [[id, sign * Number(value)] as const] : [],
  )
  const kept = others.reduce((sum, item) => addDecimals(sum, item.balance), 0)
  const total = set.reduce((sum, [, balance]) => addDecimals(sum, balance), kept)
  const lines = [...set, ...(total && earnings ? [[earnings, -total] as const] : [])]
  const gone = items.filter((item) => !others.includes(item))
  const line_ids: Command[] = [
    ...gone.map(({ id }): Command => [2, id, 0]),
    ...lines.map(([id, balance]): Command => [0, 0, { account_id: id, balance, name: 'Opening balance' }]),
  ]
  await entry.write({ line_ids })
}

/** A field of openings with the write that goes to the entry. */
const written = (field: Opening) => ({
  ...openings[field],
  options: {
    inverse: (env: Environment, values: ReadonlyMap<number, unknown>) => setOpenings(env, field, values),
  },
})

const taxesOn = async (env: Environment, accounts: readonly number[]) => {
  const rows = await env.rows(
    sql`SELECT DISTINCT p.account_id, p.tax_id FROM account_tax_repartition_line p JOIN account_tax t ON t.id = p.tax_id AND t.active
    WHERE p.account_id = ANY(${idList([...accounts])}) AND t.company_id = ANY(${idList([...env.companyIds])})`,
    { reads: ['account.tax.repartition.line', 'account.tax'], row: ['int', 'int'] },
  )
  return Map.groupBy(rows, ([id]) => id)
}

/**
 * Takes commands of `code_mapping_ids` as what they say of the account: its code, and further companies that
 * have it. Throws UserError for codes that differ, and for removals, which `company_ids` is for.
 */
function applyMappings(vals: Record<string, unknown>): void {
  const { code_mapping_ids: commands, ...others } = vals
  if (!commands) return
  delete vals.code_mapping_ids
  const entries = (Array.isArray(commands) ? commands : [commands]).map(mappingOf)
  const codes = new Set(entries.flatMap(({ code }) => (code === undefined ? [] : [code])))
  if (others.code !== undefined && codes.size > 0) codes.add(others.code)
  if (codes.size > 1)
    throw new UserError(
      'An account has the same code in all of its companies. Give one code, or create another account.',
    )
  for (const code of codes) vals.code = code
  const companies = entries.flatMap(({ company_id: id }) => (id ? [[4, id]] : []))
  if (companies.length > 0) vals.company_ids = [...commandsOf(others.company_ids), ...companies]
}

/** Values of `company_ids` as commands; they may be a list of ids, or nothing. */
function commandsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return value ? [value] : []
  return value.length > 0 && value.every(Number.isInteger) ? [[6, 0, value]] : value
}

/** The values of a command that adds or changes a row; none for one that links a row. */
function mappingOf(command: unknown): { readonly company_id?: unknown; readonly code?: unknown } {
  const [operation, , values] = Array.isArray(command) ? command : []
  if (operation === 4) return {}
  const isEntry = typeof values === 'object' && values !== null && !Array.isArray(values)
  const { company_id, code, ...others } = (isEntry ? values : {}) as Record<string, unknown>
  const isMove = operation === 1 && company_id !== undefined
  if (!isEntry || ![0, 1].includes(operation) || isMove || Object.keys(others).length > 0)
    throw new UserError(
      'Codes by company can be added and changed. A company leaves an account by its field company_ids.',
    )
  return { company_id, code }
}

export const codeMapping = implement(mapping)
export const accountOpenings = implement(account, {
  prepare: applyMappings,
  computed: {
    opening_debit: written('opening_debit'),
    opening_credit: written('opening_credit'),
    opening_balance: written('opening_balance'),
    related_taxes_amount: computedTogether(account, [], async (accounts, env) => {
      const ids = accounts.map(({ id }) => id)
      const taxes = await taxesOn(env, ids)
      return new Map(ids.map((id) => [id, taxes.get(id)?.length ?? 0]))
    }),
    company_fiscal_country_code: computedTogether(account, [], async (accounts, env) => {
      const company = env.sudo().model('res.company').browse([env.companyId])
      const { account_fiscal_country_id: country } = await company.one(['account_fiscal_country_id.code'])
      return new Map(accounts.map(({ id }) => [id, country?.code ?? null]))
    }),
    placeholder_code: computed(account, ['code'], ({ code }) => code),
    display_mapping_tab: computed(account, [], (_account, env) => env.companyIds.length > 1),
  },
  methods: {
    action_open_related_taxes: async (accounts) => {
      await assertAllowed(accounts, 'read')
      const taxes = await taxesOn(accounts.env, accounts.ids)
      const ids = [...taxes.values()].flatMap((rows) => rows.map(([, tax]) => tax))
      return shownRecords('Taxes', 'account.tax', [...new Set(ids)])
    },
  },
})
