// The module `sale_management`: selling as an application of its own, and a shop to look at.
import { defineModule } from '#models'
import { demo } from './demo/index.ts'

export const saleManagement = defineModule({
  name: 'sale_management',
  version: '19.0.1.0',
  summary: 'Sales as an application',
  title: 'Sales',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  application: true,
  depends: ['base', 'product', 'account', 'sale'],
  models: [],
  demo,
})

// As the modules of others are imported: `import saleManagement from 'comptoir/modules/sale_management'`.
export default saleManagement
