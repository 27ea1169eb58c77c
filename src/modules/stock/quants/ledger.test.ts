// The ledger of goods, which raw statements change: records created in the same session show the new
// quantities.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { modules } from '../../../main.ts'
import { changeQuants } from './ledger.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules)
})
after(() => db?.close())

test('rows of the ledger are found from what a unit made itself', () =>
  db.run(async (env) => {
    const make = async (model: 'product.product' | 'stock.location' | 'stock.lot', vals: object) =>
      (await env.model(model).create([vals as never])).ensureOne()
    const product = await make('product.product', { name: 'Fresh', is_storable: true, tracking: 'lot' })
    const location = await make('stock.location', { name: 'Fresh', usage: 'internal' })
    const source = await make('stock.location', { name: 'Source', usage: 'inventory' })
    const lot = await make('stock.lot', { name: 'L1', product_id: product })
    const move = (place: number, quantity: number) => ({
      ...{ product, location: place, lot, package: null, owner: null, reserved: 0 },
      quantity,
    })
    await changeQuants(env, [move(location, 5), move(source, -5)])
    const counts = {
      product: (await env.model('product.product').browse([product]).one(['stock_quant_ids'])).stock_quant_ids
        .length,
      location: (await env.model('stock.location').browse([location]).one(['quant_ids'])).quant_ids.length,
      lot: (await env.model('stock.lot').browse([lot]).one(['quant_ids'])).quant_ids.length,
    }
    assert.deepEqual(counts, { product: 2, location: 1, lot: 2 })
  }))
