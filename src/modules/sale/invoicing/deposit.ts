// Down payment invoices: a share or a sum of an order, one line for each combination of taxes and
// account.
import type { Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import {
  accountsOf,
  createDocuments,
  exact,
  fixedOf,
  type HelperRequest,
  helperLinesOf,
  trusted,
} from '../../account/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { pricedPaths, quantityOf } from '../amounts.ts'
import { headerOf, loadInvoiceable } from './make.ts'

type Orders = Records<'sale.order'>

/** A down payment: a percentage of the order, or a sum with taxes. */
export type Deposit = { readonly percent: number } | { readonly sum: number }

/**
 * Adds the lines of a deposit to an order, and makes a draft of the invoice for it. Throws UserError for
 * several orders, and for amounts that are not positive.
 */
export async function makeDeposit(orders: Orders, deposit: Deposit): Promise<number[]> {
  if (orders.length !== 1) throw new UserError('A deposit can only be created for one order.')
  const amount = 'percent' in deposit ? deposit.percent : deposit.sum
  if (!(amount > 0)) throw new UserError('The amount of a deposit must be positive.')
  await assertAllowed(orders, 'write')
  const su = orders.sudo().env
  const [order] = await loadInvoiceable(orders)
  if (!order) return []
  const parts = await partsOf(
    orders,
    'percent' in deposit ? { share: exact(deposit.percent).div(100) } : deposit,
  )
  if (parts.length === 0) throw new UserError('The order has no lines that a deposit could be created for.')
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
  const createdLines = await lines.create([
    ...section,
    ...parts.map(
      ({ taxIds, priceUnit, fixed }): Vals<'sale.order.line'> => ({
        order_id: order.id,
        name: 'percent' in deposit ? `Down payment of ${deposit.percent}%` : 'Down Payment',
        is_downpayment: true,
        product_uom_qty: 0,
        price_unit: priceUnit,
        tax_ids: [[6, 0, taxIds]],
        extra_tax_data: trusted(fixed),
        sequence: last + 2,
      }),
    ),
  ])
  const depositLines = createdLines.ids.slice(section.length)
  const prices = await lines.browse(depositLines).load(['name', 'price_unit', 'tax_ids', 'extra_tax_data'])
  const items = prices.map(
    (line, i): Vals<'account.move.line'> => ({
      display_type: 'product',
      name: line.name,
      quantity: 1,
      price_unit: line.price_unit,
      tax_ids: [[6, 0, line.tax_ids.map(({ id }) => id)]],
      extra_tax_data: trusted(fixedOf(line.extra_tax_data)),
      is_downpayment: true,
      sale_line_ids: [[6, 0, [line.id]]],
      sequence: i + 1,
      ...(parts[i]?.group ? { account_id: parts[i]?.group as number } : {}),
    }),
  )
  return createDocuments(su, [headerOf([order], items)], false)
}

/**
 * The helper lines of a deposit, one for each set of taxes and account: the company's account of deposits
 * where it has one.
 */
async function partsOf(orders: Orders, request: HelperRequest) {
  const su = orders.sudo()
  const order = await su.one([
    'company_id.downpayment_account_id',
    'currency_id',
    'order_line.is_downpayment',
    'order_line.product_id',
    ...pricedPaths.map((path) => `order_line.${path}` as const),
  ])
  const { company_id: company, currency_id: currency } = order
  const lines = order.order_line.filter((line) => !line.display_type && !line.is_downpayment)
  const products = [...new Set(lines.flatMap((line) => line.product_id?.id ?? []))]
  const accounts = await accountsOf(su.env.withCompany(company.id), products, 'income')
  const ofDeposits = company.downpayment_account_id?.id ?? null
  return helperLinesOf(
    su.env,
    lines.map((line) => ({
      ...line,
      group: ofDeposits ?? accounts.get(line.product_id?.id ?? 0) ?? null,
    })),
    { company: company.id, currency: currency?.id ?? null },
    quantityOf,
    request,
  )
}
