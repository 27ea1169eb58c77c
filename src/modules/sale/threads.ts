// Orders have threads, which note changes of their state, and are sent by the form for mails.
import { extend, implement, type Of, type Records } from '#models'
import { actionMethod } from '../base/index.ts'
import { composing, tracked, withActivities } from '../mail/index.ts'

const order = extend('sale.order', {
  fields: {},
  methods: {
    action_quotation_send: actionMethod(
      'The form by which orders are sent to their customers; quotations are marked as sent with it.',
    ),
  },
})

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
}

const sending = implement(order, {
  methods: {
    action_quotation_send: (orders) => composing(orders, { mark_so_as_sent: true }),
  },
  wrapGeneric: {
    message_post: (next) => async (records, params) => {
      const message = await next(records, params)
      if (records.env.context.mark_so_as_sent) await markDrafts(records)
      return message
    },
  },
})

async function markDrafts(orders: Records<'sale.order'>): Promise<void> {
  const drafts = (await orders.load(['state'])).filter(({ state }) => state === 'draft').map(({ id }) => id)
  if (drafts.length) await orders.browse(drafts).action_quotation_sent()
}

export const saleThreads = [withActivities('sale.order'), tracked('sale.order', 'state'), sending]
