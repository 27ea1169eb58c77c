// Goods under random operations: no more is reserved than held of any lot in any place, and a lowered demand
// keeps the reservation of the rest.
// Begins first: it takes 6 s.
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'
import { anyStory, openStore, type Store, tell } from './goods.ts'
import { documents, holds } from './holds.ts'

let shop: Office<never>
let store: Store
before(async () => {
  shop = await openOffice(['base', 'mail', 'uom', 'product', 'stock'], {})
  store = await openStore(shop)
})
after(() => shop?.close())

test('stock: no operation reserves more than is held of any lot in any place', () =>
  holds(anyStory, documents(6), (story) => tell(store, story)))
