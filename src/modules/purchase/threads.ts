// Orders have threads, and are sent to vendors by the form for mails.
import { extend, implement, type Of } from '#models'
import { actionMethod } from '../base/index.ts'
import { composing, tracked, withActivities } from '../mail/index.ts'

const order = extend('purchase.order', {
  fields: {},
  methods: {
    action_rfq_send: actionMethod('The form by which orders are sent to their vendors.'),
  },
})

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
}

const sending = implement(order, { methods: { action_rfq_send: (orders) => composing(orders) } })

export const purchaseThreads = [withActivities('purchase.order'), tracked('purchase.order', 'state'), sending]
