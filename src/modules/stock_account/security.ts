// Access to values of goods: stock managers, who correct them, and accountants.
import { type DataSet, recordRules } from '#models'
import { accessLines, companyRule, ofCompanies } from '../base/index.ts'

const access = accessLines({
  'product.value': {
    'stock.group_stock_manager': 'rc',
    'account.group_account_readonly': 'r',
    'account.group_account_invoice': 'r',
  },
  'account/account.journal': { 'stock.group_stock_manager': 'rw' },
  'account/account.partial.reconcile': { 'stock.group_stock_manager': 'rwcd' },
  'stock/stock.move': { 'account.group_account_invoice': 'r', 'account.group_account_readonly': 'r' },
})

export const data: readonly DataSet[] = [
  access,
  {
    model: 'ir.rule',
    noupdate: true,
    records: recordRules({ 'product.value': ofCompanies }, companyRule),
  },
]
