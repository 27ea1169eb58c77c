// Sales at tills and their entries: days that balance, and credit notes that are better here than
// recorded.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { explainedOften, walk } from '../../../test/explain/plan.ts'
import { recordStatements } from '../../../test/support/statements.ts'
import { openTill, type Row, type Till } from '../../../test/support/till.ts'
import { present } from '../../kit/present.ts'

let till: Till
let product: number
let partner: number
before(async () => {
  till = await openTill()
  product = await till.make('product.product', { name: 'Thing', available_in_pos: true, taxes_id: [[5]] })
  partner = await till.make('res.partner', { name: 'Customer' })
})
after(() => till?.close())

/** A till of its own with an open session. */
async function openShop(more: Row): Promise<{ config: number; session: number }> {
  const config = await till.make('pos.config', { payment_method_ids: [[6, 0, [till.card]]], ...more })
  const session = await till.make('pos.session', { config_id: config })
  await till.ask('pos.session/set_opening_control', { ids: [session], cashbox_value: 0, notes: '' })
  return { config, session }
}

async function invoiceOf(order: Row): Promise<Row> {
  const { status, body } = await till.sync([order], 'admin')
  assert.equal(status, 200, JSON.stringify(body))
  const [{ account_move: move }] = await till.ask<[{ account_move: number }]>('pos.order/search_read', {
    domain: [['uuid', '=', order.uuid]],
    fields: ['account_move'],
    load: null,
  })
  return till.read('account.move', move, ['move_type', 'amount_total', 'amount_residual'])
}

test('session: sums of a day are exact to the last unit, from the orders to the closing entry', async () => {
  const { session } = await openShop({ name: 'Tenths' })
  const big = 99_999_999_999.99
  const orders = [0.1, 0.1, 0.1, big, 0.2, 0.1].map((price, n) => {
    const payment = { uuid: `tenth-${n}`, payment_method_id: till.card, amount: price }
    const more = { price_subtotal: price, price_subtotal_incl: price, tax_ids: [[6, 0, []]] }
    return till.order({
      n: 7000 + n,
      lines: [{ product, price, more }],
      more: { session_id: session, amount_total: price, amount_paid: price, payment_ids: [[0, 0, payment]] },
    })
  })
  assert.equal((await till.sync(orders, 'admin')).status, 200)
  const discounted = await till.ask<number>('pos.session/get_total_discount', { ids: [session] })
  assert.equal(discounted, 0)
  await till.ask('pos.session/close_session_from_ui', { ids: [session] })
  const [report] = await till.ask<Row[]>('pos.session/get_z_report', { ids: [session] })
  assert.equal(report?.total, 100_000_000_000.59)
  const { move_id } = await till.read('pos.session', session, ['move_id'])
  const items = await till.ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', move_id]],
    fields: ['balance'],
    order: 'balance',
  })
  assert.deepEqual(
    items.map(({ balance }) => balance),
    [-100_000_000_000.59, 100_000_000_000.59],
  )
})

test('a session that sold only balanced orders closes with no difference, to every decimal of its prices', async () => {
  const { session } = await openShop({ name: 'Weighed' })
  const weighed = fc.record({
    price: fc.integer({ min: 1, max: 99_999 }).map((n) => n / 1000),
    qty: fc.integer({ min: 1, max: 40 }),
    discount: fc.integer({ min: 0, max: 999 }).map((n) => n / 10),
  })
  const orders = fc.sample(weighed, { numRuns: 40, seed: 11 }).map(({ price, qty, discount }, n) => {
    const total = Math.round((price * qty * (1 - discount / 100) + 1e-9) * 100) / 100
    const more = { discount, price_subtotal: total, price_subtotal_incl: total }
    const payment = { uuid: `weighed-${n}`, payment_method_id: till.card, amount: total }
    return till.order({
      n: 5000 + n,
      lines: [{ product, qty, price, more }],
      more: {
        session_id: session,
        amount_total: total,
        amount_paid: total,
        payment_ids: [[0, 0, payment]],
      },
    })
  })
  assert.equal((await till.sync(orders, 'admin')).status, 200)
  const closed = await till.ask<Row>('pos.session/close_session_from_ui', { ids: [session] })
  assert.equal(closed.successful, true, JSON.stringify(closed))
})

test('closing: what a till rounds a unit otherwise is settled by itself, what it says beyond that is not', async () => {
  const { session } = await openShop({ name: 'Halves' })
  const saying = (n: number, total: number) => {
    const payment = { uuid: `half-${n}`, payment_method_id: till.card, amount: total }
    return till.order({
      n: 5300 + n,
      lines: [{ product, price: 10 }],
      more: { session_id: session, amount_total: total, amount_paid: total, payment_ids: [[0, 0, payment]] },
    })
  }
  assert.equal((await till.sync([saying(1, 10.01), saying(2, 9.99), saying(3, 10.01)], 'admin')).status, 200)
  const beyond = saying(4, 10.02)
  assert.equal((await till.sync([beyond], 'admin')).status, 200)
  const close = () => till.ask<Row>('pos.session/close_session_from_ui', { ids: [session] })
  assert.deepEqual(await close(), {
    successful: false,
    message: 'The session does not balance by 0.03.',
    redirect: true,
  })
  const [{ id }] = await till.ask<[{ id: number }]>('pos.order/search_read', {
    domain: [['uuid', '=', beyond.uuid]],
    fields: [],
  })
  await till.ask('pos.order/write', { ids: [id], vals: { partner_id: partner } })
  await till.ask('pos.order/action_pos_order_invoice', { ids: [id] })
  assert.deepEqual(await close(), { successful: true })
  const { move_id } = await till.read('pos.session', session, ['move_id'])
  const items = await till.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', move_id],
      ['name', '=', 'Difference at closing PoS session'],
    ],
    fields: ['balance'],
  })
  assert.deepEqual(
    items.map(({ balance }) => balance),
    [-0.01],
  )
})

