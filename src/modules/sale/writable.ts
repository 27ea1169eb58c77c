// Writable fields of orders by their state. Prices and quantities of a confirmed order may still be agreed
// anew, until it is locked; the customer, the date and the signature stay.
import { writable } from '#models'
import { guardPaths } from './line-guards.ts'

const notes = ['client_order_ref', 'reference', 'user_id', 'team_id', 'tag_ids'] as const

export const orderWritable = writable<'sale.order'>({
  state: 'state',
  only: { 'sales_team.group_sale_salesman': 'all' },
  lock: 'locked',
  open: ['draft', 'sent'],
  once: ['name'],
  server: ['locked', 'signature', 'signed_by', 'signed_on', 'access_token', 'pending_email_template_id'],
  later: {
    sale: [
      ...notes,
      'note',
      'origin',
      'commitment_date',
      'partner_invoice_id',
      'partner_shipping_id',
      'payment_term_id',
      'fiscal_position_id',
      'validity_date',
    ],
    locked: notes,
    cancel: notes,
  },
  removed: ['draft', 'sent', 'cancel'],
})

const agreed = [
  'sequence',
  'product_id',
  'name',
  'product_uom_qty',
  'product_uom_id',
  'tax_ids',
  'price_unit',
  'discount',
  'customer_lead',
  'qty_delivered',
  'is_expense',
] as const

/**
 * The kind of a line does not change; invoicing marks deposits. The state of an invoice decides whether it
 * may be tied to a line. Lines of a cancelled order may change as those of a confirmed one: it can go back to
 * a quotation.
 */
export const lineWritable = writable<'sale.order.line'>({
  partOf: 'order_id',
  only: { 'sales_team.group_sale_salesman': 'all' },
  once: ['display_type'],
  server: ['is_downpayment', 'extra_tax_data'],
  always: ['invoice_lines'],
  later: {
    sale: agreed,
    locked: ['sequence', 'qty_delivered'],
    cancel: agreed,
  },
  // Of a lock too (recorded): the lines that were agreed are what it keeps.
  added: ['draft', 'sent', 'sale', 'locked', 'cancel'],
  along: [...guardPaths, 'display_type'],
  removed: ['draft', 'sent', 'sale', 'cancel'],
})
