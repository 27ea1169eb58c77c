// What the audit log tells of how goods are valued.
import { audited } from '#models'

export const auditedModels = [
  audited('res.company', { fields: ['account_stock_valuation_id', 'account_stock_journal_id'] }),
]
