// Lists of new records equal single creations in order: records created along with each are separate,
// and later ones see earlier ones.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { present } from '../../src/kit/present.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules)
})
after(() => db?.close())

/** Creates records in one call, and reads them in order. */
async function createRecords(
  env: Environment,
  model: string,
  list: readonly object[],
  fields: readonly string[],
) {
  const records = await env.model(model as 'res.partner').create(list as never)
  const rows = (await records.read(fields as never)) as unknown as readonly Record<string, unknown>[]
  const byId = new Map(rows.map((row) => [row.id, row]))
  return records.ids.map((id) => byId.get(id) as Record<string, unknown>)
}

test('lists: commands that create a many2many record create one for each, explicit or by default', async () => {
  const tag = () => [[0, 0, { name: 'New here' }]]
  await db.run(async (env) => {
    const rows = await createRecords(
      env,
      'res.partner',
      [{ name: 'A', category_id: tag() }, { name: 'B', category_id: tag() }, { name: 'C' }],
      ['category_id'],
    )
    const [a, b, c] = rows.map((row) => row.category_id as number[])
    assert.deepEqual([a?.length, b?.length, c], [1, 1, []])
    assert.notDeepEqual(a, b)
  })
  await db.run(async (env) => {
    const inContext = env.withContext({ default_category_id: tag() })
    const rows = await createRecords(
      inContext,
      'res.partner',
      [{ name: 'D' }, { name: 'E' }, { name: 'F' }],
      ['category_id'],
    )
    assert.equal(new Set(rows.flatMap((row) => row.category_id as number[])).size, 3)
  })
})

test('lists: a write on several records links them to one new record', async () => {
  await db.run(async (env) => {
    const partners = await env.model('res.partner').create([{ name: 'G' }, { name: 'H' }])
    await partners.write({ category_id: [[0, 0, { name: 'Shared' }]] } as never)
    const rows = await partners.read(['category_id'])
    assert.deepEqual(rows[0]?.category_id, rows[1]?.category_id)
  })
})

test('lists: points of sale have separate tokens and payment methods', async () => {
  await db.run(async (env) => {
    const fields = ['uuid', 'payment_method_ids']
    const names = ['One', 'Two', 'Three'].map((name) => ({ name }))
    const rows = await createRecords(env, 'pos.config', names, fields)
    assert.equal(new Set(rows.map(({ uuid }) => uuid)).size, 3)
    const cash = await env.model('pos.payment.method').search([['is_cash_count', '=', true]])
    const drawers: number[] = []
    for (const { payment_method_ids: ids } of rows) {
      assert.ok(
        (ids as number[]).some((id) => !cash.ids.includes(id)),
        'each takes cards',
      )
      drawers.push(...(ids as number[]).filter((id) => cash.ids.includes(id)))
    }
    assert.equal(new Set(drawers).size, drawers.length, 'no drawer serves two')
  })
})

test('lists: counts of one place and product are applied one after the other', async () => {
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  const ask = async <T>(model: string, method: string, named: Record<string, unknown>) => {
    const credential = { kind: 'key', key } as const
    const from = { database: 'test', credential, remote: '127.0.0.1', requestId: 'test' }
    const { json } = await call(db.databases, { ...from, model, method, body: () => ({ named }) })
    return JSON.parse(json) as T
  }
  type Rows = readonly Record<string, unknown>[]
  const [house] = await ask<Rows>('stock.warehouse', 'search_read', {
    domain: [],
    fields: ['lot_stock_id'],
    limit: 1,
  })
  const [location_id] = present(house).lot_stock_id as [number]
  for (const [list, expected] of [
    [
      [{ inventory_quantity_auto_apply: 5 }, { inventory_quantity: 8 }],
      [5, 8, true],
    ],
    [
      [{ inventory_quantity: 8 }, { inventory_quantity_auto_apply: 5 }],
      [5, 0, false],
    ],
    [
      [{ inventory_quantity: 5 }, {}],
      [0, 5, true],
    ],
    [
      [{ inventory_quantity: 5 }, { inventory_quantity: 7 }],
      [0, 7, true],
    ],
    [
      [{ inventory_quantity_auto_apply: 5 }, { inventory_quantity_auto_apply: 8 }],
      [8, 0, false],
    ],
  ] as const) {
    const vals = { name: 'Counted', is_storable: true }
    const [product_id] = await ask<number[]>('product.product', 'create', { vals_list: [vals] })
    const vals_list = list.map((quant) => ({ product_id, location_id, ...quant }))
    const ids = await ask<number[]>('stock.quant', 'create', { vals_list })
    assert.equal(ids[0], ids[1], 'both are of one row of the ledger')
    const fields = ['quantity', 'inventory_quantity', 'inventory_quantity_set']
    const [row] = await ask<Rows>('stock.quant', 'search_read', { domain: [['id', 'in', ids]], fields })
    assert.deepEqual(
      fields.map((name) => row?.[name]),
      expected,
      JSON.stringify(list),
    )
  }
})
