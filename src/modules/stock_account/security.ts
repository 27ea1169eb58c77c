// Who sees what goods are worth: those who set the stock up, and those who keep the books.
import { type DataSet, ref } from '#models'
import { accessLines } from '../base/index.ts'

const access = accessLines({
  'product.value': {
    'stock.group_stock_manager': 'r',
    'account.group_account_readonly': 'r',
    'account.group_account_invoice': 'r',
  },
  'stock/stock.move': { 'account.group_account_invoice': 'r', 'account.group_account_readonly': 'r' },
})

export const data: readonly DataSet[] = [
  access,
  {
    model: 'ir.rule',
    noupdate: true,
    records: {
      product_value_comp_rule: {
        name: 'product.value of the companies',
        model_id: ref('model_product_value'),
        domain_force: "[('company_id', 'in', company_ids)]",
      },
    },
  },
]
