// Contacts (res.partner): their orders, and those of the people of a company.
import {
  computedTogether,
  type Environment,
  extend,
  implement,
  integer,
  monetary,
  type Of,
  one2many,
  text,
} from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import { BOOKKEEPERS } from '../account/index.ts'
import { countUpwards } from '../base/index.ts'

const partner = extend('res.partner', {
  fields: {
    sale_order_ids: one2many('sale.order', 'partner_id', { label: 'Sales Order', copy: false }),
    sale_order_count: integer({
      label: 'Sale Order Count',
      computed: true,
      groups: 'sales_team.group_sale_salesman',
    }),
    credit_to_invoice: monetary({
      label: 'Credit to Invoice',
      computed: true,
      groups: BOOKKEEPERS,
      help: "Amount of confirmed orders that is still to be invoiced, in the company's currency.",
    }),
    sale_warn_msg: text({
      label: 'Message for Sales Order',
      groups: 'base.group_user',
      help: 'Shown to users who create an order for the contact.',
    }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

/** Orders that the caller may see, of the contacts and of everybody below them. */
async function ordersBelow(env: Environment, ids: readonly number[]): Promise<Map<number, number>> {
  const orders = await env.model('sale.order').search([['partner_id', 'child_of', ids]])
  return countUpwards(env, ids, { ids: orders.ids, model: 'sale.order' })
}

/** By contact, of all orders of its company and the people there. */
async function leftToInvoice(env: Environment, ids: readonly number[]): Promise<Map<number, number>> {
  const su = env.sudo()
  const orders = await su.model('sale.order').search([
    ['partner_id.commercial_partner_id', 'in', [...ids]],
    ['state', '=', 'sale'],
    ['invoice_status', '=', 'to invoice'],
    ['company_id', 'in', [...env.companyIds]],
  ])
  const rows = await orders.load(['partner_id.commercial_partner_id', 'amount_to_invoice', 'currency_rate'])
  const sums = new Map(ids.map((id) => [id, 0]))
  for (const order of rows) {
    const id = order.partner_id.commercial_partner_id?.id ?? order.partner_id.id
    sums.set(id, addDecimals(sums.get(id) ?? 0, order.amount_to_invoice / (order.currency_rate || 1)))
  }
  return sums
}

export default implement(partner, {
  computed: {
    credit_to_invoice: computedTogether(partner, [], (partners, env) =>
      leftToInvoice(
        env,
        partners.map(({ id }) => id),
      ),
    ),
    sale_order_count: computedTogether(partner, [], (partners, env) =>
      ordersBelow(
        env,
        partners.map(({ id }) => id),
      ),
    ),
  },
})
