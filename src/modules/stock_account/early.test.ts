// Quantities of moves that were done before goods were valued, corrected after.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { modulesWith } from '../../../test/support/sets.ts'
import { installModules } from '../../services/admin.ts'

let db: TestDatabase
const methods = ['standard', 'average', 'fifo'] as const
before(async () => {
  db = await openTestDatabase(modulesWith('account', 'stock', 'stock_account'), {
    installed: ['base', 'mail', 'resource', 'uom', 'product', 'account', 'stock'],
  })
})
after(() => db?.close())

const run = async <T>(work: (env: Environment) => Promise<T>) =>
  (await db.databases.database('test')).system(work)

/** Receives so much: gives the move. */
const receive = (product_id: number, quantity: number, price_unit: number) =>
  run(async (env) => {
    const places = {
      location_id: await env.ref('stock.stock_location_suppliers'),
      location_dest_id: await env.ref('stock.stock_location_stock'),
    }
    const move = { product_id, product_uom_qty: quantity, quantity, picked: true, price_unit, ...places }
    const picking = await env.model('stock.picking').create([
      {
        picking_type_id: await env.ref('stock.picking_type_in'),
        ...places,
        move_ids: [[0, 0, move]],
      } as object,
    ])
    await picking.button_validate()
    const [row] = await picking.load(['move_ids'])
    return row?.move_ids[0]?.id as number
  })
const correct = (move: number, quantity: number) =>
  run((env) => env.model('stock.move').browse([move]).write({ quantity }))

const worth = (product: number, context: Readonly<Record<string, unknown>> = {}) =>
  run(async (env) => {
    const [row] = await env
      .withContext(context)
      .model('product.product')
      .browse([product])
      .load(['qty_available', 'total_value'])
    return [row?.qty_available, row?.total_value]
  })

test('corrected quantity of a move from before goods were valued: what was there is more, or less', async () => {
  const products = await run(
    async (env) =>
      (
        await env
          .model('product.product')
          .create(methods.map((name) => ({ name, is_storable: true, standard_price: 4 })))
      ).ids,
  )
  const moves: number[] = []
  for (const product of products) moves.push(await receive(product, 10, 5))
  await installModules(db.databases, 'test', ['stock_account'])
  for (const [i, method] of methods.entries()) {
    const [product, move] = [products[i] as number, moves[i] as number]
    await run(async (env) => {
      const categories = env.model('product.category')
      const { ids } = await categories.create([{ name: method, property_cost_method: method } as object])
      await env
        .model('product.product')
        .browse([product])
        .write({ categ_id: ids[0] } as object)
    })
    const later = async () => (await worth(product, { to_date: '2100-01-01' }))[1]
    assert.deepEqual([await worth(product), await later()], [[10, 40], 40], method)
    await correct(move, 12)
    assert.deepEqual([await worth(product), await later()], [[12, 48], 48], method)
    await correct(move, 8)
    assert.deepEqual([await worth(product), await later()], [[8, 32], 32], method)
    await receive(product, 8, 6)
    const both = method === 'standard' ? 64 : 80
    assert.deepEqual([await worth(product), await later()], [[16, both], both], method)
    await correct(move, 4)
    const less = method === 'standard' ? 48 : 64
    assert.deepEqual([await worth(product), await later()], [[12, less], less], method)
  }
})
