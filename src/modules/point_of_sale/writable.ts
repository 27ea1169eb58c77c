// Writable fields of tills by their state. Methods of sessions and orders record sales, payments and counts,
// which then stay.
import { writable } from '#models'

const open = ['opening_control', 'opened'] as const

export const sessionWritable = writable<'pos.session'>({
  state: 'state',
  open: ['opening_control'],
  once: ['config_id'],
  server: ['company_id', 'currency_id', 'user_id', 'rescue', 'access_token', 'login_number', 'changes'],
  later: { opened: ['opening_notes', 'closing_notes'], closing_control: ['closing_notes'] },
})

/** Customers are named after the sale too, until there is an invoice. */
export const orderWritable = writable<'pos.order'>({
  state: 'state',
  open: ['draft'],
  given: ['uuid', 'pos_reference', 'tracking_number'],
  once: ['config_id'],
  server: ['company_id', 'currency_id', 'currency_rate', 'access_token'],
  always: ['email', 'mobile', 'internal_note'],
  later: { paid: ['partner_id', 'to_invoice'], done: ['partner_id', 'to_invoice'] },
  removed: ['draft', 'cancel'],
  into: { session_id: open },
})

export const orderLineWritable = writable<'pos.order.line'>({
  partOf: 'order_id',
  given: ['uuid', 'tax_ids'],
  server: ['company_id', 'currency_id'],
  removed: ['draft', 'cancel'],
})

export const lotWritable = writable<'pos.pack.operation.lot'>({
  partOf: 'pos_order_line_id',
  removed: ['draft', 'cancel'],
})

export const tillPaymentWritable = writable<'pos.payment'>({
  partOf: 'pos_order_id',
  given: ['uuid'],
  server: ['company_id', 'currency_id', 'session_id'],
  removed: ['draft', 'cancel'],
})

/** Managers set tills up; cashiers may rename them (recorded). */
export const configWritable = writable<'pos.config'>({
  always: ['name'],
  only: { 'point_of_sale.group_pos_manager': 'all' },
})

/** Cash moves at a till are recorded by methods of its session. */
export const drawerWritable = writable<'account.bank.statement.line'>({
  partOf: 'pos_session_id',
  open: ['always'],
  server: ['pos_session_id'],
})
