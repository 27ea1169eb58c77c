// Lines of bills (account.move.line): the line of an order that each is for. Credit notes of a bill are for
// the same lines.

import { extend, implement, many2one, type Of } from '#models'
import { present } from '../../../kit/present.ts'

const moveLine = extend('account.move.line', {
  fields: {
    purchase_line_id: many2one('purchase.order.line', {
      label: 'Purchase Order Line',
      ondelete: 'set null',
      copy: false,
      index: true,
    }),
    purchase_order_id: many2one('purchase.order', {
      label: 'Purchase Order',
      related: 'purchase_line_id.order_id',
    }),
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof moveLine> {}
}

export default implement(moveLine, {
  wrapGeneric: {
    copy_data: (next) => async (lines, params) => {
      const copies = (await next(lines, params)) as Record<string, unknown>[]
      if (!lines.env.context['server:keeps_orders']) return copies
      const rows = new Map(
        (await lines.sudo().load(['purchase_line_id'])).map((one) => [
          one.id,
          one.purchase_line_id?.id ?? false,
        ]),
      )
      return copies.map((vals, i) => ({
        ...vals,
        purchase_line_id: rows.get(present(lines.ids[i])) ?? false,
      }))
    },
  },
})
