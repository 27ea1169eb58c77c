// Payments of orders (pos.payment): with a method of the point of sale; change is a payment back.

import { randomUUID } from 'node:crypto'
import {
  boolean,
  char,
  computed,
  datetime,
  type Environment,
  float,
  implement,
  many2one,
  model,
  monetary,
  type Of,
  type Records,
  type Vals,
} from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { assertTakes } from '../order/session-of-order.ts'
import { sealTills } from '../sealing.ts'
import { tillPaymentWritable } from '../writable.ts'

export const payment = model('pos.payment', {
  label: 'Point of Sale Payments',
  order: 'id',
  rules: { uuid_unique: { unique: ['uuid'], message: 'A payment with this uuid already exists.' } },
  fields: {
    name: char({ label: 'Label' }),
    uuid: char({ label: 'Uuid', readonly: true, copy: false }),
    pos_order_id: many2one('pos.order', { label: 'Order', required: true, ondelete: 'cascade', index: true }),
    session_id: many2one('pos.session', { label: 'Session', index: true, ondelete: 'restrict' }),
    company_id: many2one('res.company', { label: 'Company', index: true, ondelete: 'restrict' }),
    currency_id: many2one('res.currency', { label: 'Currency', asStored: false, ondelete: 'restrict' }),
    currency_rate: float({ label: 'Currency Rate', related: 'pos_order_id.currency_rate' }),
    amount: monetary({ label: 'Amount', required: true }),
    payment_method_id: many2one('pos.payment.method', {
      label: 'Payment Method',
      required: true,
      ondelete: 'restrict',
      index: true,
    }),
    payment_date: datetime({ label: 'Date', required: true }),
    partner_id: many2one('res.partner', { label: 'Customer', related: 'pos_order_id.partner_id' }),
    user_id: many2one('res.users', { label: 'User', related: 'session_id.user_id' }),
    is_change: boolean({ label: 'Is this payment change?', default: false }),
    card_type: char({ label: 'Type of card used' }),
    card_brand: char({ label: 'Brand of card' }),
    card_no: char({ label: 'Card Number(Last 4 Digit)' }),
    cardholder_name: char({ label: 'Card Owner name' }),
    payment_ref_no: char({ label: 'Payment reference number' }),
    payment_method_authcode: char({ label: 'Payment APPR Code' }),
    payment_method_issuer_bank: char({ label: 'Payment Issuer Bank' }),
    payment_method_payment_mode: char({ label: 'Payment Mode' }),
    transaction_id: char({ label: 'Payment Transaction ID' }),
    payment_status: char({ label: 'Payment Status' }),
    ticket: char({ label: 'Payment Receipt Info' }),
    account_move_id: many2one('account.move', {
      label: 'Journal Entry',
      index: 'set',
      readonly: true,
      ondelete: 'set null',
    }),
  },
})

declare module '#models' {
  interface Models {
    'pos.payment': PosPayment
  }
  interface PosPayment extends Of<typeof payment> {}
}

type PaymentVals = Vals<'pos.payment'>

/**
 * Values with what payments take from their orders. Throws ValidationError for methods that the point of sale
 * does not take.
 */
async function completed(env: Environment, list: readonly PaymentVals[]): Promise<PaymentVals[]> {
  const isBare = (vals: PaymentVals) => !env.su || vals.session_id === undefined
  const bare = list.filter(isBare)
  if (bare.length === 0) return [...list]
  const orders = await env
    .sudo()
    .model('pos.order')
    .browse([...new Set(bare.flatMap(({ pos_order_id: id }) => (isInteger(id) ? [id] : [])))])
    .load(['session_id', 'company_id', 'currency_id', 'state', 'config_id.payment_method_ids'])
  const orderById = new Map(orders.map((order) => [order.id, order]))
  return list.map((vals) => {
    const order = isBare(vals) ? orderById.get(vals.pos_order_id as number) : undefined
    if (!order) return vals
    if (!env.su && order.state !== 'draft') throw new UserError('Payments cannot be added to a paid order.')
    assertTakes(order.config_id?.payment_method_ids ?? [], [vals.payment_method_id])
    return {
      ...vals,
      session_id: order.session_id.id,
      company_id: order.company_id?.id ?? false,
      currency_id: order.currency_id?.id ?? false,
    }
  })
}

/** Throws UserError for entries of payments: closing matches what they name. */
function assertGiven(
  { env }: Records<'pos.payment'>,
  list: readonly Readonly<Record<string, unknown>>[],
): void {
  if (!env.su && list.some((vals) => vals.account_move_id))
    throw new UserError('Entries of payments cannot be set: the server creates them.')
}

/** Throws UserError for payments of orders that are paid: they stay. */
async function assertOpen(payments: Records<'pos.payment'>): Promise<void> {
  const kept = await payments.env.rows(
    sql`SELECT 1 FROM pos_payment p JOIN pos_order o ON o.id = p.pos_order_id
    WHERE p.id = ANY(${idList(payments.ids)}) AND o.state NOT IN ('draft', 'cancel') LIMIT 1`,
    { reads: ['pos.payment', 'pos.order'], row: ['int'] },
  )
  if (kept.length)
    throw new UserError('Payments of a paid order cannot be changed: refund the order instead.')
}

interface Change {
  readonly ids: readonly number[]
  readonly vals: PaymentVals
}

const leading: readonly string[] = ['payment_method_id', 'pos_order_id']

/** Changes with what follows from the order that payments lead to; methods must be those of its till. */
async function followed(
  payments: Records<'pos.payment'>,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const { env } = payments
  const rows = await payments.sudo().load(['pos_order_id', 'payment_method_id'])
  const before = new Map(rows.map((row) => [row.id, row]))
  const list: Change[] = []
  for (const { ids, vals } of changes) {
    const whole = ids.map((id) => ({
      pos_order_id: vals.pos_order_id ?? before.get(id)?.pos_order_id.id,
      payment_method_id: vals.payment_method_id ?? before.get(id)?.payment_method_id.id,
    }))
    const [first] = leading.some((name) => name in vals) ? await completed(env, whole as PaymentVals[]) : []
    const { payment_method_id: _, ...ofOrder } = first ?? {}
    list.push({ ids, vals: 'pos_order_id' in vals ? { ...ofOrder, ...vals } : vals })
  }
  return list
}

const fixed: readonly string[] = [
  'amount',
  'payment_method_id',
  'pos_order_id',
  'is_change',
  'session_id',
  'uuid',
]

export default implement(payment, {
  writable: tillPaymentWritable,
  // Orders, lines and sessions have their tables by now too.
  init: sealTills,
  displayName: computed(payment, ['name', 'amount'], (payment) =>
    payment.name ? `${payment.name} ${payment.amount}` : String(payment.amount),
  ),
  defaults: { payment_date: (env) => nowUtc(env.now()), uuid: () => randomUUID() },
  wrapCreate: (next) => async (payments, list) => {
    await assertAllowed(payments.browse([]), 'create')
    assertGiven(payments, list)
    return next(payments, await completed(payments.env, list))
  },
  wrapWrite: (next) => async (payments, changes) => {
    assertGiven(
      payments,
      changes.map(({ vals }) => vals),
    )
    if (payments.env.su || !changes.some(({ vals }) => fixed.some((name) => name in vals)))
      return next(payments, changes)
    await assertOpen(payments)
    return next(payments, await followed(payments, changes))
  },
  wrapGeneric: {
    unlink: (next) => async (payments, params) => {
      if (!payments.env.su) await assertOpen(payments)
      return next(payments, params)
    },
  },
})
