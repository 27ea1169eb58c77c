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
  for (const given of list) {
    const type = isVals(given) ? (given.type ?? env.context.default_type) : undefined
    if (!isVals(given) || typeof type !== 'string' || !(type in prefixes)) complete.push(given)
    else complete.push(await completed(env, given, type, taken))
  }
  return complete
}

async function completed(env: Environment, given: Vals, type: string, taken: Set<string>): Promise<Vals> {
  const companyId = isInteger(given.company_id) ? given.company_id : env.companyId
  const own = env.sudo().withCompany(companyId)
  const [company] = await own
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
  const vals: Vals = { ...given }
  if (vals.code === undefined || vals.code === false || vals.code === '')
    vals.code = await code(own, type, taken)
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
    const made = await own.model('account.account').create([
      {
        name: String(vals.name),
        code: present((await freeCodes(own, [`${prefix || type.toUpperCase()}01`]))[0]),
        account_type: type === 'credit' ? 'liability_credit_card' : 'asset_cash',
        company_ids: [[6, 0, [companyId]]],
        ...(isInteger(vals.currency_id) ? { currency_id: vals.currency_id } : {}),
      },
    ])
    vals.default_account_id = made.ids[0]
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
