// Lots (stock.lot): the sales orders that they were delivered for.
import { computedFields, extend, implement, integer, many2many, type Of, type Records } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { assertAllowed, readableLinks, readonlyActionMethod, shownWindow } from '../base/index.ts'

const lot = extend('stock.lot', {
  fields: {
    sale_order_ids: many2many('sale.order', { label: 'Sales Orders', computed: true }),
    sale_order_count: integer({ label: 'Number of Sales Orders', computed: true }),
  },
  methods: {
    action_view_so: readonlyActionMethod('Shows the sales orders of lots.'),
  },
})

declare module '#models' {
  interface StockLot extends Of<typeof lot> {}
}

export default implement(lot, {
  computed: computedFields(lot, ['sale_order_ids', 'sale_order_count'], [], async (lots, env) => {
    const rows = await env.rows(
      sql`SELECT DISTINCT d.lot_id, o.order_id FROM stock_move_line d JOIN stock_move m ON m.id = d.move_id
        JOIN sale_order_line o ON o.id = m.sale_line_id WHERE d.lot_id = ANY(${idList(lots.map(({ id }) => id))}) AND d.state = 'done' ORDER BY 2`,
      { reads: ['stock.move.line', 'stock.move', 'sale.order.line'], row: ['int', 'int'] },
    )
    const orders = await readableLinks(env.model('sale.order'), rows)
    return new Map(
      lots.map(({ id }) => {
        const ids = orders.get(id) ?? []
        return [id, { sale_order_ids: ids, sale_order_count: ids.length }]
      }),
    )
  }),
  methods: {
    action_view_so: async (lots: Records<'stock.lot'>) => {
      await assertAllowed(lots, 'read')
      const rows = await lots.load(['sale_order_ids'])
      const ids = rows.flatMap((row) => row.sale_order_ids.map(({ id }) => id))
      return shownWindow({
        name: 'Sales Orders',
        res_model: 'sale.order',
        view_mode: 'list,form',
        domain: [['id', 'in', [...new Set(ids)]]],
      })
    },
  },
})
