// Amounts of journal entries that are typed: debit and credit or the balance, in one currency or in two.
import type { Environment, Vals } from '#models'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import { type Header, ratesFor } from './headers.ts'
import { sides } from './sides.ts'

/**
 * Values of an item with its balance on both sides, whichever was given. Amounts that are not numbers are
 * left for the engine to refuse.
 */
export function withSides(vals: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { balance, debit, credit } = vals
  const isStorno = vals.is_storno === true
  if (typeof balance === 'number') return { ...shown(vals, balance), ...vals, ...sides(balance, isStorno) }
  if (debit === undefined && credit === undefined) return { ...vals }
  const [left, right] = [debit || 0, credit || 0]
  if (typeof left !== 'number' || typeof right !== 'number') return { ...vals }
  const net = toNumber(exact(left).minus(exact(right)))
  return { ...shown(vals, net), ...vals, balance: net, ...sides(net, isStorno) }
}

/**
 * The subtotal and total of an item without a price: its amount, in its currency. Items of invoices get
 * theirs from prices afterwards.
 */
function shown(vals: Readonly<Record<string, unknown>>, balance: number): Record<string, unknown> {
  if (vals.price_unit !== undefined || (vals.display_type ?? 'product') !== 'product') return {}
  const amount = typeof vals.amount_currency === 'number' ? vals.amount_currency : balance
  return { price_subtotal: amount, price_total: amount }
}

/**
 * Fills in the amounts of items of entries that were given in one currency only. Differences of rates have
 * no other; those that are drafts wait for their documents.
 */
export async function settleEntryAmounts(env: Environment, headers: readonly Header[]): Promise<void> {
  const byId = new Map(headers.map((header) => [header.id, header]))
  const items = await env.model('account.move.line').search([
    ['move_id', 'in', [...byId.keys()]],
    ['move_id.exchange_diff_partial_ids', '=', false],
  ])
  const rows = await items.load([
    'move_id',
    'currency_id.rounding',
    'balance',
    'amount_currency',
    'display_type',
    'is_storno',
  ])
  const rateAsks = rows.flatMap((row) => {
    const header = byId.get(row.move_id.id)
    return header ? [{ one: row, header, currency: row.currency_id.id, ...datedBy(header) }] : []
  })
  const rates = await ratesFor(env, rateAsks)
  const changes = new Map<number, Vals<'account.move.line'>>()
  for (const ask of rateAsks) {
    const vals = completed(ask.one, ask.header, rates(ask))
    if (vals) changes.set(ask.one.id, vals)
  }
  if (changes.size)
    await env
      .model('account.move.line')
      .browse([...changes.keys()])
      .writeEach(changes)
}

const datedBy = ({ company, companyCurrency, day }: Header) => ({ company, companyCurrency, day })

interface Item {
  readonly currency_id: { readonly id: number; readonly rounding: number }
  readonly balance: number
  readonly amount_currency: number
  readonly display_type: string | null
  readonly is_storno: boolean
}

/** Amounts that lack, and both sides of a balance that is another, or that is no longer booked by storno. */
function completed(item: Item, header: Header, rate: number): Vals<'account.move.line'> | null {
  const missing = missingAmount(item, header, rate)
  // A draft may have come to a company without storno accounting.
  const is_storno = item.is_storno && header.usesStorno
  if (is_storno === item.is_storno && missing?.balance === undefined) return missing
  return { ...missing, is_storno, ...sides(missing?.balance ?? item.balance, is_storno) }
}

interface Amount {
  readonly balance?: number
  readonly amount_currency?: number
  readonly price_subtotal?: number
  readonly price_total?: number
}

function missingAmount(
  { currency_id, balance, amount_currency, display_type }: Item,
  header: Header,
  rate: number,
): Amount | null {
  if (currency_id.id === header.companyCurrency)
    return amount_currency === balance ? null : { amount_currency: balance }
  if (balance === 0 && amount_currency !== 0)
    return {
      balance: toNumber(roundTo(exact(amount_currency).div(exact(rate)), exact(header.companyRounding))),
    }
  if (balance === 0 || amount_currency !== 0) return null
  const converted = toNumber(roundTo(exact(balance).times(exact(rate)), exact(currency_id.rounding)))
  return {
    amount_currency: converted,
    ...(display_type === 'product' && { price_subtotal: converted, price_total: converted }),
  }
}
