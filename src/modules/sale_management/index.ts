// The module `sale_management`: selling as an application of its own, templates of quotations, and a shop to
// look at.
import { defineModule, termsIn } from '#models'
import { demo } from './demo/index.ts'
import { templatedCompany, templatedOrder } from './order.ts'
import { security } from './security.ts'
import template from './template.ts'
import templateLine from './template-line.ts'

export const saleManagement = defineModule({
  name: 'sale_management',
  version: '19.0.1.2',
  summary: 'Sales as an application',
  title: 'Sales',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  application: true,
  depends: ['base', 'mail', 'product', 'account', 'sale'],
  models: [template, templateLine, templatedCompany, templatedOrder],
  data: security,
  demo,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// As the modules of others are imported: `import saleManagement from 'comptoir/modules/sale_management'`.
export default saleManagement
