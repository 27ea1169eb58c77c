// Online payments of orders as other systems keep them (payment.transaction): no provider is connected here,
// so they come by migrations, and orders say what was paid by them.
import {
  char,
  computed,
  extend,
  float,
  implement,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  type Records,
  returns,
  selection,
  writable,
} from '#models'
import { UserError } from '../../errors.ts'
import { asDecimal } from '../../kit/rounding.ts'
import { assertAllowed, assertNoneMissing } from '../base/index.ts'

const orders = { table: 'sale_order_transaction_rel', column: 'transaction_id', other: 'sale_order_id' }

const transaction = model('payment.transaction', {
  label: 'Payment Transaction',
  order: 'id desc',
  recName: 'reference',
  fields: {
    reference: char({ label: 'Reference', required: true, index: 'unique' }),
    provider_reference: char({ label: 'Provider Reference', help: 'Names the payment to its provider.' }),
    amount: monetary({ label: 'Amount' }),
    currency_id: many2one('res.currency', { label: 'Currency', required: true }),
    partner_id: many2one('res.partner', { label: 'Customer', required: true, ondelete: 'restrict' }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    state: selection(
      {
        draft: 'Draft',
        pending: 'Pending',
        authorized: 'Authorized',
        done: 'Confirmed',
        cancel: 'Cancelled',
        error: 'Error',
      },
      { label: 'Status', required: true, default: 'draft', index: true },
    ),
    sale_order_ids: many2many('sale.order', { label: 'Sales Orders', copy: false, relation: orders }),
  },
})

const order = extend('sale.order', {
  fields: {
    transaction_ids: many2many('payment.transaction', {
      label: 'Transactions',
      readonly: true,
      copy: false,
      relation: { table: orders.table, column: orders.other, other: orders.column },
    }),
    authorized_transaction_ids: many2many('payment.transaction', {
      label: 'Authorized Transactions',
      computed: true,
    }),
    amount_paid: float({
      label: 'Payment Transactions Amount',
      computed: true,
      help: 'By online payments that are authorized or confirmed.',
    }),
  },
  methods: {
    get_portal_last_transaction: {
      doc: 'The latest online payment of the order.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    payment_action_capture: { doc: 'Captures authorized online payments.', params: {} },
    payment_action_void: { doc: 'Voids authorized online payments.', params: {} },
  },
})

declare module '#models' {
  interface Models {
    'payment.transaction': PaymentTransaction
  }
  interface PaymentTransaction extends Of<typeof transaction> {}
  interface SaleOrder extends Of<typeof order> {}
}

/** Throws UserError where something is authorized: only its provider can take it or give it up. */
async function leaveToProvider(records: Records<'sale.order'>): Promise<null> {
  await assertAllowed(records, 'write')
  const rows = await records.load(['authorized_transaction_ids.reference'])
  assertNoneMissing(records, rows)
  const [first] = rows.flatMap((row) => row.authorized_transaction_ids)
  if (first)
    throw new UserError(
      `No payment provider is connected: settle ${first.reference} with the provider that authorized it.`,
    )
  return null
}

export const transactions = [
  implement(transaction, {
    defaults: { company_id: (env) => env.companyId },
    // Confirmed payments are left unchanged, but for the orders that they are for.
    writable: writable<'payment.transaction'>({
      state: 'state',
      open: ['draft', 'pending', 'authorized', 'error'],
      once: ['company_id'],
      later: { done: ['sale_order_ids'], cancel: ['sale_order_ids'] },
      removed: ['draft', 'pending', 'cancel', 'error'],
    }),
  }),
  implement(order, {
    // Online payments are written by administrators, who bring them from another system.
    writable: writable<'sale.order'>({
      given: ['transaction_ids'],
      later: { sale: ['transaction_ids'], locked: ['transaction_ids'], cancel: ['transaction_ids'] },
      only: { 'base.group_system': ['transaction_ids'] },
    }),
    computed: {
      authorized_transaction_ids: computed(order, ['transaction_ids.state'], (order) =>
        order.transaction_ids.filter(({ state }) => state === 'authorized'),
      ),
      amount_paid: computed(order, ['transaction_ids.state', 'transaction_ids.amount'], (order) =>
        asDecimal(
          order.transaction_ids
            .filter(({ state }) => state === 'authorized' || state === 'done')
            .reduce((total, { amount }) => total + amount, 0),
        ),
      ),
    },
    methods: {
      get_portal_last_transaction: async (records) => {
        const { transaction_ids: list } = await records.one(['transaction_ids'])
        return list
          .map(({ id }) => id)
          .sort((a, b) => b - a)
          .slice(0, 1)
      },
      payment_action_capture: leaveToProvider,
      payment_action_void: leaveToProvider,
    },
  }),
]
