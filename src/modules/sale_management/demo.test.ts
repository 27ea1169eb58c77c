// The shop to look at is what it says: products, customers, pricelists in use, orders in all states that add up.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeDataDir } from '../../../test/support/temp.ts'
import { Databases } from '../../databases/index.ts'
import { modules } from '../../main.ts'

const temp = makeDataDir('demo')
let databases: Databases
before(async () => {
  databases = await Databases.open({ dataDir: temp.path, modules, durable: false })
  await databases.create('shop', { modules: ['sale_management'], demo: true, login: 'admin', password: 'admin' })
})
after(async () => {
  await databases?.close()
  temp.remove()
})

test('200 products, 100 customers, 50 orders in all states', async () => {
  const database = await databases.database('shop')
  await database.system(async (env) => {
    const made = async (prefix: string) =>
      (
        await env.model('ir.model.data').search([
          ['module', '=', 'sale_management'],
          ['name', '=like', `${prefix}%`],
        ])
      ).length
    assert.deepEqual([await made('demo_product_'), await made('demo_customer_'), await made('demo_order_')], [200, 100, 50])
    assert.ok((await env.model('product.product').searchCount([])) > 250)
    const orders = await (await env.model('sale.order').search([])).load([
      'state',
      'locked',
      'amount_total',
      'pricelist_id',
      'order_line.discount',
      'date_order',
    ])
    const states = new Set(orders.map((one) => `${one.state}${one.locked ? ' locked' : ''}`))
    assert.deepEqual([...states].sort(), ['cancel', 'draft', 'sale', 'sale locked', 'sent'])
    assert.ok(orders.every((one) => one.amount_total > 0 && one.pricelist_id))
    assert.ok(orders.some((one) => one.order_line.some((line) => line.discount > 0)))
    assert.ok(new Set(orders.map((one) => one.date_order?.slice(0, 10))).size > 20)
  })
})
