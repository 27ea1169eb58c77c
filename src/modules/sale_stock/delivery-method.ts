// Method by which the delivered quantity of a line is known (sale.order.line): goods are delivered by
// moves.
import { computed, extend, implement, selection } from '#models'

/**
 * The type that the module `sale` gives the field stands: code that asks for the further option compares it
 * as text.
 */
const line = extend('sale.order.line', {
  fields: {
    qty_delivered_method: selection(
      { manual: 'Manual', analytic: 'Analytic From Expenses', stock_move: 'Stock Moves' },
      { label: 'Method to update delivered qty', computed: true, stored: true },
    ),
  },
})

/** Whether moves say what of a line was delivered. */
export const isDeliveredByMoves = (record: { readonly qty_delivered_method: string | null }): boolean =>
  record.qty_delivered_method === 'stock_move'

export default implement(line, {
  computed: {
    qty_delivered_method: computed(
      line,
      ['display_type', 'is_expense', 'product_id.product_tmpl_id.type'],
      (line) => {
        if (line.display_type) return null
        if (line.is_expense) return 'analytic'
        return line.product_id?.product_tmpl_id.type === 'consu' ? 'stock_move' : 'manual'
      },
    ),
  },
})
