// Lines of invoices (account.move.line): the lines of orders that they are for. Credit notes of an invoice
// are for the same lines.

import { type Environment, extend, implement, many2many, type Of } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { itemsOfOrders, KEEPS_ORDERS } from '../../account/index.ts'

const moveLine = extend('account.move.line', {
  fields: {
    sale_line_ids: many2many('sale.order.line', {
      label: 'Sales Order Lines',
      readonly: true,
      copy: false,
      relation: { table: 'sale_order_line_invoice_rel', column: 'invoice_line_id', other: 'order_line_id' },
    }),
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof moveLine> {}
}

/** Throws UserError where a line of an invoice names an order of another customer. */
export async function assertCustomers(env: Environment, items: readonly number[]): Promise<void> {
  const rows = await env
    .sudo()
    .model('account.move.line')
    .browse(items)
    .load([
      'move_id.commercial_partner_id',
      'sale_line_ids.order_id.name',
      ...customers.map((field) => `sale_line_ids.order_id.${field}.commercial_partner_id` as const),
    ])
  for (const { move_id: invoice, sale_line_ids: lines } of rows) {
    const payer = invoice.commercial_partner_id?.id
    const other = lines.find(({ order_id: order }) =>
      customers.every((field) => (order[field]?.commercial_partner_id ?? order[field])?.id !== payer),
    )
    if (payer && other)
      throw new UserError(
        `Order ${other.order_id.name} belongs to another customer than the invoice: choose an order of the same customer.`,
      )
  }
}

/** As `assertCustomers`, for all invoice lines of these order lines. */
export async function assertInvoicedParties(env: Environment, lines: readonly number[]): Promise<void> {
  const items = await env
    .sudo()
    .model('account.move.line')
    .search([['sale_line_ids', 'in', lines]])
  if (items.length) await assertCustomers(env, items.ids)
}

const customers = ['partner_id', 'partner_invoice_id', 'partner_shipping_id'] as const

export default implement(moveLine, {
  ...itemsOfOrders('sale_line_ids', assertCustomers),
  // On drafts: programs that create invoices name the order lines that they bill.
  writable: { given: ['sale_line_ids'] },
  wrapGeneric: {
    copy_data: (next) => async (lines, params) => {
      const copies = (await next(lines, params)) as Record<string, unknown>[]
      if (!lines.env.context[KEEPS_ORDERS]) return copies
      const rows = new Map(
        (await lines.sudo().load(['sale_line_ids'])).map((line) => [line.id, line.sale_line_ids]),
      )
      return copies.map((vals, i) => ({
        ...vals,
        sale_line_ids: [[6, 0, (rows.get(present(lines.ids[i])) ?? []).map(({ id }) => id)]],
      }))
    },
  },
})
