// Contacts (res.partner): their orders, and those of the people of a company.
import { computedTogether, type Environment, extend, implement, integer, type Of, one2many, text } from '#models'

const partner = extend('res.partner', {
  fields: {
    sale_order_ids: one2many('sale.order', 'partner_id', { label: 'Sales Order', copy: false }),
    sale_order_count: integer({ label: 'Sale Order Count', computed: true, groups: 'sales_team.group_sale_salesman' }),
    sale_warn_msg: text({ label: 'Message for Sales Order', help: 'Said to whoever makes an order for the contact.' }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

/** Orders that the caller may see, of the contacts and of everybody below them. */
async function ordersBelow(env: Environment, ids: readonly number[]): Promise<Map<number, number>> {
  const orders = env.model('sale.order')
  const found = await orders.search([['partner_id', 'child_of', ids]])
  const customers = (await found.sudo().load(['partner_id'])).map((one) => one.partner_id.id)
  const above = new Map<number, number | null>()
  for (let open = [...new Set(customers)]; open.length; ) {
    const rows = await env.sudo().withContext({ active_test: false }).model('res.partner').browse(open).load(['parent_id'])
    for (const one of rows) above.set(one.id, one.parent_id?.id ?? null)
    open = [...new Set(rows.flatMap((one) => one.parent_id?.id ?? []))].filter((id) => !above.has(id))
  }
  const counts = new Map(ids.map((id) => [id, 0]))
  for (const customer of customers) {
    for (let here: number | null | undefined = customer; here; here = above.get(here)) {
      const count = counts.get(here)
      if (count !== undefined) counts.set(here, count + 1)
    }
  }
  return counts
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
