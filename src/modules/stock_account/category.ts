// Categories (product.category): how the goods of their products are valued, and where that is booked.
import {
  boolean,
  computedTogether,
  type Environment,
  extend,
  implement,
  many2one,
  type Of,
  selection,
} from '#models'
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'

export const methods = {
  standard: 'Standard Price',
  fifo: 'First In First Out (FIFO)',
  average: 'Average Cost (AVCO)',
} as const
export const valuations = {
  periodic: 'Periodic (at closing)',
  real_time: 'Perpetual (at each move)',
} as const

const category = extend('product.category', {
  fields: {
    property_cost_method: selection(methods, {
      label: 'Costing Method',
      companyDependent: true,
      copy: true,
      help: 'Standard: the cost of the product. Average: the average cost of the stock on hand. First in, first out: the cost of the oldest stock.',
    }),
    property_valuation: selection(valuations, {
      label: 'Inventory Valuation',
      companyDependent: true,
      copy: true,
      help: 'Perpetual: bills and invoices book the value of goods. Periodic: only closings do.',
    }),
    property_stock_valuation_account_id: many2one('account.account', {
      label: 'Stock Valuation Account',
      companyDependent: true,
      help: 'Account for the value of goods. Empty: the account of the company.',
    }),
    anglo_saxon_accounting: boolean({
      label: 'Use Anglo-Saxon Accounting',
      computed: true,
      help: 'Set in the current company: bills add goods to inventory, invoices expense their cost.',
    }),
    property_price_difference_account_id: many2one('account.account', {
      label: 'Price Difference Account',
      companyDependent: true,
      help: 'Stored for clients; not used in entries.',
    }),
    property_stock_journal: many2one('account.journal', {
      label: 'Stock Journal',
      companyDependent: true,
      help: 'Stored for clients; entries use the journal of the company.',
    }),
  },
})

declare module '#models' {
  interface ProductCategory extends Of<typeof category> {}
}

/** Whether the current company uses Anglo-Saxon accounting, as a subquery. */
const isAngloSaxon = (env: Environment) =>
  sql`(SELECT COALESCE(c.anglo_saxon_accounting, false) FROM res_company c WHERE c.id = ${env.companyId}::int)`

export default implement(category, {
  computed: {
    anglo_saxon_accounting: computedTogether(
      category,
      [],
      async (categories, env) => {
        const [isOn] = only(
          await env.rows(sql`SELECT ${isAngloSaxon(env)}`, { reads: ['res.company'], row: ['bool'] }),
        )
        return new Map(categories.map(({ id }) => [id, isOn]))
      },
      { context: ['allowed_company_ids'], sql: ({ env }) => isAngloSaxon(env) },
    ),
  },
})
