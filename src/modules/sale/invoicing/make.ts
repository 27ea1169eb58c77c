// Invoices from orders: what is to be invoiced, with its headings and notes, and deposits taken off; orders
// of one customer share one.

import type { Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { createDocuments, fixedOf, joined, trusted, withHeadings } from '../../account/index.ts'
import { assertAllowed } from '../../base/index.ts'

type Orders = Records<'sale.order'>
type LineVals = Vals<'account.move.line'>

const paths = [
  'name',
  'client_order_ref',
  'company_id',
  'currency_id',
  'partner_invoice_id',
  'partner_shipping_id',
  'fiscal_position_id',
  'payment_term_id',
  'preferred_payment_method_line_id',
  'user_id',
  'team_id',
  'journal_id',
  'campaign_id',
  'source_id',
  'medium_id',
  'note',
  'order_line.display_type',
  'order_line.is_downpayment',
  'order_line.name',
  'order_line.sequence',
  'order_line.product_id',
  'order_line.product_uom_id',
  'order_line.qty_to_invoice',
  'order_line.price_unit',
  'order_line.discount',
  'order_line.tax_ids',
  'order_line.extra_tax_data',
  'order_line.analytic_distribution',
  'order_line.invoice_lines.account_id',
  'order_line.invoice_lines.is_downpayment',
] as const

const load = (orders: Orders) => orders.sudo().load([...paths])
export type Invoiceable = Awaited<ReturnType<typeof load>>[number]
type OrderLine = Invoiceable['order_line'][number]

export interface InvoiceOptions {
  /** Deposits are deducted, and what comes to less than nothing is a credit note. */
  readonly final: boolean
  /** Orders with one invoice address, delivery address, currency, position and journal share an invoice. */
  readonly consolidated: boolean
}

/**
 * Creates draft invoices and returns their ids, without a check of the caller's rights to invoices.
 * Throws UserError if there is nothing to invoice.
 */
export async function makeInvoices(
  orders: Orders,
  { final, consolidated }: InvoiceOptions,
): Promise<number[]> {
  await assertAllowed(orders, 'write')
  const rows = await load(orders)
  const drafts = rows
    .map((row) => ({ order: row, lines: linesOf(row, final) }))
    .filter(({ lines }) => lines.length > 0)
  if (drafts.length === 0)
    throw new UserError('Nothing to invoice: the lines are fully invoiced, or not delivered yet.')
  const key = ({ order }: (typeof drafts)[number]) =>
    consolidated
      ? [
          order.company_id.id,
          order.partner_invoice_id?.id,
          order.partner_shipping_id?.id,
          order.currency_id?.id,
          order.fiscal_position_id?.id,
          order.journal_id?.id,
        ].join()
      : String(order.id)
  const groups = [...Map.groupBy(drafts, key).values()]
  return createDocuments(
    orders.env,
    groups.map((group) =>
      headerOf(
        group.map(({ order }) => order),
        group.flatMap(({ lines }) => lines).map((line, sequence) => ({ ...line, sequence: sequence + 1 })),
      ),
    ),
    final,
  )
}

/** The header of an invoice for orders that share one. */
export function headerOf(orders: readonly Invoiceable[], lines: readonly LineVals[]): Vals<'account.move'> {
  const first = present(orders[0])
  return {
    move_type: 'out_invoice',
    company_id: first.company_id.id,
    partner_id: first.partner_invoice_id?.id ?? false,
    partner_shipping_id: first.partner_shipping_id?.id ?? false,
    ...(first.currency_id && { currency_id: first.currency_id.id }),
    fiscal_position_id: first.fiscal_position_id?.id ?? false,
    invoice_payment_term_id: first.payment_term_id?.id ?? false,
    preferred_payment_method_line_id: first.preferred_payment_method_line_id?.id ?? false,
    invoice_user_id: first.user_id?.id ?? false,
    team_id: first.team_id?.id ?? false,
    campaign_id: first.campaign_id?.id ?? false,
    source_id: first.source_id?.id ?? false,
    medium_id: first.medium_id?.id ?? false,
    ...(first.journal_id && { journal_id: first.journal_id.id }),
    invoice_origin: joined(orders.map((order) => order.name)),
    ref: joined(orders.map((order) => order.client_order_ref)).slice(0, 2000) || false,
    narration: first.note ?? false,
    invoice_line_ids: lines.map((line) => [0, 0, line]),
  }
}

/** Lines of an order to invoice; empty if only sections and notes are left. */
function linesOf(order: Invoiceable, final: boolean): LineVals[] {
  const isDue = (line: OrderLine) =>
    line.display_type === 'line_note' || line.qty_to_invoice > 0 || (final && line.qty_to_invoice < 0)
  const deposits = order.order_line.filter((line) => line.is_downpayment && !line.display_type && isDue(line))
  const due = withHeadings(
    order.order_line.filter((line) => !line.is_downpayment),
    isDue,
  )
  const counted = [...due, ...deposits].some((line) => !line.display_type)
  if (!counted) return []
  const section: LineVals[] = deposits.length ? [{ display_type: 'line_section', name: 'Down Payments' }] : []
  return [...due.map(lineOf), ...section, ...deposits.map(lineOf)]
}

function lineOf(line: OrderLine): LineVals {
  if (line.display_type)
    return { display_type: line.display_type, name: line.name, sale_line_ids: [[6, 0, [line.id]]] }
  const account = line.is_downpayment
    ? line.invoice_lines.find((invoiceLine) => invoiceLine.is_downpayment)?.account_id
    : null
  return {
    display_type: 'product',
    name: line.name,
    product_id: line.product_id?.id ?? false,
    product_uom_id: line.product_uom_id?.id ?? false,
    quantity: line.qty_to_invoice,
    price_unit: line.price_unit,
    discount: line.discount,
    tax_ids: [[6, 0, line.tax_ids.map(({ id }) => id)]],
    extra_tax_data: trusted(fixedOf(line.extra_tax_data)),
    is_downpayment: line.is_downpayment,
    sale_line_ids: [[6, 0, [line.id]]],
    ...(account ? { account_id: account.id } : {}),
    ...(line.analytic_distribution ? { analytic_distribution: line.analytic_distribution } : {}),
  }
}

export const loadInvoiceable = load
