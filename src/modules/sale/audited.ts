// Audited fields of sales: states, and changes of orders after they are confirmed.
import { audited } from '#models'

const bound = ['sale', 'cancel']

export const auditedModels = [
  audited('res.company', {
    fields: [
      'quotation_validity_days',
      'portal_confirmation_sign',
      'portal_confirmation_pay',
      'prepayment_percent',
    ],
  }),
  audited('sale.order', {
    fields: ['state', 'locked'],
    later: {
      state: 'state',
      in: bound,
      fields: ['partner_id', 'pricelist_id', 'payment_term_id', 'fiscal_position_id', 'date_order'],
    },
    unlink: ['amount_total'],
  }),
  audited('sale.order.line', {
    later: {
      state: 'order_id.state',
      in: bound,
      fields: ['product_id', 'product_uom_qty', 'price_unit', 'discount', 'tax_ids', 'product_uom_id'],
    },
  }),
]
