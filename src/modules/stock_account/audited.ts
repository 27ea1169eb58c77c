// Audited fields of the valuation of goods.
import { audited } from '#models'

export const auditedModels = [
  audited('stock.lot', { fields: ['standard_price'] }),
  audited('res.company', { fields: ['account_stock_valuation_id', 'account_stock_journal_id'] }),
]
