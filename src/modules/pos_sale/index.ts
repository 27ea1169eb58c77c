// The module `pos_sale`: quotations and orders are settled at tills, deposits are taken there.
import { type DataSet, defineModule, termsIn } from '#models'
import { accessLines } from '../base/index.ts'
import line from './line.ts'
import load from './load.ts'
import order from './order.ts'
import { tills } from './till.ts'

const deposit: DataSet = {
  model: 'product.product',
  noupdate: true,
  records: {
    default_downpayment_product: {
      name: 'Down Payment (POS)',
      type: 'service',
      list_price: 0,
      available_in_pos: true,
      taxes_id: [[6, 0, []]],
      supplier_taxes_id: [[6, 0, []]],
    },
  },
}

export const posSale = defineModule({
  name: 'pos_sale',
  version: '19.0.1.2',
  summary: 'Quotations settled and deposits taken at tills',
  title: 'POS - Sales',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  depends: ['base', 'point_of_sale', 'sale', 'sale_stock', 'sales_team', 'stock', 'uom'],
  models: [...tills, line, order, load],
  data: [deposit, accessLines({ 'sales_team/crm.team': { 'point_of_sale.group_pos_manager': 'rwcd' } })],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// As the modules of others are imported: `import posSale from 'comptoir/modules/pos_sale'`.
export default posSale
