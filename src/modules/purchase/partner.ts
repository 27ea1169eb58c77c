// Contacts (res.partner): who buys from them, in which currency, and their orders.
import {
  boolean,
  computedTogether,
  extend,
  implement,
  integer,
  many2one,
  type Of,
  one2many,
  text,
} from '#models'
import { countUpwards } from '../base/index.ts'

const partner = extend('res.partner', {
  fields: {
    property_purchase_currency_id: many2one('res.currency', {
      label: 'Supplier Currency',
      companyDependent: true,
      help: 'Currency of purchase orders to the vendor; empty: that of the company.',
    }),
    buyer_id: many2one('res.users', { label: 'Buyer' }),
    purchase_line_ids: one2many('purchase.order.line', 'partner_id', {
      label: 'Purchase Lines',
      copy: false,
    }),
    purchase_order_count: integer({
      label: 'Purchase Order Count',
      computed: true,
      groups: 'purchase.group_purchase_user',
    }),
    receipt_reminder_email: boolean({
      label: 'Remind of Receipts',
      help: 'The vendor is asked to confirm the day of a receipt before it comes.',
    }),
    reminder_date_before_receipt: integer({
      label: 'Days Before Receipts',
      default: 1,
      help: 'The vendor is reminded so many days before.',
    }),
    purchase_warn_msg: text({
      label: 'Message for Purchase Order',
      groups: 'base.group_user',
      help: 'Shown to users who create an order for the contact.',
    }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

export default implement(partner, {
  computed: {
    purchase_order_count: computedTogether(partner, [], async (partners, env) => {
      const ids = partners.map(({ id }) => id)
      const orders = await env.model('purchase.order').search([['partner_id', 'child_of', ids]])
      return countUpwards(env, ids, { ids: orders.ids, model: 'purchase.order' })
    }),
  },
})
