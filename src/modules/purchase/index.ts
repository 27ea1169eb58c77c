// The module `purchase`: requests for quotation, orders to vendors and their bills. Its story is in
// README.md.
import { defineModule, termsIn } from '#models'
import { distributedLine, orderedAccount } from './analytic.ts'
import { auditedModels } from './audited.ts'
import { billMatching } from './billing/match.ts'
import moveLine from './billing/move-line.ts'
import { billedItem, billSources } from './billing/sources.ts'
import { billsToOrders } from './billing/to-order.ts'
import company from './company.ts'
import { demo } from './demo.ts'
import line from './line.ts'
import lineFacts from './line-facts.ts'
import { catalogLine, mergedOrder } from './merge.ts'
import order from './order.ts'
import orderFacts from './order-facts.ts'
import partner from './partner.ts'
import product from './product.ts'
import { reminders, reminderTemplate } from './reminder.ts'
import report from './report.ts'
import { reports } from './reports.ts'
import { data } from './security.ts'
import settings from './settings.ts'
import { purchaseThreads } from './threads.ts'
import variant from './variant.ts'

export const purchase = defineModule({
  name: 'purchase',
  version: '19.0.1.3',
  summary: 'Purchase orders, prices of vendors and bills',
  title: 'Purchase',
  author: 'Comptoir',
  category: 'base.module_category_inventory',
  application: true,
  depends: ['base', 'mail', 'uom', 'product', 'account'],
  // Additions to models of other modules come first: orders depend on them.
  models: [
    company,
    product,
    variant,
    order,
    line,
    lineFacts,
    distributedLine,
    orderedAccount,
    orderFacts,
    mergedOrder,
    reminders,
    catalogLine,
    moveLine,
    billSources,
    billedItem,
    ...billMatching,
    ...billsToOrders,
    partner,
    settings,
    report,
    ...purchaseThreads,
    ...auditedModels,
  ],
  data: [...data, reports, reminderTemplate],
  demo,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Exports for modules that depend on this one, in addition to its models.
export { BY_QUANTITY } from './line-price.ts'

// As the modules of others are imported: `import purchase from 'comptoir/modules/purchase'`.
export default purchase
