// Random operations that compete for goods leave the ledger in balance; many deliveries of one product at
// once all come through. Longer rounds: test/stock.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chance, compete, deliverAll, imbalances } from '../../../test/stock/competition.ts'
import { type Office, openOffice } from '../../../test/support/office.ts'
import { patiently } from '../../../test/support/patient.ts'

let shop: Office<never>
before(async () => {
  shop = await openOffice(['base', 'mail', 'uom', 'product', 'stock'], {})
})
after(() => shop?.close())

test('stock: concurrent deliveries of one product all succeed', async () => {
  const { failed } = await deliverAll(shop, 8)
  assert.equal(failed, 0)
  assert.deepEqual(await imbalances(shop), [])
})

test('stock: concurrent counts of one product in one place all succeed', async () => {
  const ask = async <T>(path: string, body: object) => {
    const { status, body: answer } = await patiently(() => shop.call('admin', path, body))
    assert.equal(status, 200, JSON.stringify(answer))
    return answer as T
  }
  const [product_id] = await ask<number[]>('product.product/create', {
    vals_list: [{ name: 'Counted', is_storable: true }],
  })
  const domain = [['usage', '=', 'internal']]
  const [location_id] = await ask<number[]>('stock.location/search', { domain, limit: 1 })
  const count = async (inventory_quantity: number) => {
    const ids = await ask<number[]>('stock.quant/create', {
      vals_list: [{ product_id, location_id, inventory_quantity }],
      context: { inventory_mode: true },
    })
    await ask('stock.quant/action_apply_inventory', { ids })
  }
  await Promise.all(Array.from({ length: 150 }, (_, n) => count(n + 1)))
  assert.deepEqual(await imbalances(shop), [])
})

test('stock: random operations leave the ledger balanced', async () => {
  assert.deepEqual(await compete(shop, { operations: 16, workers: 4, next: chance(11) }), [])
})
