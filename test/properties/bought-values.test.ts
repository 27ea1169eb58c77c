// Receipts are worth what their documents say, whatever was corrected in between.
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../support/buying.ts'
import { anyStory, buy, openCategories, type Story } from './bought-values.ts'
import { documents, holds } from './holds.ts'

let shop: Buying
let categories: Readonly<Record<Story['method'], number>>
before(async () => {
  shop = await openBuying(['stock', 'stock_account', 'purchase_stock'])
  categories = await openCategories(shop)
})
after(() => shop?.close())

test('receipts are worth what order and posted bills say, in whatever order these come, change and go', () =>
  holds(anyStory, documents(6), (story) => buy(shop, categories[story.method], story)))
