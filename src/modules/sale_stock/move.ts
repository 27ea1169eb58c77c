// Moves of goods (stock.move): the line of an order that they deliver.
import { extend, idsWhere, implement, many2many, many2one, type Of } from '#models'
import { joinOrders } from './additions.ts'

const reference = extend('stock.reference', {
  fields: {
    sale_ids: many2many('sale.order', {
      label: 'Sales Orders',
      relation: { table: 'stock_reference_sale_rel', column: 'reference_id', other: 'sale_id' },
    }),
  },
})

const move = extend('stock.move', {
  fields: {
    sale_line_id: many2one('sale.order.line', { label: 'Sale Line', index: 'set', ondelete: 'set null' }),
  },
})

declare module '#models' {
  interface StockReference extends Of<typeof reference> {}
  interface StockMove extends Of<typeof move> {}
}

export const referred = implement(reference)

export default implement(move, {
  // The server ties moves to what they deliver: another line would count as delivered.
  writable: { server: ['sale_line_id'] },
  wrapWrite: (next) => async (moves, changes) => {
    const done = idsWhere(changes, (vals) => vals.state === 'done')
    if (done.length) await joinOrders(moves.env, done)
    return next(moves, changes)
  },
})
