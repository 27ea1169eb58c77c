// Lines of bills (account.move.line): the line of an order that each is for. Credit notes of a bill are for
// the same lines.

import { type Environment, extend, implement, many2one, type Of } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { itemsOfOrders, KEEPS_ORDERS } from '../../account/index.ts'

const moveLine = extend('account.move.line', {
  fields: {
    purchase_line_id: many2one('purchase.order.line', {
      label: 'Purchase Order Line',
      ondelete: 'set null',
      copy: false,
      index: 'set',
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

/** Throws UserError where a line of a bill names an order to another vendor. */
export async function assertVendors(env: Environment, items: readonly number[]): Promise<void> {
  const rows = await env
    .sudo()
    .model('account.move.line')
    .browse(items)
    .load([
      'move_id.commercial_partner_id',
      'purchase_line_id.order_id.name',
      'purchase_line_id.order_id.partner_id.commercial_partner_id',
    ])
  for (const { move_id: bill, purchase_line_id: line } of rows) {
    const vendor = line?.order_id.partner_id.commercial_partner_id ?? line?.order_id.partner_id
    if (line && bill.commercial_partner_id && bill.commercial_partner_id.id !== vendor?.id)
      throw new UserError(
        `Order ${line.order_id.name} belongs to another vendor than the bill: choose an order of the same vendor.`,
      )
  }
}

export default implement(moveLine, {
  ...itemsOfOrders('purchase_line_id', assertVendors),
  wrapGeneric: {
    copy_data: (next) => async (lines, params) => {
      const copies = (await next(lines, params)) as Record<string, unknown>[]
      if (!lines.env.context[KEEPS_ORDERS]) return copies
      const rows = new Map(
        (await lines.sudo().load(['purchase_line_id'])).map((line) => [
          line.id,
          line.purchase_line_id?.id ?? false,
        ]),
      )
      return copies.map((vals, i) => ({
        ...vals,
        purchase_line_id: rows.get(present(lines.ids[i])) ?? false,
      }))
    },
  },
})
