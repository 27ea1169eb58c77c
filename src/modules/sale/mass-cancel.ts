// The form that cancels several orders (sale.mass.cancel.orders).
import { boolean, computed, implement, integer, many2many, type Of, transient } from '#models'
import { assertNoneMissing, givenIds } from '../base/index.ts'

const form = transient('sale.mass.cancel.orders', {
  label: 'Cancel multiple quotations',
  fields: {
    sale_order_ids: many2many('sale.order', { label: 'Orders' }),
    sale_orders_count: integer({ label: 'Number of Orders', computed: true }),
    has_confirmed_order: boolean({
      label: 'Has Confirmed Orders',
      computed: true,
      help: 'Some of the orders are no longer quotations.',
    }),
  },
  methods: { action_mass_cancel: { doc: 'Cancels the orders: all of them or none.', params: {} } },
})

declare module '#models' {
  interface Models {
    'sale.mass.cancel.orders': SaleMassCancelOrders
  }
  interface SaleMassCancelOrders extends Of<typeof form> {}
}

export default implement(form, {
  defaults: {
    sale_order_ids: ({ context: { active_ids: ids } }) => [[6, 0, givenIds(ids)]] as const,
  },
  computed: {
    sale_orders_count: computed(form, ['sale_order_ids'], (one) => one.sale_order_ids.length),
    has_confirmed_order: computed(form, ['sale_order_ids.state'], (one) =>
      one.sale_order_ids.some(({ state }) => state === 'sale'),
    ),
  },
  methods: {
    action_mass_cancel: async (forms) => {
      const rows = await forms.load(['sale_order_ids'])
      assertNoneMissing(forms, rows)
      const ids = rows.flatMap((row) => row.sale_order_ids.map(({ id }) => id))
      if (ids.length)
        await forms.env
          .model('sale.order')
          .browse([...new Set(ids)])
          .action_cancel()
      return null
    },
  },
})
