// Shared facts of a closing: the session, its money, its accounts; and items in two currencies.
import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { exact, ratesFor, roundTo, toNumber } from '../../account/index.ts'
import type { Item } from './items.ts'

const paths = [
  'name',
  'state',
  'cash_control',
  'cash_journal_id.profit_account_id',
  'cash_journal_id.loss_account_id',
  'cash_register_balance_start',
  'cash_register_balance_end_real',
  'update_stock_at_closing',
  'currency_id.rounding',
  'company_id.currency_id.rounding',
  'company_id.tax_calculation_rounding_method',
  'company_id.account_storno',
  'company_id.account_default_pos_receivable_account_id',
  'config_id.name',
  'config_id.journal_id',
  'config_id.invoice_journal_id',
  'config_id.cash_rounding',
  'config_id.rounding_method',
  'config_id.is_closing_entry_by_product',
] as const

const load = (env: Environment, id: number) => env.sudo().model('pos.session').browse([id]).one(paths)
export type Session = Awaited<ReturnType<typeof load>>

/** A session as closing and invoicing see it. */
export interface Desk {
  /** Superuser environment in the company of the session. */
  readonly env: Environment
  readonly session: Session
  readonly day: string
  readonly rounding: number
  readonly method: 'round_per_line' | 'round_globally'
  readonly currency: number
  /** From the currency of the session to the company's. */
  readonly booked: (amount: number) => number
  /** From the currency of the company to the session's, not rounded. */
  readonly foreign: (amount: number) => number
  readonly profit: number | null
  readonly loss: number | null
  /** The company takes back by storno. */
  readonly usesStorno: boolean
}

export async function deskOf(env: Environment, id: number): Promise<Desk> {
  const session = await load(env, id)
  const { company_id: company, currency_id: currency, config_id: config } = session
  if (!company || !currency || !config.journal_id)
    throw new UserError(`${config.name} needs a journal to book its sessions in.`)
  const companyEnv = env.sudo().withCompany(company.id)
  const day = today(env.tz, env.now())
  const ask = { company: company.id, companyCurrency: company.currency_id.id, currency: currency.id, day }
  const rate = (await ratesFor(companyEnv, [ask]))(ask)
  const step = exact(company.currency_id.rounding)
  const same = currency.id === company.currency_id.id
  const [coins] = config.rounding_method
    ? await companyEnv
        .model('account.cash.rounding')
        .browse([config.rounding_method.id])
        .load(['profit_account_id', 'loss_account_id'])
    : []
  return {
    env: companyEnv,
    session,
    day,
    rounding: currency.rounding,
    method: company.tax_calculation_rounding_method,
    currency: currency.id,
    booked: (amount) => (same ? amount : toNumber(roundTo(exact(amount).div(exact(rate)), step))),
    foreign: (amount) => (same ? amount : toNumber(exact(amount).times(exact(rate)))),
    profit: coins?.profit_account_id?.id ?? null,
    loss: coins?.loss_account_id?.id ?? null,
    usesStorno: company.account_storno,
  }
}

/** Where differences of rounding go: profit or loss of the drawer, or what customers of tills owe. */
export const roundingAccount = ({ session }: Desk, off: number): number | null => {
  const { cash_journal_id: drawer, company_id: company } = session
  const account = off > 0 ? drawer?.profit_account_id : drawer?.loss_account_id
  return (account ?? company?.account_default_pos_receivable_account_id)?.id ?? null
}

/** Values of items; what two currencies round apart goes to the largest. */
export function itemVals(
  items: readonly Item[],
  { currency, booked, usesStorno }: Desk,
): Vals<'account.move.line'>[] {
  const balances = items.map(({ amount }) => exact(booked(amount)))
  const rest = balances.reduce((sum, balance) => sum.plus(balance), exact(0))
  const whole = items.reduce((sum, { amount }) => sum.plus(exact(amount)), exact(0))
  if (whole.isZero() && !rest.isZero()) {
    const largest = balances.reduce(
      (at, balance, i) => (balance.abs().greaterThan((balances[at] ?? exact(0)).abs()) ? i : at),
      0,
    )
    balances[largest] = (balances[largest] ?? exact(0)).minus(rest)
  }
  return items.map(({ name, account, amount, type, partner, isBack, more }, i) => {
    const balance = toNumber(balances[i] ?? exact(0))
    return {
      name,
      account_id: account,
      partner_id: partner ?? false,
      currency_id: currency,
      display_type: type,
      quantity: 0,
      ...more,
      amount_currency: amount,
      balance,
      ...(usesStorno && isBack && { is_storno: true }),
    }
  })
}
