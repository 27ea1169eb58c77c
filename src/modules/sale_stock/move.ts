// Moves of goods (stock.move): the line of an order that they deliver.
import { extend, implement, many2one, type Of } from '#models'

const move = extend('stock.move', {
  fields: {
    sale_line_id: many2one('sale.order.line', { label: 'Sale Line', index: true, ondelete: 'set null' }),
  },
})

declare module '#models' {
  interface StockMove extends Of<typeof move> {}
}

export default implement(move)
