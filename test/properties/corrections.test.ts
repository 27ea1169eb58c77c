// Quantities of done moves that are corrected, in any order: all is worth what it would be had they been
// right at once.
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'
import { anyStory, anySwitchingStory, openStore, type Store, switchMethods, tell } from './corrections.ts'
import { documents, holds } from './holds.ts'

let shop: Office<never>
let store: Store
before(async () => {
  shop = await openOffice(['base', 'mail', 'uom', 'product', 'account', 'stock', 'stock_account'], {})
  store = await openStore(shop)
})
after(() => shop?.close())

test('corrected quantities of done moves, in any order: values are those of quantities that were right at once', () =>
  holds(anyStory, documents(12), (story) => tell(store, story)))

test('another costing method changes the worth of nothing, and values at dates add up to it', () =>
  holds(anySwitchingStory, documents(6), (story) => switchMethods(store, story)))
