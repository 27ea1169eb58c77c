// Deferred inserts that wait for values computed from their child records: every read finds the rows,
// and they hold the values that a later UPDATE would have written.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { recordStatements } from '../support/statements.ts'

let db: TestDatabase
let partner_id: number
let product_id: number

before(async () => {
  db = await openTestDatabase(modules)
  await db.run(async (env) => {
    partner_id = (await env.model('res.partner').create([{ name: 'Late' }])).ensureOne()
    const vals = { name: 'Third', list_price: 3.337 }
    product_id = (await env.model('product.product').create([vals as never])).ensureOne()
  })
})
after(() => db?.close())

const order = (qty: number, more: object = {}) => ({
  partner_id,
  order_line: [[0, 0, { product_id, product_uom_qty: qty }]],
  ...more,
})
const create = (env: Environment, ...list: object[]) => env.model('sale.order').create(list as never)

/** The committed rows of orders. */
const stored = (ids: readonly number[]) =>
  db.run(async (env) =>
    (
      await env.query(
        sql`SELECT amount_untaxed::text, amount_tax::text, amount_total::text, margin::text FROM sale_order WHERE id = ANY(${[...ids]}::int[]) ORDER BY id`,
      )
    ).map((row) => row.map(Number)),
  )

test('deferred inserts: a query of the same transaction finds the order with its final values', async () => {
  const orders = await db.run(async (env) => {
    const { ids } = await create(env, order(3), order(1))
    const [[count] = []] = await env.query(
      sql`SELECT count(*)::int FROM sale_order WHERE id = ANY(${[...ids]}::int[])`,
    )
    assert.equal(count, 2)
    const fields = ['amount_untaxed', 'amount_tax', 'amount_total', 'margin'] as const
    const shown = await env.model('sale.order').browse(ids).load(fields)
    return { ids, sums: [...shown].map((order) => fields.map((field) => order[field])) }
  })
  assert.deepEqual(await stored(orders.ids), orders.sums)
  assert.equal(orders.sums[0]?.[0], 10.01)
})

test('orders are written once: nothing follows their INSERT but the rows of their lines', async () => {
  const recorder = recordStatements()
  try {
    await db.run((env) => create(env, order(2), order(5)))
    const updates = recorder.statements.filter(({ text }) => text.startsWith('UPDATE "sale_order'))
    assert.deepEqual(
      updates.map(({ text }) => text),
      [],
    )
  } finally {
    recorder.stop()
  }
})

test('deferred inserts: explicit sums are kept', async () => {
  const ids = await db.run(async (env) => (await create(env, { partner_id, amount_total: 5 }, order(1))).ids)
  assert.deepEqual(
    (await stored(ids)).map((row) => row[2]),
    [5, 3.84],
  )
})

test('deferred inserts: a rolled back savepoint removes its order and keeps the one before it', async () => {
  const gone: number[] = []
  const kept = await db.run(async (env) => {
    const { ids } = await create(env, order(1))
    await assert.rejects(
      env.unit.savepoint(async () => {
        gone.push(...(await create(env, order(7))).ids)
        throw new Error('undone')
      }),
      /undone/,
    )
    return ids
  })
  assert.equal(gone.length, 1)
  assert.deepEqual(await stored(gone), [])
  assert.equal((await stored(kept))[0]?.[0], 3.34)
})

test('deferred inserts: errors of references have the usual messages, although lines are computed first', () =>
  assert.rejects(
    db.run((env) => create(env, order(1, { pricelist_id: 99_999 }))),
    /pricelist/i,
  ))
