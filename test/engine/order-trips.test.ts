// The statements of business calls, with all modules of orders, deliveries and margins. A change that
// adds a statement must update these numbers.
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { type Recorder, recordStatements } from '../support/statements.ts'
import { assertSends } from '../support/trips.ts'

let db: TestDatabase
let key: string
let recorder: Recorder
let partner_id: number
let product_id: number

before(async () => {
  db = await openTestDatabase(modules)
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  await db.run(async (env) => {
    partner_id = (await env.model('res.partner').create([{ name: 'Walker' }])).ensureOne()
    product_id = (
      await env.model('product.product').create([{ name: 'Boots', list_price: 90 } as never])
    ).ensureOne()
  })
  recorder = recordStatements()
})
after(async () => {
  recorder?.stop()
  await db?.close()
})

const vals = () => ({
  partner_id,
  order_line: [1, 2].map((product_uom_qty) => [0, 0, { product_id, product_uom_qty }]),
})

const invoice = () => ({
  move_type: 'out_invoice',
  partner_id,
  invoice_line_ids: [[0, 0, { product_id, quantity: 2 }]],
})

const orders = (env: Environment) => env.model('sale.order')

test('an order of two lines: 16 statements in 2 round trips', () =>
  assertSends(
    db,
    key,
    recorder,
    () => ({ model: 'sale.order', method: 'create', body: { vals_list: [vals()] } }),
    { statements: 16, trips: 2 },
  ))

test('the quantity of a line: 14 statements in 5 round trips', async () => {
  const [line] = await db.run(async (env) => {
    const order = await orders(env).create([vals() as never])
    return (await order.one(['order_line'])).order_line.map(({ id }) => id)
  })
  await assertSends(
    db,
    key,
    recorder,
    (n) => ({
      model: 'sale.order.line',
      method: 'write',
      body: { ids: [line], vals: { product_uom_qty: 5 + n } },
    }),
    { statements: 14, trips: 5 },
  )
})

test('confirming an order of two lines: 47 statements in 5 round trips', async () => {
  const ids = await db.run(async (env) => (await orders(env).create([1, 2, 3].map(vals) as never)).ids)
  await assertSends(
    db,
    key,
    recorder,
    (n) => ({ model: 'sale.order', method: 'action_confirm', body: { ids: [ids[n - 1]] } }),
    { statements: 47, trips: 5 },
  )
})

// One of them asks for the team of the salesperson, before the ids are drawn, one for the account to pay to.
test('an invoice of one line: 43 statements in 12 to 15 round trips', () =>
  assertSends(
    db,
    key,
    recorder,
    () => ({
      model: 'account.move',
      method: 'create',
      body: {
        vals_list: [invoice()],
      },
    }),
    { statements: 43, trips: 12, late: 3 },
  ))

// One of them asks which goods are valued perpetually, on the way of what posting reads anyway: their cost is
// booked with the invoice. One fixes what its prints say, on the way of COMMIT.
test('posting an invoice of one line: 41 statements in 14 round trips', async () => {
  const ids = await db.run(
    async (env) => (await env.model('account.move').create([1, 2, 3].map(invoice) as never)).ids,
  )
  await assertSends(
    db,
    key,
    recorder,
    (n) => ({ model: 'account.move', method: 'action_post', body: { ids: [ids[n - 1]] } }),
    { statements: 41, trips: 14 },
  )
})

test('paying an invoice: 80 statements in 36 to 38 round trips', async () => {
  const forms = await db.run(async (env) => {
    const moves = await env.model('account.move').create([1, 2, 3].map(invoice) as never)
    await moves.action_post({})
    const payments: number[] = []
    for (const id of moves.ids) {
      const inContext = env.withContext({ active_model: 'account.move', active_ids: [id] })
      payments.push((await inContext.model('account.payment.register').create([{}])).ensureOne())
    }
    // Forms are those of their author, who carries them out.
    await env.execute(sql`UPDATE account_payment_register SET create_uid = 2`)
    return payments
  })
  await assertSends(
    db,
    key,
    recorder,
    (n) => ({
      model: 'account.payment.register',
      method: 'action_create_payments',
      body: { ids: [forms[n - 1]] },
    }),
    { statements: 80, trips: 36, late: 2 },
  )
})

/** An order of three goods as a till sends it, of the shop that comes with the module. */
async function tillOrders(): Promise<(n: number) => object> {
  return db.run(async (env) => {
    const config = await env.ref('point_of_sale.pos_config_main')
    const till = env.model('pos.config').browse([config])
    await till.invoke('open_ui', {})
    const session = (await till.one(['current_session_id'])).current_session_id?.id ?? 0
    await env
      .model('pos.session')
      .browse([session])
      .invoke('set_opening_control', { cashbox_value: 0, notes: '' })
    const [method] = (await env.model('pos.payment.method').search([['journal_id.type', '=', 'cash']])).ids
    const vals = { is_storable: true, available_in_pos: true }
    const goods = await env
      .model('product.product')
      .create([1, 2, 3].map((n) => ({ name: `Goods ${n}`, ...vals })) as never)
    const line = (n: number, product: number) => [
      ...[0, 0],
      { uuid: `${n}/${product}`, product_id: product, qty: 1, price_unit: 2, tax_ids: [[6, 0, []]] },
    ]
    return (n) => ({
      ...{ uuid: `order ${n}`, pos_reference: `26-1-00000${n}`, sequence_number: n, session_id: session },
      ...{ state: 'paid', date_order: '2026-05-05 10:00:00', amount_tax: 0, amount_return: 0 },
      ...{ amount_total: 6, amount_paid: 6, lines: goods.ids.map((product) => line(n, product)) },
      payment_ids: [[0, 0, { uuid: `paid ${n}`, payment_method_id: method, amount: 6 }]],
    })
  })
}

test('an order of three goods from a till: 34 statements in 8 or 9 round trips', async () => {
  const orderOf = await tillOrders()
  await assertSends(
    db,
    key,
    recorder,
    (n) => ({ model: 'pos.order', method: 'sync_from_ui', body: { orders: [orderOf(n)] } }),
    { statements: 34, trips: 8, late: 1 },
  )
})
