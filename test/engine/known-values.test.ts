// Values that a call knows without reading equal those of a read: over a story of orders, deliveries,
// returns, purchases and invoices.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { type Known, watchKnown } from '../support/known-values.ts'

let db: TestDatabase
let watcher: Known
before(async () => {
  db = await openTestDatabase(modules)
  watcher = watchKnown()
})
after(async () => {
  watcher?.stop()
  await db?.close()
})

const run = async (model: string, method: string, ids: readonly number[], more: object = {}) =>
  db.run((env) =>
    env
      .model(model as 'res.partner')
      .browse(ids)
      .invoke(method, { ...more }),
  )
const make = (model: string, list: readonly object[], context: object = {}) =>
  db.run(
    async (env) =>
      (
        await env
          .withContext({ ...context })
          .model(model as 'res.partner')
          .create(list as never)
      ).ids as [number, ...number[]],
  )
const write = (model: string, ids: readonly number[], vals: object) =>
  db.run((env) =>
    env
      .model(model as 'res.partner')
      .browse(ids)
      .write(vals as never),
  )
const search = (env: Environment, model: string, domain: readonly unknown[]) =>
  env.model(model as 'res.partner').search(domain as never)

test('a story of business: what is known at the end of each call is what a read gives', async () => {
  const [partner_id] = await make('res.partner', [{ name: 'Walker' }])
  const [boots, socks] = await make('product.product', [
    { name: 'Boots', list_price: 90 },
    { name: 'Socks', list_price: 9, is_storable: true },
  ])
  const line = (product_id: number | undefined, product_uom_qty: number) => [
    0,
    0,
    { product_id, product_uom_qty },
  ]
  const [bought] = await make('purchase.order', [
    { partner_id, order_line: [[0, 0, { product_id: socks, product_qty: 40, price_unit: 3 }]] },
  ])
  await run('purchase.order', 'button_confirm', [bought])
  const transfers = (domain: readonly unknown[]) =>
    db.run(async (env) => (await search(env, 'stock.picking', domain)).ids)
  await run('stock.picking', 'button_validate', await transfers([['purchase_id', '=', bought]]))
  const orders = await make(
    'sale.order',
    [1, 2, 3].map((n) => ({ partner_id, order_line: [line(boots, n), line(socks, 2 * n), line(socks, n)] })),
  )
  await run('sale.order', 'action_confirm', orders)
  const [first, second, third] = orders as readonly number[] as readonly [number, number, number]
  const lines = await db.run(
    async (env) => (await search(env, 'sale.order.line', [['order_id', '=', first]])).ids,
  )
  await write('sale.order.line', lines.slice(0, 2), { product_uom_qty: 7 })
  await write('sale.order.line', lines.slice(1, 2), { product_uom_qty: 1 })
  await write('sale.order', [second], { order_line: [line(socks, 5)] })
  await run('stock.picking', 'button_validate', await transfers([['sale_id', '=', first]]))
  await run('sale.order', 'action_cancel', [third])
  await run('sale.order', 'action_draft', [third])
  await run('sale.order', 'action_confirm', [third])
  const invoice = {
    move_type: 'out_invoice',
    partner_id,
    invoice_line_ids: [[0, 0, { product_id: boots, quantity: 2 }]],
  }
  const invoices = await make('account.move', [invoice, invoice])
  await write('account.move', invoices.slice(0, 1), {
    invoice_line_ids: [[0, 0, { product_id: socks, quantity: 4 }]],
  })
  await run('account.move', 'action_post', invoices)
  const [payment] = await make('account.payment.register', [{}], {
    active_model: 'account.move',
    active_ids: invoices,
  })
  await run('account.payment.register', 'action_create_payments', [payment])
  assert.deepEqual(watcher.wrong, [])
  assert.ok(watcher.compared > 3000, `${watcher.compared} values were compared`)
})
