// New journals: a code when none is given, for banks and tills an account of their own and those that the
// company keeps for all of them.

import type { Environment } from '#models'
import { isInteger, present } from '../../kit/present.ts'
import { freeCodes } from './account.ts'

type Vals = Record<string, unknown>

const prefixes: Readonly<Record<string, string>> = {
  sale: 'INV',
  purchase: 'BILL',
  cash: 'CSH',
  bank: 'BNK',
  credit: 'CCD',
  general: 'MISC',
}
/** Types whose codes are numbered from the first on. */
const numbered: readonly string[] = ['cash', 'bank', 'credit']

const isVals = (vals: unknown): vals is Vals =>
  typeof vals === 'object' && vals !== null && !Array.isArray(vals)

/**
 * Completes values to create journals with, in order. Invalid values and unknown types are left for the
 * engine to refuse.
 */
export async function completeJournals(env: Environment, list: readonly unknown[]): Promise<unknown[]> {
  const taken = new Set<string>()
  const complete: unknown[] = []
  for (const values of list) {
    const type = isVals(values) ? (values.type ?? env.context.default_type) : undefined
    if (!isVals(values) || typeof type !== 'string' || !Object.hasOwn(prefixes, type)) complete.push(values)
    else complete.push(await completed(env, values, type, taken))
  }
  return complete
}

async function completed(
  env: Environment,
  journalVals: Vals,
  type: string,
  taken: Set<string>,
): Promise<Vals> {
  const companyId = isInteger(journalVals.company_id) ? journalVals.company_id : env.companyId
  const companyEnv = env.sudo().withCompany(companyId)
  const [company] = await companyEnv
    .model('res.company')
    .browse([companyId])
    .load([
      'account_journal_suspense_account_id',
      'default_cash_difference_income_account_id',
      'default_cash_difference_expense_account_id',
      'income_account_id',
      'expense_account_id',
      'bank_account_code_prefix',
      'cash_account_code_prefix',
    ])
  const vals: Vals = { ...journalVals }
  if (vals.code === undefined || vals.code === false || vals.code === '')
    vals.code = await code(companyEnv, type, taken)
  taken.add(String(vals.code))
  if (!company) return vals
  const fill = (name: string, account: { readonly id: number } | null) => {
    if (vals[name] === undefined && account) vals[name] = account.id
  }
  if (type === 'sale') fill('default_account_id', company.income_account_id)
  if (type === 'purchase') fill('default_account_id', company.expense_account_id)
  if (!numbered.includes(type)) return vals
  fill('suspense_account_id', company.account_journal_suspense_account_id)
  fill('profit_account_id', company.default_cash_difference_income_account_id)
  fill('loss_account_id', company.default_cash_difference_expense_account_id)
  if (vals.default_account_id === undefined && vals.name) {
    const prefix =
      (type === 'cash' ? company.cash_account_code_prefix : company.bank_account_code_prefix) ?? ''
    const createdAccounts = await companyEnv.model('account.account').create([
      {
        name: String(vals.name),
        code: present((await freeCodes(companyEnv, [`${prefix || type.toUpperCase()}01`]))[0]),
        account_type: type === 'credit' ? 'liability_credit_card' : 'asset_cash',
        company_ids: [[6, 0, [companyId]]],
        ...(isInteger(vals.currency_id) ? { currency_id: vals.currency_id } : {}),
      },
    ])
    vals.default_account_id = createdAccounts.ids[0]
  }
  return vals
}

/** As long as the field `code` is. */
const CODE_LENGTH = 5

/** `BNK1`, `BNK2`; `MISC`, `MISC1`, `MIS10`: the number has room whatever it takes. */
async function code(env: Environment, type: string, taken: ReadonlySet<string>): Promise<string> {
  const prefix = present(prefixes[type])
  const all = env.withContext({ active_test: false }).model('account.journal')
  const used = await all.search([
    ['company_id', '=', env.companyId],
    ['code', '=like', `${prefix[0]}%`],
  ])
  const codes = new Set((await used.load(['code'])).map((journal) => journal.code))
  let next = numbered.includes(type) ? 1 : 0
  const at = () => {
    const number = next ? String(next) : ''
    return prefix.slice(0, CODE_LENGTH - number.length) + number
  }
  while (codes.has(at()) || taken.has(at())) next++
  return at()
}
