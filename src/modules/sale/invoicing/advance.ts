// The form that invoices orders (sale.advance.payment.inv): what is due, or a deposit. The invoices: make.ts,
// deposit.ts.
import {
  boolean,
  char,
  computed,
  computedFields,
  float,
  implement,
  integer,
  many2many,
  many2one,
  monetary,
  type Of,
  selection,
  transient,
} from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { actionMethod, givenIds, shownRecords } from '../../base/index.ts'
import { makeDeposit } from './deposit.ts'
import { makeInvoices } from './make.ts'

const advance = transient('sale.advance.payment.inv', {
  label: 'Sales Advance Payment Invoice',
  formsBySaving: true,
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
    currency_id: many2one('res.currency', { label: 'Currency', asStored: true, computed: true }),
    company_id: many2one('res.company', { label: 'Company', required: true }),
    count: integer({ label: 'Order Count', computed: true }),
    has_down_payments: boolean({ label: 'Has down payments', computed: true }),
    display_draft_invoice_warning: boolean({
      label: 'Display Draft Invoice Warning',
      computed: true,
      help: 'The order already has a draft invoice.',
    }),
    display_invoice_amount_warning: boolean({
      label: 'Display Invoice Amount Warning',
      computed: true,
      help: 'The deposit exceeds the amount left to invoice: enter a lower amount.',
    }),
    amount_invoiced: monetary({ label: 'Already invoiced', computed: true }),
    amount_to_invoice: monetary({ label: 'Amount to invoice', computed: true }),
    deduct_down_payments: boolean({ label: 'Deduct down payments', default: true }),
    consolidated_billing: boolean({
      label: 'Consolidated Billing',
      default: true,
      help: 'One invoice for all orders of a customer.',
    }),
    name: char({ label: 'Name' }),
  },
  methods: {
    create_invoices: actionMethod('Creates draft invoices.'),
  },
})

declare module '#models' {
  interface Models {
    'sale.advance.payment.inv': SaleAdvancePaymentInv
  }
  interface SaleAdvancePaymentInv extends Of<typeof advance> {}
}

const about = computedFields(
  advance,
  ['currency_id', 'count', 'has_down_payments', 'amount_invoiced', 'amount_to_invoice'],
  [
    'company_id.currency_id',
    'sale_order_ids.currency_id',
    'sale_order_ids.amount_invoiced',
    'sale_order_ids.amount_to_invoice',
    'sale_order_ids.order_line.is_downpayment',
  ],
  (forms) =>
    new Map(
      forms.map(({ id, company_id, sale_order_ids: orders }) => {
        const sum = (name: 'amount_invoiced' | 'amount_to_invoice') =>
          orders.reduce((total, order) => addDecimals(total, order[name]), 0)
        return [
          id,
          {
            currency_id: orders.length === 1 ? (orders[0]?.currency_id ?? null) : company_id.currency_id,
            count: orders.length,
            has_down_payments: orders.some((order) => order.order_line.some((line) => line.is_downpayment)),
            amount_invoiced: sum('amount_invoiced'),
            amount_to_invoice: sum('amount_to_invoice'),
          },
        ]
      }),
    ),
)

export default implement(advance, {
  defaults: {
    company_id: (env) => env.companyId,
    sale_order_ids: (env) =>
      [[6, 0, env.context.active_model === 'sale.order' ? givenIds(env.context.active_ids) : []]] as const,
  },
  computed: {
    ...about,
    display_draft_invoice_warning: computed(advance, ['sale_order_ids.invoice_ids.state'], (advance) =>
      advance.sale_order_ids.some((order) => order.invoice_ids.some(({ state }) => state === 'draft')),
    ),
    display_invoice_amount_warning: computed(
      advance,
      [
        'advance_payment_method',
        'amount',
        'fixed_amount',
        'sale_order_ids.amount_total',
        'sale_order_ids.amount_invoiced',
      ],
      ({ advance_payment_method: method, amount, fixed_amount, sale_order_ids: orders }) =>
        orders.some(
          (order) =>
            (method === 'percentage' ? (order.amount_total * amount) / 100 : fixed_amount) >
            addDecimals(order.amount_total, -order.amount_invoiced),
        ) && method !== 'delivered',
    ),
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
