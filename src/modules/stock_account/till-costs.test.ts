// The cost of goods that tills sell: booked when the session closes, or with the invoice of the order, once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Row, type Till } from '../../../test/support/till.ts'

let till: Till
let customer: number
before(async () => {
  till = await openTill(['stock_account'])
  customer = await till.make('res.partner', { name: 'Customer' })
})
after(() => till?.close())

async function goods(method: string, standard_price: number, valuation = 'real_time'): Promise<number> {
  const categ_id = await till.make('product.category', {
    name: `${method} ${valuation}`,
    property_cost_method: method,
    property_valuation: valuation,
  })
  const product_id = await till.make('product.product', {
    name: method,
    is_storable: true,
    available_in_pos: true,
    taxes_id: [[5]],
    categ_id,
    standard_price,
  })
  return product_id
}

/** A session of a till of its own. */
async function openSession(): Promise<number> {
  const config_id = await till.make('pos.config', {
    name: 'Costs',
    payment_method_ids: [[6, 0, [till.card]]],
  })
  const session = await till.make('pos.session', { config_id })
  await till.ask('pos.session/set_opening_control', { ids: [session], cashbox_value: 0, notes: '' })
  return session
}
const close = (session: number) => till.ask('pos.session/close_session_from_ui', { ids: [session] })

let orders = 0
async function sell(session: number, product: number, qty: number, more: Row = {}): Promise<number> {
  const n = ++orders
  const order = till.order({
    n: 4000 + n,
    lines: [{ product, qty, price: 20 }],
    method: till.card,
    more: { session_id: session, partner_id: customer, ...more },
  })
  const { status, body } = await till.sync([order], 'admin')
  assert.equal(status, 200, JSON.stringify(body))
  return (body as { 'pos.order': [{ id: number }] })['pos.order'][0].id
}

const invoice = (order: number) => till.ask('pos.order/action_pos_order_invoice', { ids: [order] })

/** Balances of the items of goods sold, by kind of entry and of account, since the item `after`. */
async function costs(after: number): Promise<Record<string, number>> {
  const rows = await till.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['id', '>', after],
      ['display_type', '=', 'cogs'],
    ],
    fields: ['account_type', 'move_type', 'balance'],
  })
  const sums: Record<string, number> = {}
  for (const { account_type, move_type, balance } of rows) {
    const key = `${move_type} ${account_type}`
    sums[key] = (sums[key] ?? 0) + (balance as number)
  }
  return sums
}

async function latestItem(): Promise<number> {
  const [row] = await till.ask<Row[]>('account.move.line/search_read', {
    domain: [],
    fields: ['id'],
    order: 'id desc',
    limit: 1,
  })
  return (row?.id as number | undefined) ?? 0
}

test('closing a session books the cost of goods that were sold without an invoice, less those that came back', async () => {
  const product = await goods('standard', 6)
  const periodic = await goods('standard', 6, 'periodic')
  const session = await openSession()
  const start = await latestItem()
  await sell(session, product, 3)
  await sell(session, product, -1, { is_refund: true })
  await sell(session, periodic, 1)
  await sell(session, product, 2, { to_invoice: true })
  await close(session)
  assert.deepEqual(await costs(start), {
    'entry expense': 12,
    'entry asset_current': -12,
    'out_invoice expense': 12,
    'out_invoice asset_current': -12,
  })
})

test('an order that is invoiced after closing has its cost in its invoice alone', async () => {
  const product = await goods('standard', 6)
  const session = await openSession()
  const start = await latestItem()
  const order = await sell(session, product, 3)
  await sell(session, product, 1)
  await close(session)
  await invoice(order)
  assert.deepEqual(await costs(start), {
    'entry expense': 6,
    'entry asset_current': -6,
    'out_invoice expense': 18,
    'out_invoice asset_current': -18,
  })
})

test('goods that move when the session closes cost what they were worth when they left', async () => {
  await till.run(async (env) =>
    env
      .model('res.company')
      .browse([env.companyId])
      .write({ point_of_sale_update_stock_quantities: 'closing' }),
  )
  const product = await goods('fifo', 4)
  const session = await openSession()
  const start = await latestItem()
  const order = await sell(session, product, 3)
  await sell(session, product, 2)
  await close(session)
  const booked = { 'entry expense': 20, 'entry asset_current': -20 }
  assert.deepEqual(await costs(start), booked)
  await till.ask('product.product/write', { ids: [product], vals: { standard_price: 9 } })
  await invoice(order)
  assert.deepEqual(await costs(start), {
    'entry expense': 8,
    'entry asset_current': -8,
    'out_invoice expense': 12,
    'out_invoice asset_current': -12,
  })
})

test('an invoice of a till order, and the credit note of its refund, cost what its goods were worth when they moved', async () => {
  await till.run(async (env) =>
    env.model('res.company').browse([env.companyId]).write({ point_of_sale_update_stock_quantities: 'real' }),
  )
  const product = await goods('average', 4)
  const session = await openSession()
  const start = await latestItem()
  const order = await sell(session, product, 3)
  const refund = await sell(session, product, -1, { is_refund: true })
  await till.ask('product.product/write', { ids: [product], vals: { standard_price: 9 } })
  await invoice(order)
  await invoice(refund)
  await close(session)
  assert.deepEqual(await costs(start), {
    'out_invoice expense': 12,
    'out_invoice asset_current': -12,
    'out_refund expense': -4,
    'out_refund asset_current': 4,
  })
})

/** Items of entries since the item `after`, with their sides. */
async function sidesSince(after: number): Promise<unknown[]> {
  const rows = await till.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['id', '>', after],
      ['move_type', '=', 'entry'],
      ['journal_id.type', 'not in', ['bank', 'cash']],
    ],
    fields: ['account_type', 'debit', 'credit'],
    order: 'id',
  })
  return rows.map((row) => [row.account_type, row.debit, row.credit])
}

test('storno accounting: what came back is negative on its side, and what an invoice takes out of a session too', async () => {
  await till.run((env) => env.model('res.company').browse([env.companyId]).write({ account_storno: true }))
  const product = await goods('standard', 6)
  const session = await openSession()
  const start = await latestItem()
  const order = await sell(session, product, 3)
  await sell(session, product, -1, { is_refund: true })
  await close(session)
  assert.deepEqual(await sidesSince(start), [
    ['income', 0, 60],
    ['income', 0, -20],
    ['asset_receivable', 40, 0],
    ['expense', 12, 0],
    ['asset_current', 0, 12],
  ])
  const closed = await latestItem()
  await invoice(order)
  assert.deepEqual(await sidesSince(closed), [
    // Payments of the order become those of its invoice.
    ['asset_receivable', 0, 60],
    ['asset_receivable', 60, 0],
    ['income', 0, -60],
    ['asset_receivable', -60, 0],
    ['expense', -18, 0],
    ['asset_current', 0, -18],
  ])
})
