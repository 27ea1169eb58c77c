// Transfers (stock.picking): the order that a receipt belongs to.
import { computed, extend, implement, many2one, type Of } from '#models'

const picking = extend('stock.picking', {
  fields: {
    purchase_id: many2one('purchase.order', {
      label: 'Purchase Orders',
      computed: true,
      stored: true,
      copy: false,
      index: true,
    }),
  },
})

declare module '#models' {
  interface StockPicking extends Of<typeof picking> {}
}

export default implement(picking, {
  computed: {
    purchase_id: computed(
      picking,
      ['move_ids.purchase_line_id.order_id'],
      (one) => one.move_ids.find((move) => move.purchase_line_id)?.purchase_line_id?.order_id ?? null,
    ),
  },
})
