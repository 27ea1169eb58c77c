// The module `product`: what is sold and bought, in which variants and packagings, and at what price.
import { defineModule, termsIn } from '#models'
import attribute from './attribute.ts'
import attributeExclusion from './attribute-exclusion.ts'
import attributeLine from './attribute-line.ts'
import attributeValue from './attribute-value.ts'
import { attributeValueForms } from './attribute-value-form.ts'
import { auditedModels } from './audited.ts'
import barcodeClaims from './barcode-claims.ts'
import category from './category.ts'
import combo from './combo.ts'
import comboItem from './combo-item.ts'
import company from './company.ts'
import countryGroup from './country-group.ts'
import currency from './currency.ts'
import { data } from './data.ts'
import { productDocuments } from './document.ts'
import { labels } from './label-layout.ts'
import packaging, { unit } from './packaging.ts'
import partner from './partner.ts'
import pricelist from './pricelist.ts'
import pricelistItem from './pricelist-item.ts'
import variant from './product.ts'
import { groups, rights } from './security.ts'
import settings from './settings.ts'
import { productsShown } from './shown.ts'
import supplierinfo from './supplierinfo.ts'
import tag from './tag.ts'
import template from './template.ts'
import templateAttributeValue from './template-attribute-value.ts'
import { productThreads } from './threads.ts'

export const product = defineModule({
  name: 'product',
  version: '19.0.1.5',
  summary: 'Products, their variants and packagings, vendors and pricelists',
  title: 'Products & Pricelists',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  depends: ['base', 'mail', 'uom'],
  models: [
    // Products.
    category,
    tag,
    template,
    variant,
    packaging,
    barcodeClaims,
    unit,
    ...productsShown,
    ...productDocuments,
    // Attributes and values.
    attribute,
    attributeValue,
    attributeLine,
    templateAttributeValue,
    attributeExclusion,
    ...attributeValueForms,
    // Sale and purchase.
    combo,
    comboItem,
    supplierinfo,
    // Prices.
    pricelist,
    pricelistItem,
    // Additions to models of other modules.
    partner,
    company,
    currency,
    countryGroup,
    settings,
    ...productThreads,
    ...labels,
    ...auditedModels,
  ],
  data: [...groups, ...data, ...rights],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Functions for modules that depend on this one.
export { catalogMethods, openCatalog } from './catalog.ts'
export { costsOf } from './costs.ts'
export { unitNameField } from './measures.ts'
export { PRICELISTS } from './pricelist-choice.ts'
export { type PriceAsk, type PriceOptions, pricesOf } from './pricing/contextual.ts'
export { pricedPaths } from './pricing/load.ts'
export { priceEpochs } from './pricing/moments.ts'
export type { Price } from './pricing/price.ts'
export { namesInOffers } from './product-names.ts'
export { gatheredListPriceSql, gatheredNameSql, gatheredSingleSql } from './product-sql.ts'
export { type Offer, type OfferAsk, offersFor, type Proposal, proposalsFor } from './vendor-offers.ts'

// As the modules of others are imported: `import product from 'comptoir/modules/product'`.
export default product
