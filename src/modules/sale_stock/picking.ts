// Transfers (stock.picking): the order that they deliver, or take back.
import { computedFields, extend, implement, many2one, type Of } from '#models'

const picking = extend('stock.picking', {
  fields: {
    sale_id: many2one('sale.order', {
      label: 'Sales Order',
      computed: true,
      stored: true,
      copy: true,
      index: 'set',
      ondelete: 'set null',
    }),
  },
})

declare module '#models' {
  interface StockPicking extends Of<typeof picking> {}
}

export default implement(picking, {
  computed: {
    // Earlier steps get their order when they are created (deliver.ts), and keep it.
    ...computedFields(
      picking,
      ['sale_id'],
      ['move_ids.sale_line_id.order_id'],
      (pickings) =>
        new Map(
          pickings.map((picking) => {
            const line = picking.move_ids.find((move) => move.sale_line_id)?.sale_line_id
            return [picking.id, line ? { sale_id: line.order_id } : {}]
          }),
        ),
      { editable: true },
    ),
  },
})
