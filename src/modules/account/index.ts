// The module `account`: taxes, fiscal positions, payment terms, accounts, journals and charts. Its story is
// in README.md.
import { defineModule, termsIn } from '#models'
import accountAccount from './account.ts'
import { accountFacts, accountGroup, accountRoot } from './account-facts.ts'
import { accountOpenings, codeMapping } from './account-openings.ts'
import { accountTag, flowTags, taggedAccount, taggedItem, taggedPart } from './account-tag.ts'
import automaticEntry from './adjust/form.ts'
import analyticAccount from './analytic/account.ts'
import { distributionCompany, distributionModel } from './analytic/distribution-model.ts'
import { distributedItem, distributedMove } from './analytic/items.ts'
import analyticLine from './analytic/line.ts'
import { analyticApplicability, analyticPlan } from './analytic/plan.ts'
import { angloSaxonCompanies } from './anglo-saxon.ts'
import { auditedModels } from './audited.ts'
import bankStatementLine from './bank/line.ts'
import { statementItem, statementMove } from './bank/move.ts'
import statementShown, { lineAddress } from './bank/shown.ts'
import bankStatement from './bank/statement.ts'
import bankAccount from './bank-account.ts'
import bankSetup from './bank-setup.ts'
import cashRounding from './cash-rounding.ts'
import chains from './chains.ts'
import { loadChart } from './chart/load.ts'
import chartTemplate from './chart-template.ts'
import company from './company.ts'
import companyOptions from './company-options.ts'
import { companyShown, currencyShown } from './company-shown.ts'
import { data } from './data.ts'
import fiscalPosition from './fiscal-position.ts'
import fiscalPositionAccount from './fiscal-position-account.ts'
import incoterms, { incotermRecords } from './incoterms.ts'
import invoiceAnalysis from './invoice-report.ts'
import journal from './journal.ts'
import journalFacts from './journal-facts.ts'
import journalFigures from './journal-figures.ts'
import { groupedJournal, journalGroup } from './journal-group.ts'
import journalOpenings from './journal-openings.ts'
import lockException from './lock-exception.ts'
import conditions from './move/conditions.ts'
import deeds from './move/entry-methods.ts'
import formFacts from './move/form-facts.ts'
import { autopostBills, validateMove } from './move/forms.ts'
import itemFacts from './move/item-facts.ts'
import { itemOpenings, ledgerMove } from './move/item-openings.ts'
import kindQuestions from './move/kind-questions.ts'
import moveLine from './move/line.ts'
import move from './move/move.ts'
import openings from './move/openings.ts'
import outstanding from './move/outstanding.ts'
import paymentsShown from './move/payments-shown.ts'
import received from './move/received.ts'
import recurringMove from './move/recurring.ts'
import relatives from './move/relatives.ts'
import resequence from './move/resequence.ts'
import moveReversal from './move/reversal.ts'
import sealedMove from './move/sealed-move.ts'
import secureForm from './move/secure-form.ts'
import shown from './move/shown.ts'
import totals from './move/totals.ts'
import partner from './partner.ts'
import partnerChoices from './partner-choices.ts'
import partnerFigures from './partner-figures.ts'
import paymentFacts from './payment/facts.ts'
import { paymentMethod, paymentMethodLine } from './payment/method.ts'
import { offerMethods } from './payment/offered.ts'
import payment from './payment/payment.ts'
import paymentRegister from './payment/register.ts'
import registerFacts from './payment/register-facts.ts'
import registerInstalments from './payment/register-instalments.ts'
import paymentTerm from './payment-term.ts'
import { termExample, termLineShown } from './payment-term-example.ts'
import paymentTermLine from './payment-term-line.ts'
import { invoiceReport, paidInvoiceReport } from './print/invoice.ts'
import { invoiceReports, reports } from './print/reports.ts'
import product from './product.ts'
import productCategory from './product-category.ts'
import { productPrices } from './product-prices.ts'
import fullReconcile from './reconcile/full.ts'
import partialReconcile from './reconcile/partial.ts'
import { reconcileItem, reconcileModel, reconcileModelLine } from './reconcile/reconcile-model.ts'
import books from './reports/books.ts'
import { security } from './security.ts'
import sendBatch from './send/batch.ts'
import sendForm from './send/form.ts'
import { mailTemplates } from './send/templates.ts'
import settings from './settings.ts'
import tax from './tax.ts'
import { positionFacts, taxFacts } from './tax-facts.ts'
import taxGroup from './tax-group.ts'
import taxRepartition from './tax-repartition.ts'
import { accountThreads, documentKinds } from './threads.ts'
import variant from './variant.ts'

