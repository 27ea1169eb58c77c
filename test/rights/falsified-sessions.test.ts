// Attempts with sessions of tills: an order and its payments are money of one session, whose till takes
// them, and none is added past its closing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Row, type Till } from '../support/till.ts'
import { assertRefused } from './attempts.ts'

let till: Till
let product = 0
/** The session of another point of sale, which has no drawer. */
let other = 0
let otherTill = 0
let number = 0

before(async () => {
  till = await openTill(['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock'])
  product = await till.make('product.product', { name: 'Thing', available_in_pos: true, list_price: 10 })
  otherTill = await till.make('pos.config', { name: 'No drawer' })
  other = await opened(otherTill)
})
after(() => till?.close())

async function opened(config: number): Promise<number> {
  await till.ask('pos.config/open_ui', { ids: [config] }, 'cashier')
  const { current_session_id } = await till.read('pos.config', config, ['current_session_id'])
  const ids = [current_session_id]
  await till.ask('pos.session/set_opening_control', { ids, cashbox_value: 0, notes: '' }, 'cashier')
  return current_session_id as number
}

const draft = (method: number): Row =>
  till.order({ n: ++number, lines: [{ product, price: 10 }], method, more: { state: 'draft' } })

async function stored(order: Row): Promise<number> {
  const { status, body } = await till.sync([order])
  assert.equal(status, 200, JSON.stringify(body))
  return (body as { 'pos.order': [{ id: number }] })['pos.order'][0].id
}

async function places(id: number): Promise<Row> {
  const { payment_ids, ...order } = await till.read('pos.order', id, [
    'session_id',
    'config_id',
    'payment_ids',
  ])
  const [payment] = payment_ids as number[]
  return {
    ...order,
    payment: payment && (await till.read('pos.payment', payment, ['session_id'])).session_id,
  }
}

const into = (ids: readonly number[]) => ({ ids, vals: { session_id: other } })

test('sessions: cash of a drawer does not leave for a till that takes none', async () => {
  const order = draft(till.cash)
  const id = await stored(order)
  await assertRefused(till, 'cashier', 'pos.order/write', into([id]))
  for (const state of ['draft', 'paid']) {
    const orders = [{ ...order, state, session_id: other }]
    await assertRefused(till, 'cashier', 'pos.order/sync_from_ui', { orders })
  }
  // Payments that the till does not send again stay, and their cash with them.
  const bare = { ...order, session_id: other, lines: [], payment_ids: [] }
  await assertRefused(till, 'cashier', 'pos.order/sync_from_ui', { orders: [bare] })
  await till.ask('pos.order/unlink', { ids: [id] }, 'cashier')
  const domain = [['event', '=', 'pos.order.delete']]
  const [entry] = await till.ask<Row[]>('comptoir.audit/search_read', { domain, fields: ['detail'] })
  assert.deepEqual(entry?.detail, { amount_total: 10, state: 'draft', paid: 10 })
})

test('sessions: what a draft was paid by card leaves with it, and its till is that of the session', async () => {
  const [written, sent] = [draft(till.card), draft(till.card)]
  const [first, second] = [await stored(written), await stored(sent)]
  await till.ask('pos.order/write', into([first]), 'cashier')
  await stored({ ...sent, state: 'paid', session_id: other })
  for (const id of [first, second])
    assert.deepEqual(await places(id), { id, session_id: other, config_id: otherTill, payment: other })
  const cash = { amount: 10, payment_method_id: till.cash }
  await assertRefused(till, 'cashier', 'pos.order/add_payment', { ids: [first], data: cash })
})

test('sessions: a payment keeps to the methods of the till, and is money of the session of its order', async () => {
  const [kept, moved] = [
    await stored(draft(till.card)),
    await stored({ ...draft(till.card), session_id: other }),
  ]
  const { payment_ids } = await till.read('pos.order', moved, ['payment_ids'])
  const vals = { payment_method_id: till.cash }
  await assertRefused(till, 'cashier', 'pos.payment/write', { ids: payment_ids, vals })
  await till.ask('pos.payment/write', { ids: payment_ids, vals: { pos_order_id: kept } }, 'cashier')
  const [payment] = payment_ids as [number]
  assert.equal((await till.read('pos.payment', payment, ['session_id'])).session_id, till.session)
})

test('sessions: a draft does not leave for one of another company or currency', async () => {
  const id = await stored(draft(till.card))
  const another = await till.ask<number[]>('res.company/create', { vals_list: [{ name: 'Other shop' }] })
  for (const change of [`company_id = ${another[0]}`, 'currency_id = currency_id + 1']) {
    await till.tamper(
      `CREATE TABLE kept AS SELECT company_id, currency_id FROM pos_session WHERE id = ${other}`,
    )
    await till.tamper(`UPDATE pos_session SET ${change} WHERE id = ${other}`)
    const context = { allowed_company_ids: [1, another[0]] }
    await assertRefused(till, 'admin', 'pos.order/write', { ...into([id]), context })
    await till.tamper(
      `UPDATE pos_session SET company_id = k.company_id, currency_id = k.currency_id FROM kept k WHERE id = ${other}; DROP TABLE kept`,
    )
  }
})

test('sessions: payments that go to another order together keep their methods', async () => {
  const [from, to] = [await stored(draft(till.card)), await stored(draft(till.card))]
  const cash = { amount: 3, payment_method_id: till.cash }
  await till.ask('pos.order/add_payment', { ids: [from], data: cash }, 'cashier')
  const { payment_ids } = await till.read('pos.order', from, ['payment_ids'])
  await till.ask('pos.payment/write', { ids: payment_ids, vals: { pos_order_id: to } }, 'cashier')
  const fields = ['payment_method_id', 'pos_order_id']
  const payments = await till.ask<Row[]>('pos.payment/read', { ids: payment_ids, fields, load: null })
  const facts = payments.map((payment) => [payment.payment_method_id, payment.pos_order_id])
  assert.deepEqual(
    facts.sort((one, other) => Number(one[0]) - Number(other[0])),
    [
      [till.cash, to],
      [till.card, to],
    ].sort((one, other) => Number(one[0]) - Number(other[0])),
  )
})

test('sessions: a closed one takes no order, no payment in full and no draft of another', async () => {
  const ids = [await stored({ ...draft(till.card), session_id: other })]
  const stays = await stored(draft(till.card))
  // As if it had been closed at the same moment.
  await till.tamper(`UPDATE pos_session SET state = 'closed' WHERE id = ${other}`)
  await assertRefused(till, 'cashier', 'pos.order/action_pos_order_paid', { ids })
  await assertRefused(till, 'cashier', 'pos.order/write', into([stays]))
  const vals = { session_id: other, amount_tax: 0, amount_total: 0, amount_paid: 0, amount_return: 0 }
  await assertRefused(till, 'cashier', 'pos.order/create', { vals_list: [vals] })
})
