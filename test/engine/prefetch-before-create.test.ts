// Prefetch before a create, of records that the new ones refer to: from values of any kind, and without
// an effect on answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { send } from '../support/trips.ts'

let db: TestDatabase
let key: string
let partner_id: number
let product_id: number

before(async () => {
  db = await openTestDatabase(modules)
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  await db.run(async (env) => {
    partner_id = (await env.model('res.partner').create([{ name: 'Ahead' }])).ensureOne()
    product_id = (
      await env.model('product.product').create([{ name: 'Boots', list_price: 90 } as never])
    ).ensureOne()
  })
})
after(() => db?.close())

const make = (vals: unknown) =>
  send(db, key, { model: 'sale.order', method: 'create', body: { vals_list: [vals] } })
const orders = () => db.run((env) => env.model('sale.order').searchCount([]))

const ODD = ['x', -1, 0, 2 ** 40, 1.5, true, [], [1, 2], {}, Number.MAX_SAFE_INTEGER, 999_999]

test('prefetch of creates: links to missing records are refused, and nothing stays', async () => {
  const before = await orders()
  for (const odd of ODD) {
    await assert.rejects(make({ partner_id: odd }), ServiceError, `customer ${JSON.stringify(odd)}`)
    if (odd === 0) continue
    await assert.rejects(
      make({ partner_id, order_line: [[0, 0, { product_id: odd, product_uom_qty: 1 }]] }),
      ServiceError,
      `product ${JSON.stringify(odd)}`,
    )
  }
  assert.equal(await orders(), before)
})

test('prefetch of creates: commands are refused or executed as without it', async () => {
  const before = await orders()
  for (const odd of ['x', [[0]], [[0, 0]], [[0, 0, 'x']], [[0, 0, [product_id]]], [null], [[7, 0, 0]]])
    await assert.rejects(make({ partner_id, order_line: odd }), ServiceError, JSON.stringify(odd))
  assert.equal(await orders(), before)
  await make({ partner_id, order_line: [[0, 0, { product_id, product_uom_qty: 1 }]] })
  assert.equal(await orders(), before + 1)
})

test('prefetch of creates: users without the create right get that error, whatever company they name', async () => {
  await db.run((env) => env.model('res.users').create([{ name: 'Guest', login: 'guest' } as never]))
  const guest = await createKey(db.databases, 'test', 'guest', { scope: 'rpc', name: 'test', days: 1 })
  for (const allowed_company_ids of [[999_999], ['x']])
    for (const model of ['sale.order', 'account.move', 'res.country'])
      await assert.rejects(
        send(db, guest, {
          model,
          method: 'create',
          body: { vals_list: [{ partner_id, name: 'x' }], context: { allowed_company_ids } },
        }),
        { message: /^You are not allowed to create/ },
        `${model} ${allowed_company_ids}`,
      )
})

test('prefetch of creates: an invoice takes an archived journal if archived records are active', () =>
  db.run(async (env) => {
    const journals = await env.model('account.journal').search([['type', '=', 'sale']])
    await journals.write({ active: false })
    const vals = { move_type: 'out_invoice', partner_id, invoice_line_ids: [[0, 0, { product_id }]] }
    const all = env.withContext({ active_test: false })
    const [move] = await (await all.model('account.move').create([vals as never])).load(['journal_id'])
    assert.equal(move?.journal_id.id, journals.ids[0])
    const moves = env.withContext({ active_test: true }).model('account.move')
    await assert.rejects(moves.create([vals as never]), {
      name: 'UserError',
      message: /no journal for this type of document \(sale\)/,
    })
    await journals.write({ active: true })
  }))

test('prefetch of creates: lines beyond its limit cost what they cost one by one', () =>
  db.run(async (env) => {
    const vals = (n: number) => ({
      partner_id,
      order_line: [[0, 0, { product_id, product_uom_qty: n + 1 }]],
    })
    const many = await env.model('sale.order').create(Array.from({ length: 250 }, (_, n) => vals(n)) as never)
    const totals = (await many.load(['amount_untaxed'])).map((move) => move.amount_untaxed)
    assert.deepEqual(
      totals,
      totals.map((_, n) => 90 * (n + 1)),
    )
    const [alone] = await (await env.model('sale.order').create([vals(6)] as never)).load(['amount_untaxed'])
    assert.equal(alone?.amount_untaxed, totals[6])
  }))
