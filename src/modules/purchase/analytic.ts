// Analytic distributions of order lines (purchase.order.line), which bills of them take over; and orders that
// name analytic accounts.
import {
  computed,
  computedTogether,
  type Environment,
  extend,
  implement,
  integer,
  json,
  many2many,
  type Of,
  writable,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { accountsIn, assertDistribution, BOOKKEEPERS } from '../account/index.ts'
import { readableLinks, readonlyActionMethod, shownRecords } from '../base/index.ts'

const line = extend('purchase.order.line', {
  fields: {
    analytic_distribution: json({
      label: 'Analytic Distribution',
      help: 'Percentages by analytic account, as {"7": 75, "8": 25}.',
    }),
    distribution_analytic_account_ids: many2many('account.analytic.account', {
      label: 'Distribution Analytic Account',
      computed: true,
      groups: BOOKKEEPERS,
    }),
  },
})

const account = extend('account.analytic.account', {
  fields: { purchase_order_count: integer({ label: 'Purchase Order Count', computed: true }) },
  methods: {
    action_view_purchase_orders: readonlyActionMethod('Shows the purchase orders that name accounts.'),
  },
})

declare module '#models' {
  interface PurchaseOrderLine extends Of<typeof line> {}
  interface AnalyticAccount extends Of<typeof account> {}
}

/** Orders by analytic account, of the companies of the caller: one statement. */
async function ordersOf(env: Environment, accounts: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT DISTINCT a.id, l.order_id FROM purchase_order_line l
    CROSS JOIN LATERAL jsonb_object_keys(l.analytic_distribution) k(accounts)
    CROSS JOIN LATERAL string_to_table(k.accounts, ',') named(account)
    JOIN account_analytic_account a ON a.id::text = named.account
    WHERE a.id = ANY(${idList([...accounts])}) AND l.company_id = ANY(${idList([...env.companyIds])})`,
    { reads: ['purchase.order.line', 'account.analytic.account'], row: ['int', 'int'] },
  )
  // Only those that the caller may read: bookkeepers need not be buyers.
  return readableLinks(env.model('purchase.order'), rows)
}

export const distributedLine = implement(line, {
  writable: writable<'purchase.order.line'>({
    later: {
      purchase: ['analytic_distribution'],
      locked: ['analytic_distribution'],
      cancel: ['analytic_distribution'],
    },
  }),
  prepare: assertDistribution,
  computed: {
    distribution_analytic_account_ids: computed(
      line,
      ['analytic_distribution'],
      ({ analytic_distribution: distribution }) => accountsIn(distribution),
    ),
  },
})

export const orderedAccount = implement(account, {
  computed: {
    purchase_order_count: computedTogether(account, [], async (accounts, env) => {
      const ids = accounts.map(({ id }) => id)
      const orders = await ordersOf(env, ids)
      return new Map(ids.map((id) => [id, orders.get(id)?.length ?? 0]))
    }),
  },
  methods: {
    action_view_purchase_orders: async (accounts) => {
      await accounts.load(['name'])
      const orders = await ordersOf(accounts.env, accounts.ids)
      return shownRecords('Purchase Orders', 'purchase.order', [...new Set([...orders.values()].flat())])
    },
  },
})
