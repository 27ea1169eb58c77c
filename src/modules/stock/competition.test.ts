// Random operations that compete for goods leave the ledger in balance; many deliveries of one product at
// once all come through. Longer rounds: test/stock.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chance, compete, deliverAll, imbalances } from '../../../test/stock/competition.ts'
import { type Office, openOffice } from '../../../test/support/office.ts'

let shop: Office<never>
before(async () => {
  shop = await openOffice(['base', 'uom', 'product', 'stock'], {})
})
after(() => shop?.close())

test('deliveries of one product at once all come through', async () => {
  const { failed } = await deliverAll(shop, 8)
  assert.equal(failed, 0)
  assert.deepEqual(await imbalances(shop), [])
})

test('operations by chance leave the ledger in balance', async () => {
  assert.deepEqual(await compete(shop, { operations: 16, workers: 4, next: chance(11) }), [])
})
