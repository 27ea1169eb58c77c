// The form that pays orders in the back office (pos.make.payment): in parts, until an order is complete.

import { char, datetime, float, implement, many2one, type Of, type Records, transient } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { actionMethod, readonlyActionMethod, shownWindow } from '../../base/index.ts'
import { coinPaths, coinsOf, inCoins } from './amounts.ts'
import { arePaid, payOrders } from './paying.ts'

const form = transient('pos.make.payment', {
  label: 'Point of Sale Make Payment Wizard',
  fields: {
    config_id: many2one('pos.config', { label: 'Point of Sale Configuration', required: true }),
    amount: float({ label: 'Amount', required: true, digits: 0 }),
    payment_method_id: many2one('pos.payment.method', { label: 'Payment Method', required: true }),
    payment_name: char({ label: 'Payment Reference' }),
    payment_date: datetime({ label: 'Payment Date', required: true }),
  },
  methods: {
    check: actionMethod(
      'Adds the payment to the order of the context, and completes the order when that settles it.',
    ),
    launch_payment: readonlyActionMethod('Opens the form for the order of the context.'),
  },
})

declare module '#models' {
  interface Models {
    'pos.make.payment': PosMakePayment
  }
  interface PosMakePayment extends Of<typeof form> {}
}

type Forms = Records<'pos.make.payment'>

const activeOrder = ({ env }: { readonly env: Forms['env'] }) =>
  isInteger(env.context.active_id) ? env.context.active_id : null

const loadRounding = (orders: Records<'pos.order'>) => orders.sudo().one(coinPaths)
type RoundedOrder = Awaited<ReturnType<typeof loadRounding>>

const rounded = (amount: number, { config_id: config }: RoundedOrder, isCash: boolean): number =>
  inCoins(amount, coinsOf(config, isCash))

const offered = (order: number): object =>
  shownWindow({
    name: 'Payment',
    res_model: 'pos.make.payment',
    view_mode: 'form',
    target: 'new',
    context: { active_id: order, active_ids: [order] },
  })

/** Throws UserError where the context names no order. */
function launch(forms: Forms): object {
  const id = activeOrder(forms)
  if (id === null) throw new UserError('No order in the context: open this form from an order.')
  return offered(id)
}

async function pay(forms: Forms): Promise<object> {
  const id = activeOrder(forms)
  if (id === null) throw new UserError('No order in the context: open this form from an order.')
  const { env } = forms
  const { amount, payment_method_id, payment_name, payment_date } = await forms.one([
    'amount',
    'payment_method_id.is_cash_count',
    'payment_name',
    'payment_date',
  ])
  const order = env.model('pos.order').browse([id])
  const { state } = await order.one(['state'])
  if (state !== 'draft') throw new UserError('This order is complete: further payments are not possible.')
  const paid = rounded(amount, await loadRounding(order), payment_method_id.is_cash_count)
  if (paid !== 0)
    await order.add_payment({
      data: {
        amount: paid,
        payment_method_id: payment_method_id.id,
        name: payment_name ?? false,
        payment_date,
      },
    })
  if (!(await arePaid(order))) return offered(id)
  await payOrders(order)
  return { type: 'ir.actions.act_window_close' }
}

export default implement(form, {
  defaults: {
    payment_date: (env) => nowUtc(env.now()),
    config_id: async (env) => {
      const id = activeOrder({ env })
      if (id === null) return null
      return (await env.model('pos.order').browse([id]).one(['config_id'])).config_id?.id ?? null
    },
    amount: async (env) => {
      const id = activeOrder({ env })
      if (id === null) return 0
      const order = env.model('pos.order').browse([id])
      const { amount_total, amount_paid } = await order.one(['amount_total', 'amount_paid'])
      return rounded(addDecimals(amount_total, -amount_paid), await loadRounding(order), false)
    },
    payment_method_id: async (env) => {
      const id = activeOrder({ env })
      if (id === null) return null
      const { config_id } = await env.model('pos.order').browse([id]).one(['config_id.payment_method_ids'])
      return config_id?.payment_method_ids[0]?.id ?? null
    },
  },
  methods: { check: pay, launch_payment: launch },
})
