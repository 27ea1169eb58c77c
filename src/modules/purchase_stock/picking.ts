// Transfers (stock.picking): the order that a receipt belongs to.
import { computed, datetime, extend, implement, many2one, type Of } from '#models'

const picking = extend('stock.picking', {
  fields: {
    purchase_id: many2one('purchase.order', {
      label: 'Purchase Orders',
      asStored: false,
      computed: true,
      stored: true,
      copy: false,
      index: 'set',
    }),
    days_to_arrive: datetime({ label: 'Arrived', computed: true, help: 'When it was done.' }),
    delay_pass: datetime({
      label: 'Ordered',
      computed: true,
      help: 'When the goods were ordered, else when they are planned.',
    }),
  },
})

declare module '#models' {
  interface StockPicking extends Of<typeof picking> {}
}

export default implement(picking, {
  computed: {
    days_to_arrive: computed(picking, ['state', 'date_done'], (picking) =>
      picking.state === 'done' ? picking.date_done : null,
    ),
    delay_pass: computed(
      picking,
      ['purchase_id.date_order', 'scheduled_date'],
      (picking) => picking.purchase_id?.date_order ?? picking.scheduled_date,
    ),
    purchase_id: computed(
      picking,
      ['move_ids.purchase_line_id.order_id'],
      (picking) => picking.move_ids.find((move) => move.purchase_line_id)?.purchase_line_id?.order_id ?? null,
    ),
  },
})
