// Orders have threads, and are sent to vendors by the form for mails.
import { extend, implement, type Of, returns } from '#models'
import { composing, withActivities } from '../mail/index.ts'

const order = extend('purchase.order', {
  fields: {},
  methods: {
    action_rfq_send: {
      doc: 'The form by which orders are sent to their vendors.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
}

const sending = implement(order, { methods: { action_rfq_send: (orders) => composing(orders) } })

export const purchaseThreads = [withActivities('purchase.order'), sending]