test('an order that its till rounded a unit otherwise is invoiced after closing', async () => {
  const { session } = await openShop({ name: 'Units' })
  const orders = [10.01, 10.01, 9.99].map((total, n) => {
    const payment = { uuid: `unit-${n}`, payment_method_id: till.card, amount: total }
    const more = { session_id: session, partner_id: partner, amount_total: total, amount_paid: total }
    return till.order({
      n: 5350 + n,
      lines: [{ product, price: 10 }],
      more: { ...more, payment_ids: [[0, 0, payment]] },
    })
  })
  assert.equal((await till.sync(orders, 'admin')).status, 200)
  await till.ask('pos.session/close_session_from_ui', { ids: [session] })
  const { move_id } = await till.read('pos.session', session, ['move_id'])
  const itemsOf = async (domain: readonly unknown[]) => {
    const fields = ['account_id', 'balance']
    const rows = await till.ask<Row[]>('account.move.line/search_read', { domain, fields, load: null })
    return rows.map(({ account_id, balance }) => [account_id, balance])
  }
  const [[account] = []] = await itemsOf([
    ['move_id', '=', move_id],
    ['name', '=', 'Difference at closing PoS session'],
  ])
  for (const [n, back] of [
    [0, 0.01],
    [2, -0.01],
  ] as const) {
    const [{ id }] = await till.ask<[{ id: number }]>('pos.order/search_read', {
      domain: [['uuid', '=', orders[n]?.uuid]],
      fields: [],
    })
    await till.ask('pos.order/action_pos_order_invoice', { ids: [id] })
    const domain = [
      ['move_id.reversed_pos_order_id', '=', id],
      ['name', '=', 'Rounding'],
    ]
    assert.deepEqual(await itemsOf(domain), [[account, back]])
  }
})

test('a negative receipt is invoiced as a credit note, whether or not the till calls it a refund', async () => {
  // The recorded system makes an invoice of a negative amount: no customer can be shown that.
  const { session } = await openShop({ name: 'Returns' })
  const order = till.order({
    n: 5100,
    lines: [{ product, qty: -2, price: 10 }],
    method: till.card,
    more: { session_id: session, partner_id: partner, to_invoice: true },
  })
  const { move_type, amount_total } = await invoiceOf(order)
  assert.deepEqual([move_type, amount_total], ['out_refund', 20])
})

test('a credit note paid by card is not rounded where only cash is', async () => {
  // The recorded system rounds it like cash, and leaves cents open that are not owed.
  const account = await till.make('account.account', {
    name: 'Coins',
    code: 'COIN2',
    account_type: 'expense',
  })
  const rounding_method = await till.make('account.cash.rounding', {
    name: 'Coins',
    rounding: 0.05,
    profit_account_id: account,
    loss_account_id: account,
  })
  const { session } = await openShop({
    name: 'Coins',
    cash_rounding: true,
    only_round_cash_method: true,
    rounding_method,
  })
  const order = till.order({
    n: 5200,
    lines: [{ product, qty: -1, price: 20.03 }],
    method: till.card,
    more: { session_id: session, partner_id: partner, to_invoice: true, is_refund: true },
  })
  assert.deepEqual(
    (({ move_type, amount_total, amount_residual }) => [move_type, amount_total, amount_residual])(
      await invoiceOf(order),
    ),
    ['out_refund', 20.03, 0],
  )
})

test('goods of an order are found by its lines, however much was sold of the same products', async () => {
  const product = await till.make('product.product', {
    name: 'Stored',
    available_in_pos: true,
    is_storable: true,
  })
  const sell = (n: number, count: number) =>
    till.sync(
      Array.from({ length: count }, (_, i) => till.order({ n: n + i, lines: [{ product, price: 1 }] })),
    )
  assert.equal((await sell(5500, 100)).status, 200)
  const recorder = recordStatements()
  assert.equal((await sell(5700, 1)).status, 200)
  recorder.stop()
  const goods = recorder.statements.find(({ text }) =>
    text.includes('default_location_src_id, w.lot_stock_id'),
  )
  const root = await till.run((env) => explainedOften(env, present(goods)))
  const read = [...walk(root)].filter((node) => node['Relation Name'] === 'pos_order_line')
  const rows = read.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)
  assert.equal(rows, 1)
})
