// Sealed tills: paid orders with their lines and payments, and closed sessions, in one chain per point of
// sale, in the order in which they were committed. The chain itself is the engine's (src/models/chains).
import { type SealedRecords, sealRecords } from '#engine'
import { type Environment, extend, implement } from '#models'

const chain = { model: 'pos.config', by: 'config_id', title: 'name' } as const

/** Without the customer, contact data, notes and the invoice: these may change after the sale. */
export const sealedOrders: SealedRecords = {
  model: 'pos.order',
  states: ['paid', 'done'],
  chain,
  fields: [
    'name',
    'uuid',
    'pos_reference',
    'sequence_number',
    'date_order',
    'user_id',
    'session_id',
    'config_id',
    'company_id',
    'currency_id',
    'currency_rate',
    'pricelist_id',
    'fiscal_position_id',
    'amount_total',
    'amount_tax',
    'amount_paid',
    'amount_return',
    'amount_difference',
    'is_refund',
    'refunded_order_id',
  ],
  parts: [
    {
      model: 'pos.order.line',
      parent: 'order_id',
      fields: [
        'name',
        'uuid',
        'product_id',
        'full_product_name',
        'qty',
        'price_unit',
        'price_type',
        'discount',
        'tax_ids',
        'price_subtotal',
        'price_subtotal_incl',
        'refunded_orderline_id',
      ],
    },
    {
      model: 'pos.payment',
      parent: 'pos_order_id',
      fields: [
        'name',
        'uuid',
        'session_id',
        'currency_id',
        'amount',
        'payment_method_id',
        'payment_date',
        'is_change',
        'card_type',
        'card_no',
        'payment_ref_no',
        'transaction_id',
      ],
    },
  ],
}

/** Without lines of the closing entry, which is in the books. */
export const sealedSessions: SealedRecords = {
  model: 'pos.session',
  states: ['closed'],
  chain,
  fields: [
    'name',
    'config_id',
    'company_id',
    'currency_id',
    'user_id',
    'rescue',
    'start_at',
    'stop_at',
    'cash_register_balance_start',
    'cash_register_balance_end_real',
    'cash_real_transaction',
    'move_id',
  ],
  parts: [],
}

/** Installs the seals of tills: at installation, at every upgrade, and when a backup is restored. */
export async function sealTills(env: Environment): Promise<void> {
  await sealRecords(env, sealedOrders)
  await sealRecords(env, sealedSessions)
}

const chains = extend('comptoir.chain', { fields: {} })

export const tillChains = implement(chains, {
  wrap: {
    sealed_records: (next) => async (records, params) => [
      ...((await next(records, params)) as readonly SealedRecords[]),
      sealedOrders,
      sealedSessions,
    ],
  },
})
