// Items of a payment form: open items in batches that a single payment may settle, and their total in a
// currency on a day.

import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { ratesFor } from '../move/headers.ts'
import { isRefund } from '../move/kinds.ts'
import { isPaidToCompany } from '../move/payment-conditions.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'

export const itemPaths = [
  'move_id.name',
  'move_id.ref',
  'move_id.payment_reference',
  'move_id.move_type',
  'move_id.partner_bank_id',
  'move_id.preferred_payment_method_line_id.payment_type',
  'move_id.preferred_payment_method_line_id.journal_id',
  'partner_id',
  'account_id.account_type',
  'currency_id.rounding',
  'company_id',
  'company_currency_id.rounding',
  'balance',
  'amount_currency',
  'amount_residual',
  'amount_residual_currency',
  'discount_date',
  'discount_amount_currency',
  'discount_balance',
  'date_maturity',
  'display_type',
  'parent_state',
] as const

export const loadItems = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.move.line')
    .browse(ids)
    .load([...itemPaths])
export type PayItem = Awaited<ReturnType<typeof loadItems>>[number]

export interface Batch {
  readonly items: readonly PayItem[]
  readonly partner: number | null
  readonly account: number
  readonly payment_type: 'inbound' | 'outbound'
  readonly partner_type: 'customer' | 'supplier'
  readonly currency: number
}

/** The direction of the payment: inbound if more is owed to us than we owe. */
export const directionOf = (items: readonly PayItem[]): 'inbound' | 'outbound' =>
  items.reduce((sum, item) => addDecimals(sum, item.amount_residual), 0) >= 0 ? 'inbound' : 'outbound'

/** The bank account of its contact that an item is to be paid to. */
const payeeBank = ({ move_id: move }: PayItem): number | null =>
  isPaidToCompany(move.move_type) ? null : (move.partner_bank_id?.id ?? null)

/** The bank account that one payment of items goes to. */
export const payeeOf = (items: readonly PayItem[]): number | null =>
  items.map(payeeBank).find((bank) => bank !== null) ?? null

/** Items by the accounts that they are to be paid to; those that name none are settled with the first. */
function byPayee(items: readonly PayItem[]): PayItem[][] {
  const first = payeeOf(items)
  return [...Map.groupBy(items, (item) => payeeBank(item) ?? first).values()]
}

/** Batches of items with the same partner, account, currency and bank account to pay to. */
export function paymentBatches(items: readonly PayItem[]): Batch[] {
  const groups = Map.groupBy(items, (item) =>
    [item.partner_id?.id, item.account_id?.id, item.currency_id.id].join(),
  )
  return [...groups.values()].flatMap(byPayee).map((group) => {
    const first = present(group[0])
    return {
      items: group,
      partner: first.partner_id?.id ?? null,
      account: present(first.account_id).id,
      payment_type: directionOf(group),
      partner_type: first.account_id?.account_type === 'liability_payable' ? 'supplier' : 'customer',
      currency: first.currency_id.id,
    }
  })
}

/** Sums of items, positive in the direction of the payment. */
export interface Due {
  /** The whole sum. */
  readonly full: number
  /** The proposal of a form: instalments that are due now, less discounts for early payment. */
  readonly proposed: number
  /** The same without discounts: what a payment of the proposal settles. */
  readonly settled: number
  /** Whether the proposal has instalments whose day has passed. */
  readonly overdue: boolean
}

/** Whether a form can choose between the instalments that are due and the whole sum. */
export const hasInstalments = (due: Due): boolean => due.full !== due.settled

export interface DueOptions {
  readonly currency: number
  readonly step: number
  readonly date: string
}

/**
 * True if an item is paid early, in whole, in its own currency: invoices and bills only. Refunds of
 * credit notes get no discount (recorded).
 */
export const isEarly = (item: PayItem, { date, currency }: Omit<DueOptions, 'step'>): boolean =>
  item.discount_date !== null &&
  date <= item.discount_date &&
  item.currency_id.id === currency &&
  !isRefund(item.move_id.move_type) &&
  item.amount_residual_currency === item.amount_currency

/**
 * Items that are to be paid on a day: of each document the instalments that are overdue, else the next one.
 * Other items are paid whole (recorded).
 */
export function payableNow(items: readonly PayItem[], date: string): PayItem[] {
  const due = (item: PayItem) => item.date_maturity ?? ''
  return [...Map.groupBy(items, (item) => item.move_id.id).values()].flatMap((moveItems) => {
    const [instalments, others] = [true, false].map((wanted) =>
      moveItems.filter((moveItem) => (moveItem.display_type === 'payment_term') === wanted),
    ) as [PayItem[], PayItem[]]
    const overdue = instalments.filter((instalment) => due(instalment) < date)
    const next = instalments.toSorted((a, b) => due(a).localeCompare(due(b))).slice(0, 1)
    return [...others, ...(overdue.length ? overdue : next)]
  })
}

/** Total of items in a currency: their own, else the company's at the rate of the day. */
export async function dueOf(env: Environment, items: readonly PayItem[], request: DueOptions): Promise<Due> {
  const { currency, step, date } = request
  const atOf = (item: PayItem) => ({
    company: item.company_id?.id ?? 0,
    companyCurrency: item.company_currency_id?.id ?? 0,
    day: date,
  })
  // Items in the requested currency need no rate.
  const others = items.filter((item) => item.currency_id.id !== currency)
  const rates = await ratesFor(
    env,
    others.flatMap((other) => [
      { ...atOf(other), currency },
      { ...atOf(other), currency: other.currency_id.id },
    ]),
  )
  const convert = (item: PayItem, amount: number) => {
    if (item.currency_id.id === currency) return exact(amount)
    const at = atOf(item)
    const company = exact(amount).div(exact(rates({ ...at, currency: item.currency_id.id })))
    return currency === at.companyCurrency ? company : company.times(exact(rates({ ...at, currency })))
  }
  const sum = (list: readonly PayItem[], of: (item: PayItem) => number) =>
    toNumber(
      roundTo(list.reduce((total, item) => total.plus(convert(item, of(item))), exact(0)).abs(), exact(step)),
    )
  const now = payableNow(items, date)
  return {
    overdue: now.some(
      ({ display_type, date_maturity: day }) => display_type === 'payment_term' && (day ?? '') < date,
    ),
    full: sum(items, (one) => one.amount_residual_currency),
    settled: sum(now, (one) => one.amount_residual_currency),
    proposed: sum(now, (one) =>
      isEarly(one, request) ? one.discount_amount_currency : one.amount_residual_currency,
    ),
  }
}

/** The amount that a payment leaves open: the proposal settles its whole share. */
export const remainingAfter = (amount: number, due: Due): number =>
  addDecimals(amount === due.proposed ? due.settled : due.full, -amount)
