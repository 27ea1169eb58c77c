// Audited fields of purchases: states, and changes of orders after they are confirmed.
import { audited } from '#models'

const bound = ['purchase', 'done', 'cancel']

export const auditedModels = [
  audited('res.company', { fields: ['po_lock', 'po_double_validation', 'po_double_validation_amount'] }),
  audited('purchase.order', {
    fields: ['state', 'locked'],
    later: {
      state: 'state',
      in: bound,
      fields: ['partner_id', 'currency_id', 'payment_term_id', 'fiscal_position_id', 'date_order'],
    },
    unlink: ['amount_total'],
  }),
  audited('purchase.order.line', {
    later: {
      state: 'order_id.state',
      in: bound,
      fields: ['product_id', 'product_qty', 'price_unit', 'discount', 'tax_ids', 'product_uom_id'],
    },
  }),
]
