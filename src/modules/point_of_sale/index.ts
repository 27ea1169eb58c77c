// The module `point_of_sale`: tills, their sessions and orders, from the opening count to the closing entry.
// Its story is in README.md.
import { defineModule, termsIn } from '#models'
import { books } from './account.ts'
import { auditedModels } from './audited.ts'
import category from './catalogue/category.ts'
import { small } from './catalogue/coins-and-presets.ts'
import productInfo from './catalogue/product-info.ts'
import template from './catalogue/template.ts'
import variant from './catalogue/variant.ts'
import wizard from './closing/wizard.ts'
import company from './company.ts'
import backOffice from './config/back-office.ts'
import config from './config/config.ts'
import { data, setUpFirstShop } from './data.ts'
import { demo } from './demo.ts'
import deliveredGoods from './invoicing/delivered.ts'
import approval from './limits/approval.ts'
import approvers from './limits/users.ts'
import { loading } from './load/session.ts'
import { backOffice as ordersShown } from './order/back-office.ts'
import line, { lots } from './order/line.ts'
import makeInvoice from './order/make-invoice.ts'
import makePayment from './order/make-payment.ts'
import order from './order/order.ts'
import { receiptMails } from './order/receipt-mail.ts'
import partner from './partner.ts'
import method from './payment/method.ts'
import payment from './payment/payment.ts'
import orderLines from './reports/order-lines.ts'
import saleDetails from './reports/sale-details.ts'
import sessionReport from './reports/z/print.ts'
import { tillChains } from './sealing.ts'
import { security } from './security.ts'
import sessionsShown from './session/back-office.ts'
import { sessionNotes } from './session/notes.ts'
import session from './session/session.ts'
import settings from './settings.ts'
import { transfers } from './stock/figures.ts'
import { places } from './stock/places.ts'
import { tillThreads } from './threads.ts'

export const pointOfSale = defineModule({
  name: 'point_of_sale',
  version: '19.0.1.4',
  summary: 'Tills: sessions, orders, payments and the closing of the day',
  title: 'Point of Sale',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  application: true,
  depends: ['base', 'mail', 'resource', 'uom', 'product', 'account', 'stock'],
  models: [
    company,
    category,
    template,
    productInfo,
    variant,
    ...small,
    method,
    config,
    backOffice,
    session,
    sessionsShown,
    order,
    line,
    ...ordersShown,
    lots,
    payment,
    makePayment,
    makeInvoice,
    partner,
    approval,
    approvers,
    wizard,
    ...books,
    deliveredGoods,
    ...places,
    ...transfers,
    ...loading,
    orderLines,
    saleDetails,
    sessionReport,
    settings,
    tillChains,
    ...tillThreads,
    receiptMails,
    sessionNotes,
    ...auditedModels,
  ],
  data: [...security, ...data],
  demo,
  ready: setUpFirstShop,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Exports for modules that depend on this one, in addition to its models.
export { loadRecords } from './load/load.ts'
export type { AgreedPrices } from './order/line.contract.ts'

// As the modules of others are imported: `import pointOfSale from 'comptoir/modules/point_of_sale'`.
export default pointOfSale
