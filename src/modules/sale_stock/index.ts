// The module `sale_stock`: orders are delivered. Confirmed lines become moves, what is moved counts as
// delivered, changes and cancellations follow.
import { defineModule, termsIn } from '#models'
import availability from './availability.ts'
import method from './delivery-method.ts'
import { demo } from './demo.ts'
import { deliveredOrder, expectedLine, sellingCompany, soldFrom } from './facts.ts'
import invoiceLine from './invoice-line.ts'
import line from './line.ts'
import lot from './lot.ts'
import move, { referred } from './move.ts'
import order from './order.ts'
import picking from './picking.ts'
import route from './route.ts'
import { security } from './security.ts'
import user from './users.ts'

export const saleStock = defineModule({
  name: 'sale_stock',
  version: '19.0.1.2',
  summary: 'Deliveries of sales orders',
  title: 'Sales and Warehouse Management',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  depends: ['base', 'uom', 'product', 'account', 'sales_team', 'sale', 'stock'],
  // Additions to moves come first: lines depend on them.
  models: [
    user,
    referred,
    lot,
    route,
    move,
    picking,
    method,
    line,
    availability,
    order,
    invoiceLine,
    sellingCompany,
    deliveredOrder,
    expectedLine,
    soldFrom,
  ],
  data: security,
  demo,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Functions for modules that depend on this one.
export { deliveredBy, deliveredPaths } from './delivered.ts'
export { isDeliveredByMoves } from './delivery-method.ts'

// As the modules of others are imported: `import saleStock from 'comptoir/modules/sale_stock'`.
export default saleStock
