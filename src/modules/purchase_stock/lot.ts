// Lots (stock.lot): the purchase orders that they were received for.
import { computedFields, extend, implement, integer, many2many, type Of } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { readableLinks } from '../base/index.ts'

const lot = extend('stock.lot', {
  fields: {
    purchase_order_ids: many2many('purchase.order', { label: 'Purchase Orders', computed: true }),
    purchase_order_count: integer({ label: 'Number of Purchase Orders', computed: true }),
  },
})

declare module '#models' {
  interface StockLot extends Of<typeof lot> {}
}

export default implement(lot, {
  computed: computedFields(lot, ['purchase_order_ids', 'purchase_order_count'], [], async (lots, env) => {
    const rows = await env.rows(
      sql`SELECT DISTINCT d.lot_id, o.order_id FROM stock_move_line d JOIN stock_move m ON m.id = d.move_id
        JOIN purchase_order_line o ON o.id = m.purchase_line_id WHERE d.lot_id = ANY(${idList(lots.map(({ id }) => id))}) AND d.state = 'done' ORDER BY 2`,
      { reads: ['stock.move.line', 'stock.move', 'purchase.order.line'], row: ['int', 'int'] },
    )
    const orders = await readableLinks(env.model('purchase.order'), rows)
    return new Map(
      lots.map(({ id }) => {
        const ids = orders.get(id) ?? []
        return [id, { purchase_order_ids: ids, purchase_order_count: ids.length }]
      }),
    )
  }),
})
