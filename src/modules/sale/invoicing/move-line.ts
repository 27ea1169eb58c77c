// Lines of invoices (account.move.line): the lines of orders that they are for. Credit notes of an invoice
// are for the same lines.

import { extend, implement, many2many, type Of } from '#models'
import { present } from '../../../kit/present.ts'

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

export default implement(moveLine, {
  // Of a draft: programs that make invoices say what they bill.
  writable: { given: ['sale_line_ids'] },
  wrapGeneric: {
    copy_data: (next) => async (lines, params) => {
      const copies = (await next(lines, params)) as Record<string, unknown>[]
      if (!lines.env.context['server:keeps_orders']) return copies
      const rows = new Map(
        (await lines.sudo().load(['sale_line_ids'])).map((one) => [one.id, one.sale_line_ids]),
      )
      return copies.map((vals, i) => ({
        ...vals,
        sale_line_ids: [[6, 0, (rows.get(present(lines.ids[i])) ?? []).map(({ id }) => id)]],
      }))
    },
  },
})
