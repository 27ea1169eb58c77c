// Categories (product.category): how the goods of their products are valued, and where that is booked.
import { boolean, computed, extend, implement, many2one, type Of, selection } from '#models'

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
      help: 'Fixed: the cost of the product. Average: what the goods that are there cost on average. First in, first out: the oldest leave first.',
    }),
    property_valuation: selection(valuations, {
      label: 'Inventory Valuation',
      companyDependent: true,
      copy: true,
      help: 'Perpetual: moves of goods are booked as they are done.',
    }),
    property_stock_valuation_account_id: many2one('account.account', {
      label: 'Stock Valuation Account',
      companyDependent: true,
      help: "Holds what the goods are worth; empty: the company's.",
    }),
    anglo_saxon_accounting: boolean({
      label: 'Costs Are Booked When Goods Are Sold',
      computed: true,
      help: 'Invoices book what the goods of their lines cost.',
    }),
    property_price_difference_account_id: many2one('account.account', {
      label: 'Price Difference Account',
      companyDependent: true,
      help: 'Kept for clients: nothing is booked on it.',
    }),
    property_stock_journal: many2one('account.journal', {
      label: 'Stock Journal',
      companyDependent: true,
      help: "Moves of goods are booked there; empty: the company's.",
    }),
  },
})

declare module '#models' {
  interface ProductCategory extends Of<typeof category> {}
}

export default implement(category, {
  computed: { anglo_saxon_accounting: computed(category, [], () => true) },
})
