// The module `purchase_stock`: receipts of purchase orders, what came in, returns, and needs that are bought.
// Its story is in README.md.
import { defineModule, termsIn } from '#models'
import bill from './bill.ts'
import delays from './delays.ts'
import { demo } from './demo.ts'
import { buyingCompany, receivedReport, shippedOrder, storedLine } from './facts.ts'
import orderpoint from './in-progress.ts'
import line from './line.ts'
import lot from './lot.ts'
import move, { referred } from './move.ts'
import order from './order.ts'
import partner from './partner.ts'
import picking from './picking.ts'
import { productsBought } from './product.ts'
import replenishForm from './replenish.ts'
import rule from './rule.ts'
import { data } from './security.ts'
import { suggestions } from './suggest.ts'
import warehouse, { equipWarehouses } from './warehouse.ts'

export const purchaseStock = defineModule({
  name: 'purchase_stock',
  version: '19.0.1.3',
  summary: 'Receipts of purchase orders; replenishment that buys',
  title: 'Purchase Stock',
  author: 'Comptoir',
  category: 'base.module_category_inventory',
  depends: ['base', 'uom', 'product', 'account', 'stock', 'purchase'],
  models: [
    referred,
    lot,
    move,
    line,
    bill,
    order,
    orderpoint,
    picking,
    partner,
    ...productsBought,
    rule,
    warehouse,
    buyingCompany,
    shippedOrder,
    storedLine,
    receivedReport,
    replenishForm,
    ...suggestions,
    delays,
  ],
  data,
  demo,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
  ready: async (env) => {
    const all = await env.sudo().withContext({ active_test: false }).model('stock.warehouse').search([])
    await equipWarehouses(env, all.ids)
  },
})

// As the modules of others are imported: `import purchaseStock from 'comptoir/modules/purchase_stock'`.
export default purchaseStock
