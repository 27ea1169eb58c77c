// Orders of tills (pos.order): how it is done. From tills: ../sync/; paying: paying.ts; refunds: refund.ts;
// invoices: ../invoicing/.
import { randomUUID } from 'node:crypto'
import { implement, type Records, type WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { invoiceByHand } from '../invoicing/invoice.ts'
import { answerOf } from '../sync/answer.ts'
import { syncFromUi } from '../sync/sync.ts'
import { orderWritable } from '../writable.ts'
import { order } from './contract.ts'
import { cancelDrafts, noteRemoval, removeDrafts } from './drafts.ts'
import { figures } from './figures.ts'
import { notedOrders, paidOrders } from './lists.ts'
import { completed } from './making.ts'
import { addPayment, payOrders } from './paying.ts'
import { refund } from './refund.ts'

type Orders = Records<'pos.order'>

/** What an order that is paid keeps. */
const kept: readonly string[] = [
  'uuid',
  'pos_reference',
  'session_id',
  'config_id',
  'company_id',
  'currency_id',
  'lines',
  'payment_ids',
  'amount_total',
  'amount_tax',
  'amount_paid',
  'amount_return',
  'refunded_order_id',
]

/** What the server itself says of an order: an entry that it names is shown to whoever sells. */
const ofServer: readonly string[] = ['account_move', 'price_check', 'checked_total', 'checked_tax']

/** Throws UserError for values that are the server's own. */
function assertGiven(orders: Orders, list: readonly Readonly<Record<string, unknown>>[]): void {
  if (orders.env.su) return
  if (list.some((vals) => ofServer.some((name) => vals[name])))
    throw new UserError('Invoices of orders and checks of their totals are made by the server alone.')
}

/** Throws UserError for states that nobody writes by hand, and for what orders that are paid keep. */
async function assertChanges(orders: Orders, changes: readonly WriteChange[]): Promise<void> {
  const { env } = orders
  if (env.su) return
  assertGiven(
    orders,
    changes.map(({ vals }) => vals),
  )
  const stated = changes.filter(({ vals }) => 'state' in vals)
  const concerned = changes.filter(({ vals }) => kept.some((name) => name in vals) || 'state' in vals)
  const ids = concerned.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const paid = await env.rows(
    sql`SELECT 1 FROM pos_order WHERE id = ANY(${idList(ids)}) AND state NOT IN ('draft', 'cancel') LIMIT 1`,
    { reads: ['pos.order'], row: ['int'] },
  )
  if (paid.length)
    throw new UserError('An order that is paid stays as it is: take its goods back in place of changing it.')
  if (stated.some(({ vals }) => vals.state !== 'draft'))
    throw new UserError('Orders are paid and cancelled by their own methods.')
}

export default implement(order, {
  writable: orderWritable,
  defaults: {
    user_id: (env) => env.uid,
    access_token: () => randomUUID(),
    date_order: (env) => nowUtc(env.now()),
  },
  computed: figures,
  methods: {
    sync_from_ui: (orders, { orders: given, partial }) => syncFromUi(orders, given, partial),
    read_pos_orders: async (orders, { domain }) =>
      answerOf(orders.env, (await orders.search(domain as never, { order: 'id' })).ids),
    search_paid_order_ids: paidOrders,
    get_noted_orders: notedOrders,
    remove_from_ui: (orders, { server_ids }) => removeDrafts(orders, server_ids),
    action_pos_order_cancel: cancelDrafts,
    action_pos_order_paid: payOrders,
    action_pos_order_invoice: invoiceByHand,
    add_payment: (orders, { data }) => addPayment(orders, data),
    refund,
    after_payment: () => null,
  },
  wrapCreate: (next) => async (orders, list) => {
    await orders.invoke('check_access_rights', { operation: 'create' })
    assertGiven(orders, list)
    if (!orders.env.su && list.some(({ state }) => state && state !== 'draft'))
      throw new UserError('Orders are paid and cancelled by their own methods.')
    return next(orders, await completed(orders.env, list))
  },
  wrapWrite: (next) => async (orders, changes) => {
    await assertChanges(orders, changes)
    return next(orders, changes)
  },
  wrapGeneric: {
    unlink: (next) => async (orders, params) => {
      await orders.invoke('check_access_rights', { operation: 'unlink' })
      const sold = await orders.env.rows(
        sql`SELECT name FROM pos_order WHERE id = ANY(${idList(orders.ids)}) AND state NOT IN ('draft', 'cancel') LIMIT 1`,
        { reads: ['pos.order'], row: ['text'] },
      )
      if (sold.length)
        throw new UserError(`${sold[0]?.[0]} is paid: only drafts and cancelled orders can be deleted.`)
      await noteRemoval(orders, 'pos.order.delete')
      return next(orders, params)
    },
  },
})
