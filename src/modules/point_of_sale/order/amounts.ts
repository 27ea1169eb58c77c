// Money of orders: what was paid and is still owed, in coins too, and what the lines come to by the tax
// engine.
import { UserError, ValidationError } from '../../../errors.ts'
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'
import {
  type CashRounding,
  documentTotals,
  exact,
  roundingDifference,
  type Tax,
  toNumber,
} from '../../account/index.ts'

export interface PaidLine {
  readonly price_unit: number
  readonly qty: number
  readonly discount: number
  readonly taxes: readonly Tax[]
}

export interface Rounding {
  readonly rounding: number
  readonly method: 'round_per_line' | 'round_globally'
  /**
   * Largest difference between payments and total where totals are rounded to coins: half a coin for
   * rounding to the nearest, a whole one for rounding up or down. Else null.
   */
  readonly slack: number | null
}

/** Paths from an order to what says whether its total is rounded to coins. */
export const coinPaths = [
  'config_id.cash_rounding',
  'config_id.only_round_cash_method',
  'config_id.rounding_method.rounding',
  'config_id.rounding_method.rounding_method',
] as const

/** Paths from an order to the settings that its amounts are rounded by. */
export const roundingPaths = [
  'currency_id.rounding',
  'company_id.tax_calculation_rounding_method',
  ...coinPaths,
] as const

interface Rounded {
  readonly currency_id: { readonly rounding: number } | null
  readonly company_id: { readonly tax_calculation_rounding_method: Rounding['method'] | null } | null
  readonly config_id: {
    readonly cash_rounding: boolean
    readonly rounding_method: CashRounding | null
  } | null
}

const toleranceOf = (coins: CashRounding | null) =>
  coins && (coins.rounding_method === 'HALF-UP' ? coins.rounding / 2 : coins.rounding)

/** Rounding of the amounts of an order that `roundingPaths` were loaded of. */
export const roundingOf = (row: Rounded): Rounding => ({
  rounding: row.currency_id?.rounding ?? 0.01,
  method: row.company_id?.tax_calculation_rounding_method ?? 'round_globally',
  slack: row.config_id?.cash_rounding ? toleranceOf(row.config_id.rounding_method) : null,
})

/** The coins that a till rounds totals to; null where it rounds none, or those alone that are paid in cash. */
export function coinsOf<C extends CashRounding>(
  config: {
    readonly cash_rounding: boolean
    readonly only_round_cash_method: boolean
    readonly rounding_method: C | null
  } | null,
  inCash: boolean,
): C | null {
  if (!config?.cash_rounding || (config.only_round_cash_method && !inCash)) return null
  return config.rounding_method
}

/** An amount as it is paid in coins. */
export const inCoins = (amount: number, coins: CashRounding | null): number =>
  coins ? toNumber(exact(amount).plus(roundingDifference(exact(amount), coins))) : amount

export const sum = (amounts: readonly number[]): number =>
  amounts.reduce((total, amount) => addDecimals(total, amount), 0)

/** Whether payments settle a total: to the cent, or as far as rounding to coins leads. */
export function isPaid(total: number, paid: number, { rounding, slack }: Rounding): boolean {
  const difference = Math.abs(roundHalfUp(addDecimals(paid, -total), rounding))
  return difference <= (slack ?? 0) + rounding / 1000
}

/** A payment as it is loaded. */
interface Payment {
  readonly payment_method_id: { readonly id: number | null }
  readonly amount: number
  readonly is_change: boolean
}

/**
 * Throws ValidationError for money that comes by one method and leaves by another. Change is told apart: it
 * is given of what was paid in cash, by one of the methods `cash`.
 */
export function assertOneWay(payments: readonly Payment[], cash: ReadonlySet<number | null>): void {
  const isChange = ({ is_change, amount }: Payment) => is_change && amount < 0
  const counted = payments.filter((payment) => !isChange(payment))
  const incoming = counted.filter(({ amount }) => amount > 0)
  const outgoing = counted.filter(({ amount }) => amount < 0)
  const differ = (a: Payment, b: Payment) => a.payment_method_id.id !== b.payment_method_id.id
  if (outgoing.some((payment) => incoming.some((other) => differ(payment, other))))
    throw new ValidationError(
      'The payments of an order must either bring money in or give it back, not both.',
    )
  const change = sum(payments.filter(isChange).map(({ amount }) => amount))
  const inCash = incoming.filter((payment) => cash.has(payment.payment_method_id.id))
  if (addDecimals(sum(inCash.map(({ amount }) => amount)), change) < 0)
    throw new ValidationError('Change can only be given for cash payments, and must not exceed them.')
}

/** Throws UserError for an order that is not paid, or paid too much. */
export function assertPaid(name: string, total: number, paid: number, rounding: Rounding): void {
  if (!isPaid(total, paid, rounding))
    throw new UserError(`${name} is not fully paid: its total is ${total}, its payments are ${paid}.`)
}

/** Totals of lines by the tax engine. */
export function totalsOf(lines: readonly PaidLine[], { rounding, method }: Rounding) {
  const taxed = lines.map(({ price_unit: priceUnit, qty: quantity, discount, taxes }) => ({
    priceUnit,
    quantity,
    discount,
    taxes,
  }))
  return documentTotals(taxed, { rounding, method })
}

export interface Checked {
  readonly price_check: 'ok' | 'differs'
  readonly checked_total: number
  readonly checked_tax: number
}

/**
 * Compares the totals of a till with those of the lines; one unit of the currency's rounding is
 * tolerated. Throws UserError with both figures if the point of sale refuses differences.
 */
export function checked(
  name: string,
  stated: { readonly total: number; readonly tax: number },
  computed: { readonly total: number; readonly tax: number },
  rounding: number,
  strict: boolean,
): Checked {
  const off = (a: number, b: number) => Math.abs(addDecimals(a, -b)) > rounding * 1.001
  const differs = off(stated.total, computed.total) || off(stated.tax, computed.tax)
  if (differs && strict)
    throw new UserError(
      `${name} comes to ${computed.total} with taxes of ${computed.tax}; the till says ${stated.total} with taxes of ${stated.tax}.`,
    )
  return { price_check: differs ? 'differs' : 'ok', checked_total: computed.total, checked_tax: computed.tax }
}
