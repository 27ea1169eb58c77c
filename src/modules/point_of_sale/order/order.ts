// Implementation of orders of tills (pos.order). From tills: ../sync/; paying: paying.ts; refunds:
// refund.ts; invoices: ../invoicing/.
import { randomUUID } from 'node:crypto'
import { implement } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { assertAllowed } from '../../base/index.ts'
import { invoiceByHand } from '../invoicing/invoice.ts'
import { answerOf } from '../sync/answer.ts'
import { syncFromUi } from '../sync/sync.ts'
import { orderWritable } from '../writable.ts'
import { order } from './contract.ts'
import { withOrderValues } from './creation.ts'
import { cancelDrafts, noteRemoval, removeDrafts } from './drafts.ts'
import { figures } from './figures.ts'
import { notedOrders, paidOrders } from './lists.ts'
import { addPayment, payOrders } from './paying.ts'
import { refund } from './refund.ts'
import { movedOrders } from './session-of-order.ts'

export default implement(order, {
  writable: orderWritable,
  defaults: {
    user_id: (env) => env.uid,
    access_token: () => randomUUID(),
    uuid: () => randomUUID(),
    date_order: (env) => nowUtc(env.now()),
  },
  computed: figures,
  methods: {
    sync_from_ui: (orders, { orders: sent, partial }) => syncFromUi(orders, sent, partial),
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
    await assertAllowed(orders.browse([]), 'create')
    return next(orders, await withOrderValues(orders.env, list))
  },
  wrapWrite: (next) => (orders, changes) => movedOrders(orders, changes, (list) => next(orders, list)),
  wrapGeneric: {
    unlink: (next) => async (orders, params) => {
      await assertAllowed(orders, 'unlink')
      await noteRemoval(orders, 'pos.order.delete')
      return next(orders, params)
    },
  },
})
