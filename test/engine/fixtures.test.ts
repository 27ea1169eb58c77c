// Two small modules prove what modules can do to each other: mixins, delegation, extension, wrapping, stored
// values that follow, rules, data.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ValidationError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { shop } from '../fixtures/modules/shop/index.ts'
import { shopDelivery } from '../fixtures/modules/shop_delivery/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  const base = modules.filter((module) => module.name === 'base')
  db = await openTestDatabase([...base, shop, shopDelivery])
})
after(() => db?.close())

/** An order of two lines: 3 × 2.50 and 1 × 0.40. */
async function makeOrder(env: Environment, vals: object = {}) {
  const [partner] = (await env.model('res.partner').search([], { limit: 1 })).ids
  const articles = await env.model('shop.article').create([
    { name: 'Pear', price: 2.5 },
    { name: 'Plum', price: 0.4 },
  ])
  const [pear, plum] = articles.ids
  const line_ids = [
    [0, 0, { article_id: pear, quantity: 3 }],
    [0, 0, { article_id: plum }],
  ] as const
  const order = await env
    .model('shop.order')
    .create([{ name: 'S1', partner_id: partner as number, line_ids, ...vals }])
  return { order, articles }
}

test('data of a module is there, under its external id', async () => {
  await db.run(async (env) => {
    const [apple] = await env
      .model('shop.article')
      .browse([await env.ref('shop.apple')])
      .load(['name', 'code', 'price', 'active'])
    assert.deepEqual([apple?.name, apple?.code, apple?.price, apple?.active], ['Apple', 'app', 0.3, true])
  })
})

test('a mixin gives fields, computed fields and methods', async () => {
  await db.run(async (env) => {
    const [article] = await env.model('shop.article').create([{ name: 'Quince', code: 'quince' }])
    assert.ok(article)
    const records = env.model('shop.article').browse(article.ids)
    assert.equal((await records.one(['code_upper'])).code_upper, 'QUINCE')
    assert.deepEqual(await records.describe_code({}), ['[quince]'])
  })
})

test('stored values follow their dependencies through lines and articles, within a call', async () => {
  await db.run(async (env) => {
    const { order, articles } = await makeOrder(env, { freight: 2 })
    const total = async () => {
      const seen = await order.one(['amount_total', 'amount_payable'])
      return [seen.amount_total, seen.amount_payable]
    }
    assert.deepEqual(await total(), [7.9, 9.9])
    await env
      .model('shop.article')
      .browse([articles.ids[0] as number])
      .write({ price: 3 })
    assert.deepEqual(await total(), [9.4, 11.4])
    const { line_ids } = await order.one(['line_ids.id'])
    await env
      .model('shop.order.line')
      .browse([line_ids[1]?.id as number])
      .unlink()
    assert.deepEqual(await total(), [9, 11])
  })
})

test('delegation: one call makes both records, and both are read and written through the one', async () => {
  await db.run(async (env) => {
    const vouchers = await env
      .model('shop.voucher')
      .create([{ value: 50, name: 'Gift', code: 'gift' } as never])
    const [row] = await vouchers.read(['name', 'value', 'article_id'])
    assert.deepEqual([row?.name, row?.value], ['Gift', 50])
    const article = env
      .model('shop.article')
      .browse([(row as { article_id: [number, string] }).article_id[0]])
    await vouchers.write({ name: 'Present' } as never)
    assert.equal((await article.one(['name'])).name, 'Present')
  })
})

test('an extension wraps a method, over the wire by name too', async () => {
  const id = await db.run(
    async (env) => (await makeOrder(env, { name: 'S7', carrier: 'Post' })).order.ids[0] as number,
  )
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  const over = async (model: string, method: string, body: object) => {
    const { ids, ...named } = body as { ids?: number[] }
    const request = {
      database: 'test',
      credential: { kind: 'key', key },
      model,
      method,
      remote: '127.0.0.1',
      requestId: 'test',
    } as const
    return JSON.parse((await call(db.databases, { ...request, body: () => ({ ids, named }) })).json)
  }
  const said = await over('shop.order', 'confirm', { ids: [id], urgent: true })
  assert.match(said[0], /^S7 for .+ by Post$/)
  const [row] = await over('shop.order', 'read', { ids: [id], fields: ['state', 'urgent', 'carrier'] })
  assert.deepEqual(row, { id, state: 'done', urgent: true, carrier: 'Post' })
  await assert.rejects(over('shop.order', 'confirm', { ids: [id], hurry: true }), { status: 422 })
})

test('checks, unique rules and restricting links refuse in words', async () => {
  const refused = (work: (env: Environment) => Promise<unknown>, words: RegExp) =>
    assert.rejects(
      db.run(work),
      (error: unknown) => error instanceof ValidationError && words.test(error.message),
    )
  await refused(
    (env) => env.model('shop.article').create([{ name: 'Debt', price: -1 }]),
    /The price is negative/,
  )
  const id = await db.run(async (env) => (await makeOrder(env)).articles.ids[0] as number)
  await assert.rejects(db.run((env) => env.model('shop.article').browse([id]).unlink()))
  await db.run(async (env) => assert.equal((await env.model('shop.article').browse([id]).exists()).length, 1))
  await assert.rejects(
    db.run((env) =>
      env.model('shop.article').create([
        { name: 'A', code: 'one' },
        { name: 'B', code: 'one' },
      ]),
    ),
  )
})

test('a table has the columns, and nothing else, that the modules together declare', async () => {
  await db.run(async (env) => {
    const names = env.def('shop.order')
    const stored = [...names.fields.values()].filter((field) => field.column).map((field) => field.name)
    assert.deepEqual(
      new Set(stored),
      new Set([
        'id',
        'name',
        'partner_id',
        'state',
        'urgent',
        'amount_total',
        'carrier',
        'freight',
        'amount_payable',
        'create_uid',
        'create_date',
        'write_uid',
        'write_date',
      ]),
    )
  })
})
