// Invoices ahead of delivery: a share or a sum of an order, one line for each combination of taxes and
// account.
import type { Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { addDecimals, asDecimal, roundHalfUp } from '../../../kit/rounding.ts'
import { accountsOf, createDocuments } from '../../account/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { totalsFor } from '../amounts.ts'
import { headerOf, loadInvoiceable } from './make.ts'

type Orders = Records<'sale.order'>

/** What is asked for: a percentage of the order, or a sum with taxes. */
export type Deposit = { readonly percent: number } | { readonly sum: number }

/**
 * Adds the lines of a deposit to an order, and makes a draft of the invoice for it. Throws UserError for
 * several orders, and for amounts that are not positive.
 */
export async function makeDeposit(orders: Orders, deposit: Deposit): Promise<number[]> {
  if (orders.length !== 1) throw new UserError('A deposit is for one order.')
  const amount = 'percent' in deposit ? deposit.percent : deposit.sum
  if (!(amount > 0)) throw new UserError('The amount of a deposit must be positive.')
  await assertAllowed(orders, 'write')
  const su = orders.sudo().env
  const [order] = await loadInvoiceable(orders)
  if (!order) return []
  const { amount_total } = await orders.sudo().one(['amount_total'])
  const share = 'percent' in deposit ? deposit.percent / 100 : deposit.sum / amount_total
  const wanted = 'percent' in deposit ? asDecimal(amount_total * share) : deposit.sum
  const parts = Number.isFinite(share) ? await evened(orders, await partsOf(orders), share, wanted) : []
  if (parts.length === 0) throw new UserError('There is nothing that a deposit could be for.')
  const lines = su.model('sale.order.line')
  const last = Math.max(10, ...order.order_line.map((line) => line.sequence))
  const before = order.order_line.some((line) => line.is_downpayment && line.display_type)
  const section: Vals<'sale.order.line'>[] = before
    ? []
    : [
        {
          order_id: order.id,
          display_type: 'line_section',
          name: 'Down Payments',
          is_downpayment: true,
          sequence: last + 1,
        },
      ]
  const made = await lines.create([
    ...section,
    ...parts.map(
      ({ taxes, price }): Vals<'sale.order.line'> => ({
        order_id: order.id,
        name: 'percent' in deposit ? `Down payment of ${deposit.percent}%` : 'Down Payment',
        is_downpayment: true,
        product_uom_qty: 0,
        price_unit: price,
        tax_ids: [[6, 0, taxes]],
        sequence: last + 2,
      }),
    ),
  ])
  const own = made.ids.slice(section.length)
  const prices = await lines.browse(own).load(['name', 'price_unit', 'tax_ids'])
  const items = prices.map(
    (line, i): Vals<'account.move.line'> => ({
      display_type: 'product',
      name: line.name,
      quantity: 1,
      price_unit: line.price_unit,
      tax_ids: [[6, 0, line.tax_ids.map(({ id }) => id)]],
      is_downpayment: true,
      sale_line_ids: [[6, 0, [line.id]]],
      sequence: i + 1,
      ...(parts[i]?.account ? { account_id: parts[i]?.account as number } : {}),
    }),
  )
  return createDocuments(su, [headerOf([order], items)], false)
}

/**
 * Prices of the parts: rounded line by line they may miss what is asked for by some of the smallest coins,
 * which the largest part makes up for.
 */
async function evened(
  orders: Orders,
  parts: readonly Part[],
  share: number,
  wanted: number,
): Promise<Part[]> {
  const shares = parts
    .filter(({ price }) => price !== 0)
    .map((part) => ({ ...part, price: Number((part.price * share).toFixed(8)) }))
  const [largest] = shares.toSorted((a, b) => Math.abs(b.price) - Math.abs(a.price))
  if (!largest) return []
  const one = await orders.sudo().one(['company_id', 'currency_id.rounding'])
  const document = { company: one.company_id.id, currency: one.currency_id?.id ?? null }
  const lines = shares.map(({ price, taxes }, id) => ({
    id,
    display_type: null,
    price_unit: price,
    product_uom_qty: 1,
    discount: 0,
    tax_ids: taxes.map((tax) => ({ id: tax })),
  }))
  const { total } = (await totalsFor(orders.env, lines, [document]))(lines, document)
  const coin = one.currency_id?.rounding ?? 0.01
  const rest = addDecimals(roundHalfUp(wanted, coin), -total)
  if (Math.abs(rest) > coin * shares.length) return shares
  return shares.map((part) => (part === largest ? { ...part, price: addDecimals(part.price, rest) } : part))
}

interface Part {
  readonly taxes: readonly number[]
  readonly account: number | null
  /** As the prices of the lines say, before rounding. */
  readonly price: number
}

/**
 * Lines with the same taxes and account together, the company's account of deposits where it has one; taxes
 * for each piece are for pieces, and deposits are none.
 */
async function partsOf(orders: Orders): Promise<Part[]> {
  const su = orders.sudo()
  const { company_id, order_line } = await su.one([
    'company_id.downpayment_account_id',
    'order_line.display_type',
    'order_line.is_downpayment',
    'order_line.product_id',
    'order_line.price_unit',
    'order_line.product_uom_qty',
    'order_line.discount',
    'order_line.tax_ids.amount_type',
  ])
  const lines = order_line.filter((line) => !line.display_type && !line.is_downpayment)
  const ofDeposits = company_id.downpayment_account_id?.id ?? null
  const products = [...new Set(lines.flatMap((line) => line.product_id?.id ?? []))]
  const accounts = await accountsOf(su.env.withCompany(company_id.id), products, 'income')
  const groups = Map.groupBy(lines, (line) => {
    const taxes = line.tax_ids.filter((tax) => tax.amount_type !== 'fixed').map(({ id }) => id)
    const account = ofDeposits ?? accounts.get(line.product_id?.id ?? 0) ?? null
    return JSON.stringify([taxes.toSorted((a, b) => a - b), account])
  })
  return [...groups].map(([key, group]) => {
    const [taxes, account] = JSON.parse(key) as [number[], number | null]
    return {
      taxes,
      account,
      price: group.reduce(
        (sum, line) => sum + line.price_unit * line.product_uom_qty * (1 - line.discount / 100),
        0,
      ),
    }
  })
}
