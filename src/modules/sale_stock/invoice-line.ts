// Lines of invoices (account.move.line): the moves that delivered what they are for.
import { extend, implement, type Records } from '#models'
import { present } from '../../kit/present.ts'
import type { DeliveredGoods } from '../account/index.ts'
import { convertQuantity } from '../uom/index.ts'
import { directionOf } from './delivered.ts'

const line = extend('account.move.line', { fields: {} })

async function deliveredGoods(lines: Records<'account.move.line'>): Promise<Map<number, DeliveredGoods>> {
  const rows = await lines
    .sudo()
    .load([
      'sale_line_ids.product_id.product_tmpl_id.uom_id.factor',
      'sale_line_ids.product_uom_id.factor',
      'sale_line_ids.qty_invoiced_posted',
      'sale_line_ids.invoice_lines.parent_state',
      'sale_line_ids.move_ids.state',
      'sale_line_ids.move_ids.date',
      'sale_line_ids.move_ids.product_id',
      'sale_line_ids.move_ids.to_refund',
      'sale_line_ids.move_ids.scrap_id',
      'sale_line_ids.move_ids.origin_returned_move_id',
      'sale_line_ids.move_ids.location_id.usage',
      'sale_line_ids.move_ids.location_dest_id.usage',
    ])
  const goods = new Map<number, DeliveredGoods>()
  for (const { id, sale_line_ids } of rows) {
    const [orderLine] = sale_line_ids
    if (!orderLine?.product_id || !orderLine.product_uom_id) continue
    const product = orderLine.product_id
    const doneMoves = orderLine.move_ids
      .filter((move) => move.state === 'done' && move.product_id.id === product.id)
      .toSorted((a, b) => present(a.date).localeCompare(present(b.date)) || a.id - b.id)
    const going = (direction: 1 | -1) =>
      doneMoves.filter((move) => directionOf(move) === direction).map((move) => move.id)
    const unit = product.product_tmpl_id.uom_id
    const invoiced = convertQuantity(orderLine.qty_invoiced_posted, orderLine.product_uom_id, unit, 'half-up')
    const documents = orderLine.invoice_lines.flatMap((item) =>
      item.parent_state === 'posted' ? [item.id] : [],
    )
    const origin = `order/${orderLine.id}`
    goods.set(id, { origin, moves: going(1), returns: going(-1), invoiced, documents })
  }
  return goods
}

export default implement(line, {
  wrap: {
    delivered_goods: (next) => async (lines, params) =>
      new Map([...(await next(lines, params)), ...(await deliveredGoods(lines))]),
  },
})
