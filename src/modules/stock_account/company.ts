// Companies (res.company): where goods are booked that no category says it of.
import { extend, implement, many2one, type Of, selection } from '#models'

const company = extend('res.company', {
  fields: {
    account_stock_valuation_id: many2one('account.account', {
      label: 'Stock Valuation Account',
      ondelete: 'restrict',
    }),
    account_stock_journal_id: many2one('account.journal', { label: 'Stock Journal', ondelete: 'restrict' }),
    account_production_wip_account_id: many2one('account.account', {
      label: 'Production WIP Account',
      ondelete: 'restrict',
    }),
    account_production_wip_overhead_account_id: many2one('account.account', {
      label: 'Production WIP Overhead Account',
      ondelete: 'restrict',
    }),
    inventory_valuation: selection(
      { periodic: 'Periodic (at closing)', real_time: 'Perpetual (at invoicing)' },
      { label: 'Valuation', default: 'periodic' },
    ),
    cost_method: selection(
      { standard: 'Standard Price', fifo: 'First In First Out (FIFO)', average: 'Average Cost (AVCO)' },
      { label: 'Cost Method', required: true, default: 'standard' },
    ),
    inventory_period: selection(
      { manual: 'Manual', daily: 'Daily', monthly: 'Monthly' },
      { label: 'Inventory Period', required: true, default: 'manual' },
    ),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

const account = extend('account.account', {
  fields: {
    account_stock_expense_id: many2one('account.account', { label: 'Expense Account', ondelete: 'set null' }),
    account_stock_variation_id: many2one('account.account', {
      label: 'Variation Account',
      ondelete: 'set null',
    }),
  },
})

declare module '#models' {
  interface Account extends Of<typeof account> {}
}

export default implement(company)
export const stockAccounts = implement(account)
