// The form that invoices orders (sale.advance.payment.inv): what is due, or a deposit. The invoices: make.ts,
// deposit.ts.
import {
  boolean,
  char,
  float,
  implement,
  many2many,
  many2one,
  monetary,
  type Of,
  returns,
  selection,
  transient,
} from '#models'
import { shownRecords } from '../../base/index.ts'
import { makeDeposit } from './deposit.ts'
import { makeInvoices } from './make.ts'

const advance = transient('sale.advance.payment.inv', {
  label: 'Sales Advance Payment Invoice',
  fields: {
    sale_order_ids: many2many('sale.order', {
      label: 'Sale Order',
      relation: { table: 'sale_advance_payment_inv_order', column: 'wizard_id', other: 'order_id' },
    }),
    advance_payment_method: selection(
      {
        delivered: 'Regular invoice',
        percentage: 'Down payment (percentage)',
        fixed: 'Down payment (fixed amount)',
      },
      { label: 'Create Invoice', required: true, default: 'delivered' },
    ),
    amount: float({ label: 'Down Payment', help: 'Percent of the order.' }),
    fixed_amount: monetary({ label: 'Down Payment Amount (Fixed)', help: 'With taxes.' }),
    currency_id: many2one('res.currency', { label: 'Currency', related: 'company_id.currency_id' }),
    company_id: many2one('res.company', { label: 'Company', required: true }),
    deduct_down_payments: boolean({ label: 'Deduct down payments', default: true }),
    consolidated_billing: boolean({
      label: 'Consolidated Billing',
      default: true,
      help: 'One invoice for all orders of a customer.',
    }),
    name: char({ label: 'Name' }),
  },
  methods: {
    create_invoices: {
      doc: 'Makes drafts of invoices.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'sale.advance.payment.inv': SaleAdvancePaymentInv
  }
  interface SaleAdvancePaymentInv extends Of<typeof advance> {}
}

/** Orders that the context names. */
const inContext = (ids: unknown) =>
  Array.isArray(ids) ? ids.filter((id): id is number => Number.isInteger(id)) : []

export default implement(advance, {
  defaults: {
    company_id: (env) => env.companyId,
    sale_order_ids: (env) =>
      [[6, 0, env.context.active_model === 'sale.order' ? inContext(env.context.active_ids) : []]] as const,
  },
  methods: {
    create_invoices: async (forms) => {
      forms.ensureOne()
      const form = await forms.one([
        'sale_order_ids',
        'advance_payment_method',
        'amount',
        'fixed_amount',
        'deduct_down_payments',
        'consolidated_billing',
      ])
      const orders = forms.env.model('sale.order').browse(form.sale_order_ids.map(({ id }) => id))
      const ids =
        form.advance_payment_method === 'delivered'
          ? await makeInvoices(orders, {
              final: form.deduct_down_payments,
              consolidated: form.consolidated_billing,
            })
          : await makeDeposit(
              orders,
              form.advance_payment_method === 'percentage'
                ? { percent: form.amount }
                : { sum: form.fixed_amount },
            )
      return shownRecords('Invoices', 'account.move', ids)
    },
  },
})
