// The module `stock_account`: what goods are worth, what they cost, and the books of it. Its story is in
// README.md.
import { defineModule, termsIn } from '#models'
import { auditedModels } from './audited.ts'
import balance from './balance.ts'
import category from './category.ts'
import closing from './closing.ts'
import company, { stockAccounts } from './company.ts'
import invoice from './invoice.ts'
import item from './item.ts'
import move, { entryOfGoods } from './move.ts'
import { valuedPlaces } from './places.ts'
import product from './product.ts'
import productValue from './product-value.ts'
import quant from './quant.ts'
import { data } from './security.ts'
import { completeChanges, setDefaults, setUpCompanies, valueExistingStock } from './setup.ts'
import template from './template.ts'

export const stockAccount = defineModule({
  name: 'stock_account',
  version: '19.0.1.5',
  summary: 'Value of goods, and its entries',
  title: 'Inventory Valuation',
  author: 'Comptoir',
  category: 'base.module_category_inventory',
  depends: ['base', 'uom', 'product', 'account', 'stock'],
  models: [
    company,
    stockAccounts,
    category,
    template,
    balance,
    move,
    entryOfGoods,
    product,
    productValue,
    quant,
    ...valuedPlaces,
    item,
    invoice,
    closing,
    ...auditedModels,
  ],
  data,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
  ready: async (env) => {
    await setDefaults(env)
    await setUpCompanies(env)
    await valueExistingStock(env)
    await completeChanges(env)
  },
})

// As the modules of others are imported: `import stockAccount from 'comptoir/modules/stock_account'`.
export default stockAccount
