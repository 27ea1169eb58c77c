// Contacts (res.partner): their orders, and those of the people of a company.
import {
  computedTogether,
  type Environment,
  extend,
  implement,
  integer,
  type Of,
  one2many,
  text,
} from '#models'
import { countUpwards } from '../base/index.ts'

const partner = extend('res.partner', {
  fields: {
    sale_order_ids: one2many('sale.order', 'partner_id', { label: 'Sales Order', copy: false }),
    sale_order_count: integer({
      label: 'Sale Order Count',
      computed: true,
      groups: 'sales_team.group_sale_salesman',
    }),
    sale_warn_msg: text({
      label: 'Message for Sales Order',
      help: 'Said to whoever makes an order for the contact.',
    }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

/** Orders that the caller may see, of the contacts and of everybody below them. */
async function ordersBelow(env: Environment, ids: readonly number[]): Promise<Map<number, number>> {
  const found = await env.model('sale.order').search([['partner_id', 'child_of', ids]])
  return countUpwards(env, ids, { ids: found.ids, model: 'sale.order' })
}

export default implement(partner, {
  computed: {
    sale_order_count: computedTogether(partner, [], (partners, env) =>
      ordersBelow(
        env,
        partners.map(({ id }) => id),
      ),
    ),
  },
})
