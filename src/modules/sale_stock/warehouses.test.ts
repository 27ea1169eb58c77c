// The warehouse of an order that says none: the first of its company.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { modules } from '../../main.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules)
})
after(() => db?.close())

test('an archived warehouse counts where archived records are asked for, and nowhere else', () =>
  db.run(async (env) => {
    const houses = env.model('stock.warehouse')
    const [usual] = (await houses.search([])).ids
    const vals = { name: 'Old', code: 'OLD', sequence: -1, active: false }
    const old = (await houses.create([vals as never])).ensureOne()
    const partner_id = (await env.model('res.partner').create([{ name: 'Customer' }])).ensureOne()
    for (const [active_test, wanted] of [
      [true, usual],
      [false, old],
    ]) {
      const orders = env.withContext({ active_test }).model('sale.order')
      const [order] = await (await orders.create([{ partner_id } as never])).load(['warehouse_id'])
      assert.equal(order?.warehouse_id?.id, wanted)
    }
  }))
