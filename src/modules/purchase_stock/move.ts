// Moves (stock.move): the line of the order that each brings goods for, what its documents say these are
// worth, and the lines that buy what it waits for.
import { extend, idsWhere, implement, many2many, many2one, type Of } from '#models'
import { joinOrders } from './additions.ts'
import { documentValues } from './document-values.ts'

const reference = extend('stock.reference', {
  fields: {
    purchase_ids: many2many('purchase.order', {
      label: 'Purchase Orders',
      relation: { table: 'stock_reference_purchase_rel', column: 'reference_id', other: 'purchase_id' },
    }),
  },
})

const move = extend('stock.move', {
  fields: {
    purchase_line_id: many2one('purchase.order.line', {
      label: 'Purchase Order Line',
      ondelete: 'set null',
      index: 'set',
      readonly: true,
    }),
    created_purchase_line_ids: many2many('purchase.order.line', {
      label: 'Created Purchase Order Lines',
      copy: false,
      relation: {
        table: 'stock_move_created_purchase_line_rel',
        column: 'move_id',
        other: 'created_purchase_line_id',
      },
    }),
  },
})

declare module '#models' {
  interface StockReference extends Of<typeof reference> {}
  interface StockMove extends Of<typeof move> {}
}

export const referred = implement(reference)

export default implement(move, {
  writable: { server: ['created_purchase_line_ids'] },
  wrapWrite: (next) => async (moves, changes) => {
    const done = idsWhere(changes, (vals) => vals.state === 'done')
    if (done.length) await joinOrders(moves.env, done)
    return next(moves, changes)
  },
  wrap: {
    // Bills are for what came first of a line.
    sharing_documents: (next) => async (moves, params) => {
      const rows = await moves.load(['purchase_line_id'])
      const lines = new Set(rows.flatMap((row) => (row.purchase_line_id ? [row.purchase_line_id.id] : [])))
      const ids = (await next(moves, params)) as readonly number[]
      if (lines.size === 0) return ids
      const sharing = await moves.env.model('stock.move').search([
        ['purchase_line_id', 'in', [...lines]],
        ['state', '=', 'done'],
      ])
      return [...new Set([...ids, ...sharing.ids])]
    },
    document_values: (next) => async (moves, params) =>
      new Map([...(await next(moves, params)), ...(await documentValues(moves.env, params.quantities))]),
  },
})
