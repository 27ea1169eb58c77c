// The module `sale_margin`: what is left of sales when the goods are paid for, by line and by order.
import { defineModule, termsIn } from '#models'
import line from './line.ts'
import order from './order.ts'

export const saleMargin = defineModule({
  name: 'sale_margin',
  version: '19.0.1.0',
  summary: 'Costs and margins of sales orders',
  title: 'Margins in Sales Orders',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  depends: ['base', 'product', 'sale'],
  models: [line, order],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// As the modules of others are imported: `import saleMargin from 'comptoir/modules/sale_margin'`.
export default saleMargin
