// Amounts of an entry: unsigned in its own currency, signed in the company's, and the open amount.
import { computed, computedFields } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { isInvoice, signOf } from './kinds.ts'
import { move } from './move.contract.ts'

interface Item {
  readonly display_type: string
  readonly balance: number
  readonly amount_currency: number
  readonly amount_residual: number
  readonly amount_residual_currency: number
  readonly tax_repartition_line_id: { readonly id: number } | null
}

const isTax = (item: Item) =>
  item.display_type === 'tax' || (item.display_type === 'rounding' && item.tax_repartition_line_id !== null)
const isUntaxed = (item: Item) => ['product', 'rounding', 'epd'].includes(item.display_type) && !isTax(item)
const isDueItem = (item: Item) => item.display_type === 'payment_term'

const sum = (items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => addDecimals(total, of(item)), 0)

function amountsOf(type: string, items: readonly Item[]) {
  if (!isInvoice(type)) {
    const total = sum(items, (one) => Math.max(one.balance, 0))
    const inCurrency = sum(items, (one) => Math.max(one.amount_currency, 0))
    return {
      ...signedAmounts(
        1,
        { untaxed: 0, tax: 0, total: inCurrency, residual: 0 },
        { untaxed: 0, tax: 0, total, residual: 0 },
      ),
      // An entry comes to its debits in both currencies, whichever way the money goes (recorded).
      amount_total_in_currency_signed: inCurrency,
    }
  }
  const sign = signOf(type)
  const [untaxed, taxes, open] = [items.filter(isUntaxed), items.filter(isTax), items.filter(isDueItem)]
  const parts = (of: (item: Item) => number, residual: (item: Item) => number) => {
    const [net, tax] = [sum(untaxed, of), sum(taxes, of)]
    return { untaxed: net, tax, total: addDecimals(net, tax), residual: sum(open, residual) }
  }
  return signedAmounts(
    sign,
    parts(
      (entry) => entry.amount_currency,
      (entry) => entry.amount_residual_currency,
    ),
    parts(
      (entry) => -entry.balance,
      (entry) => entry.amount_residual,
    ),
  )
}

interface Parts {
  readonly untaxed: number
  readonly tax: number
  readonly total: number
  readonly residual: number
}

/** Zero has no sign. */
const plain = (value: number) => value + 0

function signedAmounts(sign: 1 | -1, inCurrency: Parts, company: Parts) {
  return {
    amount_untaxed: plain(sign * inCurrency.untaxed),
    amount_tax: plain(sign * inCurrency.tax),
    amount_total: plain(sign * inCurrency.total),
    amount_residual: plain(-sign * inCurrency.residual),
    amount_untaxed_in_currency_signed: plain(-inCurrency.untaxed),
    amount_total_in_currency_signed: plain(-inCurrency.total),
    amount_untaxed_signed: plain(company.untaxed),
    amount_tax_signed: plain(company.tax),
    amount_total_signed: plain(company.total),
    amount_residual_signed: plain(company.residual),
  }
}

export const moveAmounts = computedFields(
  move,
  [
    'amount_untaxed',
    'amount_tax',
    'amount_total',
    'amount_residual',
    'amount_untaxed_in_currency_signed',
    'amount_total_in_currency_signed',
    'amount_untaxed_signed',
    'amount_tax_signed',
    'amount_total_signed',
    'amount_residual_signed',
  ],
  [
    'move_type',
    'line_ids.display_type',
    'line_ids.balance',
    'line_ids.amount_currency',
    'line_ids.amount_residual',
    'line_ids.amount_residual_currency',
    'line_ids.tax_repartition_line_id',
  ],
  (moves) => new Map(moves.map((move) => [move.id, amountsOf(move.move_type, move.line_ids)])),
)

/** Online payments come with another module. */
export const amountPaid = computed(move, [], () => 0)
