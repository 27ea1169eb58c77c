// Companies (res.company): where goods are booked that no category says it of.
import { extend, implement, many2one, type Of } from '#models'

const company = extend('res.company', {
  fields: {
    account_stock_valuation_id: many2one('account.account', {
      label: 'Stock Valuation Account',
      ondelete: 'restrict',
    }),
    account_stock_journal_id: many2one('account.journal', { label: 'Stock Journal', ondelete: 'restrict' }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

export default implement(company)
