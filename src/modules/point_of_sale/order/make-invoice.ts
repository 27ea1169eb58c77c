// The form that invoices several orders at once (pos.make.invoice).
import { boolean, computedTogether, implement, integer, type Of, transient } from '#models'
import { UserError } from '../../../errors.ts'
import { actionMethod, givenIds } from '../../base/index.ts'

const form = transient('pos.make.invoice', {
  label: 'Invoices of Orders',
  fields: {
    consolidated_billing: boolean({
      label: 'One Invoice for Several Orders',
      help: 'Not offered: each order of a till has an invoice of its own.',
    }),
    count: integer({ label: 'Number of Orders', computed: true }),
  },
  methods: {
    action_create_invoices: actionMethod('Invoices the orders of the context, and shows the invoices.'),
  },
})

declare module '#models' {
  interface Models {
    'pos.make.invoice': PosMakeInvoice
  }
  interface PosMakeInvoice extends Of<typeof form> {}
}

const namedIn = (context: { readonly active_ids?: unknown }): number[] =>
  Array.isArray(context.active_ids) ? givenIds(context.active_ids) : []

export default implement(form, {
  computed: {
    count: computedTogether(
      form,
      [],
      async (forms, env) => new Map(forms.map(({ id }) => [id, namedIn(env.context).length])),
    ),
  },
  methods: {
    action_create_invoices: async (forms) => {
      const { consolidated_billing } = await forms.one(['consolidated_billing'])
      if (consolidated_billing)
        throw new UserError('A common invoice is not supported: each order of a till has its own invoice.')
      const ids = namedIn(forms.env.context)
      if (ids.length === 0) throw new UserError('No orders in the context: open this form from orders.')
      return forms.env.model('pos.order').browse(ids).action_pos_order_invoice()
    },
  },
})