export const account = defineModule({
  name: 'account',
  version: '19.0.1.11',
  summary: 'Taxes, fiscal positions, payment terms, accounts and journals',
  title: 'Invoicing',
  author: 'Comptoir',
  category: 'base.module_category_accounting',
  application: true,
  depends: ['base', 'mail', 'product'],
  models: [
    invoiceReports,
    accountAccount,
    journal,
    taxGroup,
    tax,
    taxRepartition,
    fiscalPosition,
    fiscalPositionAccount,
    paymentTerm,
    paymentTermLine,
    chartTemplate,
    cashRounding,
    incoterms,
    accountTag,
    accountGroup,
    accountRoot,
    journalGroup,
    move,
    moveLine,
    partialReconcile,
    fullReconcile,
    moveReversal,
    secureForm,
    paymentMethod,
    paymentMethodLine,
    payment,
    paymentRegister,
    paymentFacts,
    registerFacts,
    registerInstalments,
    bankStatement,
    bankStatementLine,
    books,
    invoiceReport,
    paidInvoiceReport,
    statementMove,
    statementItem,
    sealedMove,
    recurringMove,
    received,
    outstanding,
    conditions,
    relatives,
    kindQuestions,
    itemFacts,
    formFacts,
    totals,
    paymentsShown,
    openings,
    taggedAccount,
    accountFacts,
    taxFacts,
    positionFacts,
    bankAccount,
    itemOpenings,
    ledgerMove,
    taggedPart,
    taggedItem,
    analyticPlan,
    analyticApplicability,
    analyticAccount,
    analyticLine,
    distributionModel,
    distributedItem,
    distributedMove,
    reconcileModel,
    reconcileModelLine,
    reconcileItem,
    codeMapping,
    invoiceAnalysis,
    lockException,
    currencyShown,
    accountOpenings,
    journalOpenings,
    statementShown,
    lineAddress,
    deeds,
    validateMove,
    autopostBills,
    sendForm,
    sendBatch,
    resequence,
    automaticEntry,
    bankSetup,
    shown,
    termExample,
    termLineShown,
    groupedJournal,
    // Additions to models of other modules.
    company,
    companyOptions,
    companyShown,
    distributionCompany,
    partner,
    partnerFigures,
    partnerChoices,
    productCategory,
    product,
    variant,
    ...productPrices,
    settings,
    journalFigures,
    journalFacts,
    chains,
    ...accountThreads,
    ...auditedModels,
  ],
  data: [documentKinds, ...security, ...data, incotermRecords, flowTags, reports, mailTemplates],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
  migrations: [angloSaxonCompanies],
  ready: async (env) => {
    await loadChart(env, 'generic_coa', env.companyId)
    await offerMethods(env)
  },
})

export { BOOKKEEPERS } from './account-types.ts'
export { accountsIn, assertDistribution } from './analytic/shares.ts'
// Exports for modules that depend on this one, in addition to its models.
export { documentsFromFiles } from './files.ts'
export { mapAccounts, mapTaxes, positionsFor } from './fiscal-positions.ts'
export { trusted, withoutSentAmounts, withTrustedAmounts } from './fixed-amounts.ts'
export { type InvoiceLine, invoicedQuantities, posted, sumInvoiced } from './invoiced-quantities.ts'
export { creditWarnings } from './move/credit.ts'
export { type CashRounding, roundingDifference, type TaxPart, taxItemKey } from './move/document.ts'
export { createDocuments, joined } from './move/from-orders.ts'
export { ratesFor } from './move/headers.ts'
export { taxesOf } from './move/line-product.ts'
export { entriesOfOrders, itemsOfOrders, KEEPS_ORDERS } from './move/order-links.ts'
export { isSettling, withoutSettling } from './move/pending-changes.ts'
export { postUnmatched } from './move/post-entries.ts'
export { sides } from './move/sides.ts'
export type { DeliveredGoods, GoodsSold, SalesCost } from './move/sold-goods.ts'
export { loadParts as taxParts } from './move/tax-parts.ts'
export {
  helperLinesOf,
  lineAmountsOf,
  orderTaxTotals,
  type PricedLine,
  type Rounded,
  type TotalsOf,
  totalsAsks,
  totalsFor,
} from './order-amounts.ts'
export {
  amountInCompanyCurrency,
  fromOrderLines,
  inCompanyCurrency,
  inProductUnit,
  measured,
  perProductUnit,
} from './order-analysis.ts'
export {
  orderFactFields,
  orderFields,
  orderLineFields,
  precomputed,
  sectionMethods,
  taxCountry,
  taxCountryPaths,
} from './order-base.ts'
export { sectionsOf } from './order-sections.ts'
export { warningText } from './order-warnings.ts'
export { guardOrdered } from './ordered-products.ts'
export { recordText } from './product-prices.ts'
export { reconcileGroups } from './reconcile/reconcile.ts'
export { headingsOf, withHeadings } from './sections.ts'
export {
  documentTotals,
  exact,
  fixedOf,
  type HelperRequest,
  laterAffectedTaxes,
  priceUnderTaxes,
  roundTo,
  shareOut,
  type Tax,
  type TaxedLine,
  toNumber,
} from './tax-engine/index.ts'
export { type GroupedTaxes, loadGroupedTaxes, loadTaxes, readTaxesOf } from './taxes.ts'
export { accountsOf } from './variant.ts'

// As the modules of others are imported: `import account from 'comptoir/modules/account'`.
export default account
