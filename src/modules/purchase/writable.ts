// Writable fields of purchase orders by their state. A lock keeps an order from getting more lines; its
// existing lines still take changes (recorded). A cancelled order can be a draft again, so its lines
// stay open.
import { writable } from '#models'

const notes = ['partner_ref', 'user_id', 'priority', 'origin', 'note'] as const
const agreed = [
  'sequence',
  'product_id',
  'name',
  'product_qty',
  'product_uom_id',
  'date_planned',
  'tax_ids',
  'price_unit',
  'discount',
  'qty_received',
  'qty_received_manual',
] as const

export const orderWritable = writable<'purchase.order'>({
  state: 'state',
  only: { 'purchase.group_purchase_user': 'all' },
  lock: 'locked',
  open: ['draft', 'sent', 'to approve'],
  once: ['name'],
  server: ['locked', 'access_token'],
  later: {
    purchase: [...notes, 'date_planned', 'payment_term_id', 'fiscal_position_id', 'dest_address_id'],
    locked: notes,
    cancel: notes,
  },
  removed: ['draft', 'sent', 'to approve', 'cancel'],
})

export const lineWritable = writable<'purchase.order.line'>({
  partOf: 'order_id',
  only: { 'purchase.group_purchase_user': 'all' },
  once: ['display_type'],
  server: ['is_downpayment', 'invoice_lines'],
  later: { purchase: agreed, locked: agreed, cancel: agreed },
  added: ['draft', 'sent', 'to approve', 'purchase', 'cancel'],
  removed: ['draft', 'sent', 'to approve', 'purchase', 'cancel'],
})
