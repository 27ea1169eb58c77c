// The module `sale`: quotations and orders, what they cost, from draft to confirmed and back. Its story is in
// README.md.
import { defineModule, termsIn } from '#models'
import { costLine, distributedLine } from './analytic.ts'
import { auditedModels } from './audited.ts'
import company from './company.ts'
import customValue from './custom-value.ts'
import discount from './discount.ts'
import advance from './invoicing/advance.ts'
import deposits from './invoicing/deposit-prices.ts'
import { documentTeams } from './invoicing/document-team.ts'
import moveLine from './invoicing/move-line.ts'
import sources from './invoicing/sources.ts'
import line from './line.ts'
import lineFacts from './line-facts.ts'
import massCancel from './mass-cancel.ts'
import order from './order.ts'
import orderFacts from './order-facts.ts'
import { catalogLine, orderFromFiles } from './order-forms.ts'
import { campaignFigures, moveOrigin, orderOrigin } from './origin.ts'
import partner from './partner.ts'
import product from './product.ts'
import { productOffer } from './product-offer.ts'
import report from './report.ts'
import { reports } from './reports.ts'
import { data } from './security.ts'
import settings from './settings.ts'
import team from './team.ts'
import { saleThreads } from './threads.ts'
import { transactions } from './transactions.ts'
import variant from './variant.ts'
import { warnedMove } from './warnings.ts'

export const sale = defineModule({
  name: 'sale',
  version: '19.0.1.6',
  summary: 'Quotations and sales orders',
  title: 'Sales',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  depends: ['base', 'mail', 'uom', 'product', 'account', 'sales_team'],
  // Additions to models of other modules come first: orders depend on them.
  models: [
    company,
    product,
    ...productOffer,
    variant,
    order,
    line,
    lineFacts,
    distributedLine,
    costLine,
    orderFacts,
    orderFromFiles,
    catalogLine,
    orderOrigin,
    moveOrigin,
    warnedMove,
    campaignFigures,
    ...transactions,
    moveLine,
    sources,
    ...documentTeams,
    deposits,
    advance,
    customValue,
    discount,
    massCancel,
    partner,
    team,
    settings,
    report,
    ...saleThreads,
    ...auditedModels,
  ],
  data: [...data, reports],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Functions for modules that depend on this one.
export { invoicedFields, invoicedOf, invoicedPaths } from './invoicing/invoiced.ts'
export { guardPaths, updatable, updatablePaths, updatableSql } from './line-guards.ts'
export { termAsks, termFields, termsOfCompanies, validUntil } from './order-customer.ts'

// As the modules of others are imported: `import sale from 'comptoir/modules/sale'`.
export default sale
