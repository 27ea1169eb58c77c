// Transfers (stock.picking): the order that they deliver, or take back.
import { computed, extend, implement, many2one, type Of } from '#models'

const picking = extend('stock.picking', {
  fields: {
    sale_id: many2one('sale.order', {
      label: 'Sales Order',
      computed: true,
      stored: true,
      index: true,
      ondelete: 'set null',
    }),
  },
})

declare module '#models' {
  interface StockPicking extends Of<typeof picking> {}
}

export default implement(picking, {
  computed: {
    sale_id: computed(
      picking,
      ['move_ids.sale_line_id.order_id'],
      (one) => one.move_ids.find((move) => move.sale_line_id)?.sale_line_id?.order_id ?? null,
      { editable: true },
    ),
  },
})
