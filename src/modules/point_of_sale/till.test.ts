// Tills over a real server: nothing twice and nothing lost, what a call sends, one session at a time, totals
// that are checked.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chance } from '../../../test/stock/competition.ts'
import { eventsOf } from '../../../test/support/events.ts'
import { patiently } from '../../../test/support/patient.ts'
import { recordStatements, statementsOf } from '../../../test/support/statements.ts'
import { openTill, type Row, type Till } from '../../../test/support/till.ts'
import { assertOnce, send } from '../../../test/tills/crowd.ts'
import { setLimits } from '../../limits.ts'
import type { ChainReport } from '../../models/engine.ts'

let till: Till
let products: number[]
before(async () => {
  till = await openTill()
  const list = Array.from({ length: 4 }, (_, n) => ({
    name: `Thing ${n}`,
    list_price: n + 1,
    available_in_pos: true,
    taxes_id: [[5]],
  }))
  products = await till.ask<number[]>('product.product/create', { vals_list: list })
})
after(() => till?.close())

const order = (n: number, size = 3, more: Row = {}) =>
  till.order({
    n,
    lines: Array.from({ length: size }, (_, i) => ({ product: products[i % 4] as number, price: i + 1 })),
    more,
  })
const count = (domain: unknown[]) => till.ask<number>('pos.order/search_count', { domain })

test('syncing one order of three lines waits at most ten times for PostgreSQL, a hundred orders at most 25 times', async () => {
  const goods = Array.from({ length: 3 }, (_, n) => ({
    name: `Goods ${n}`,
    is_storable: true,
    available_in_pos: true,
    taxes_id: [[5]],
  }))
  const sold = await till.ask<number[]>('product.product/create', { vals_list: goods })
  const order = (n: number) => till.order({ n, lines: sold.map((product, i) => ({ product, price: i + 1 })) })
  await till.sync([order(1)])
  await till.sync([order(2)])
  const recorder = recordStatements()
  try {
    const trips = async (orders: readonly Row[]) => {
      recorder.forget()
      assert.equal((await till.sync(orders)).status, 200)
      return recorder.trips()
    }
    const single = Math.min(await trips([order(3)]), await trips([order(4)]))
    assert.ok(single <= 10, `${single} trips for one order`)
    const many = await trips(Array.from({ length: 100 }, (_, i) => order(100 + i)))
    assert.ok(many <= 12, `${many} trips for a hundred: they do not grow with the orders`)
    const moved = await till.ask<Row[]>('stock.move/search_read', {
      domain: [['product_id', 'in', sold]],
      fields: ['state', 'quantity', 'picked', 'picking_id'],
    })
    assert.equal(moved.length, 3 * 104)
    for (const { state, quantity, picked } of moved)
      assert.deepEqual([state, quantity, picked], ['done', 1, true])
    const left = await till.ask<Row[]>('product.product/read', { ids: sold, fields: ['qty_available'] })
    assert.deepEqual(
      left.map((row) => row.qty_available),
      [-104, -104, -104],
    )
  } finally {
    recorder.stop()
  }
})

test('eight tills that send overlapping lists at once, cut off and sent again, end with every order once', async () => {
  const orders = Array.from({ length: 16 }, (_, i) => order(300 + i, 2))
  const { cut } = await send(till, { orders, tills: 8, nodes: 1, size: 6, next: chance(21) })
  assert.ok(cut > 0)
  await assertOnce(till, orders)
})

test('a draft that is sent again keeps its lines; once paid it never becomes a draft again', async () => {
  const draft = order(400, 2, { state: 'draft', payment_ids: [] })
  for (let i = 0; i < 2; i++) assert.equal((await till.sync([draft])).status, 200)
  assert.equal((await till.sync([order(400, 2)])).status, 200)
  assert.equal((await till.sync([draft])).status, 200)
  const [row] = await till.ask<Row[]>('pos.order/search_read', {
    domain: [['uuid', '=', draft.uuid]],
    fields: ['state', 'lines'],
  })
  assert.deepEqual([row?.state, ((row?.lines ?? []) as []).length], ['paid', 2])
})

test('sync_from_ui: on request, stores valid orders and reports why the others are refused', async () => {
  const wrong = order(501, 1, { payment_ids: [] })
  const broken = till.order({ n: 502, lines: [{ product: 999_999_999, price: 1 }] })
  const mixed = [order(500), wrong, broken, order(503)]
  assert.equal((await till.sync(mixed)).status, 422)
  assert.equal(await count([['uuid', '=', mixed[0]?.uuid]]), 0)
  const answer = await till.ask<{ 'pos.order': Row[]; refused: Row[] }>(
    'pos.order/sync_from_ui',
    { orders: mixed, partial: true },
    'cashier',
  )
  assert.deepEqual(
    answer['pos.order'].map(({ uuid }) => uuid),
    [mixed[0]?.uuid, mixed[3]?.uuid],
  )
  assert.deepEqual(
    answer.refused.map(({ uuid, name }) => [uuid, name]),
    [
      [wrong.uuid, 'odoo.exceptions.UserError'],
      [broken.uuid, 'odoo.exceptions.ValidationError'],
    ],
  )
  const headers = { prefer: 'handling=lenient' }
  const lenient = await till.sync([wrong, order(504)], 'cashier', { headers })
  const savedOrders = lenient.body as typeof answer
  assert.deepEqual([lenient.status, lenient.headers.get('preference-applied')], [200, 'handling=lenient'])
  assert.deepEqual([savedOrders['pos.order'].length, savedOrders.refused.length], [1, 1])
  assert.match(String(savedOrders.refused[0]?.message), /not fully paid/)
  const other = await till.call('cashier', 'pos.order/search_count', { domain: [] }, { headers })
  assert.equal(other.headers.get('preference-applied'), null)
})

test('tills: the quantity of each line follows its lots; a line without lots waits for them', async () => {
  const product = await till.make('product.product', {
    name: 'Cheese',
    is_storable: true,
    tracking: 'lot',
    available_in_pos: true,
    taxes_id: [[5]],
  })
  const of = (qty: number, ...lots: string[]) => ({
    product,
    qty,
    price: 1,
    more: { pack_lot_ids: lots.map((lot_name) => [0, 0, { lot_name }]) },
  })
  const sold = await till.sync([
    till.order({ n: 700, lines: [of(1, 'young'), of(4, 'old', 'older'), of(2, 'young')] }),
    till.order({ n: 701, lines: [of(1, 'young'), of(1)] }),
  ])
  assert.equal(sold.status, 200, JSON.stringify(sold.body))
  const moved = await till.ask<Row[]>('stock.move.line/search_read', {
    domain: [
      ['product_id', '=', product],
      ['state', '=', 'done'],
    ],
    fields: ['lot_id', 'quantity'],
  })
  assert.deepEqual(
    moved.map(({ lot_id, quantity }) => [(lot_id as [number, string])[1], quantity]).toSorted(),
    [
      ['old', 2],
      ['older', 2],
      ['young', 3],
    ],
  )
  const waiting = [
    ['product_id', '=', product],
    ['state', '!=', 'done'],
  ]
  assert.equal(await till.ask('stock.move/search_count', { domain: waiting }), 1)
})

test('sync_from_ui: of thousands of wrong orders, those that are left after some seconds are refused untried', async () => {
  const wrong = Array.from({ length: 4 }, (_, i) => order(510 + i, 1, { payment_ids: [] }))
  setLimits({ 'batch-seconds': 0 })
  try {
    const { refused } = await till.ask<{ refused: Row[] }>('pos.order/sync_from_ui', {
      orders: wrong,
      partial: true,
    })
    assert.equal(refused.length, wrong.length)
    assert.ok(refused.every(({ message }) => /not processed/.test(String(message))))
    setLimits({ records: 3 })
    await assert.rejects(
      till.ask('pos.order/sync_from_ui', { orders: wrong, partial: true }),
      /limit .{1,2}records/,
    )
  } finally {
    setLimits()
  }
})

test('totals that are not what lines come to are noted, or refused where the point of sale says so', async () => {
  const off = (n: number) =>
    till.order({ n, lines: [{ product: products[0] as number, price: 10 }], more: { amount_tax: 4 } })
  assert.equal((await till.sync([off(600), order(601)])).status, 200)
  const noted = await till.ask<Row[]>('pos.order/get_noted_orders', {}, 'boss')
  assert.deepEqual(
    noted.map((row) => [row.pos_reference, row.amount_tax, row.checked_tax]),
    [['26-1-000600', 4, 0]],
  )
  await till.ask('pos.config/write', { ids: [till.config], vals: { price_check: 'refuse' } })
  const refused = await till.sync([off(602)])
  assert.equal(refused.status, 422)
  assert.match(String((refused.body as Row).message), /taxes of 0; .* taxes of 4/)
  // Of a quantity with more decimals than are kept, what is kept is what closing books.
  const thousandths = till.order({
    n: 603,
    lines: [{ product: products[0] as number, qty: 1.006, price: 100 }],
  })
  const weighed = await till.sync([thousandths])
  assert.equal(weighed.status, 422)
  assert.match(String((weighed.body as Row).message), /comes to 101 .* 100\.6/)
  await till.ask('pos.config/write', { ids: [till.config], vals: { price_check: 'note' } })
})

test('who sells reaches no books by way of orders, payments and sessions; typed prices and refunds are noted', async () => {
  const journal = await till.make('account.journal', { name: 'Secret', type: 'general' })
  const secret = await till.make('account.move', { move_type: 'entry', journal_id: journal, ref: 'Salaries' })
  const sold = till.order({
    n: 650,
    lines: [{ product: products[0] as number, price: 9, more: { price_type: 'manual' } }],
  })
  assert.equal((await till.sync([sold])).status, 200)
  const [{ id, lines, payment_ids }] = await till.ask<
    [{ id: number; lines: number[]; payment_ids: number[] }]
  >('pos.order/search_read', { domain: [['uuid', '=', sold.uuid]], fields: ['lines', 'payment_ids'] })
  const refused = async (path: string, body: object) =>
    assert.equal((await till.call('cashier', path, body)).status, 422, path)
  await refused('pos.order/write', { ids: [id], vals: { account_move: secret } })
  await refused('pos.payment/write', { ids: payment_ids, vals: { account_move_id: secret } })
  await refused('pos.session/write', { ids: [till.session], vals: { move_id: secret } })
  const draft = { session_id: till.session, amount_total: 0, amount_tax: 0, amount_paid: 0, amount_return: 0 }
  await refused('pos.order/create', { vals_list: [{ ...draft, account_move: secret }] })
  await refused('pos.order/create', { vals_list: [{ ...draft, state: 'paid' }] })
  const seen = await till.ask<Row[]>('account.move/search_read', { domain: [], fields: ['ref'] }, 'cashier')
  assert.deepEqual(
    seen.filter(({ ref }) => ref === 'Salaries'),
    [],
  )
  const back = till.order({
    n: 651,
    lines: [{ product: products[0] as number, price: 9, qty: -1, more: { refunded_orderline_id: lines[0] } }],
  })
  assert.equal((await till.sync([back])).status, 200)
  const events = await till.run((env) => eventsOf(env, 'pos.order', id))
  assert.deepEqual(events, ['pos.order.paid', 'pos.order.refunded'])
  const noted = await till.ask<Row[]>('comptoir.audit/search_read', {
    domain: [['event', 'in', ['pos.price', 'pos.refund']]],
    fields: ['event'],
    order: 'id',
  })
  assert.deepEqual(
    noted.map(({ event }) => event),
    ['pos.price', 'pos.refund'],
  )
})

test('of those who open a point of sale at once, all find the one session', async () => {
  const bank = await till.make('account.journal', { name: 'Card', type: 'bank' })
  const method = await till.make('pos.payment.method', { name: 'Card', journal_id: bank })
  const config = await till.make('pos.config', { name: 'Corner', payment_method_ids: [[6, 0, [method]]] })
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => till.call('cashier', 'pos.config/open_ui', { ids: [config] })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  assert.equal(await till.ask('pos.session/search_count', { domain: [['config_id', '=', config]] }), 1)
})

test('closing takes no more statements for many orders than for few', async () => {
  const [config] = await till.ask<number[]>('pos.config/search', { domain: [['name', '=', 'Corner']] })
  const { payment_method_ids } = await till.read('pos.config', config as number, ['payment_method_ids'])
  const [method] = payment_method_ids as [number]
  const closed = async (from: number, size: number): Promise<number> => {
    await till.ask('pos.config/open_ui', { ids: [config] })
    const { current_session_id: session_id } = await till.read('pos.config', config as number, [
      'current_session_id',
    ])
    const ids = [session_id]
    await till.ask('pos.session/set_opening_control', { ids, cashbox_value: 0, notes: '' })
    const sold = Array.from({ length: size }, (_, i) =>
      till.order({
        n: from + i,
        method,
        lines: [{ product: products[i % 4] as number, price: 2 }],
        more: { session_id },
      }),
    )
    assert.equal((await till.sync(sold)).status, 200)
    const sent = await statementsOf(async () => {
      const answer = await till.ask<Row>('pos.session/close_session_from_ui', { ids })
      assert.deepEqual(answer, { successful: true })
    })
    return sent.length
  }
  await closed(1000, 2)
  const few = await closed(1100, 4)
  const many = await closed(1200, 60)
  assert.ok(many <= few, `${many} statements for 60 orders, ${few} for four`)
})

test('goods of a session that moves them at its closing leave then, each line by its lots; later orders go to the session that is open, or nowhere', async () => {
  const [config] = (await till.ask<number[]>('pos.config/search', {
    domain: [['name', '=', 'Corner']],
  })) as [number]
  const opened = async (): Promise<number> => {
    await till.ask('pos.config/open_ui', { ids: [config] })
    const read = await till.read('pos.config', config, ['current_session_id'])
    const ids = [read.current_session_id as number]
    await till.ask('pos.session/set_opening_control', { ids, cashbox_value: 0, notes: '' })
    return ids[0] as number
  }
  const company = await till.ask<number[]>('res.company/search', { domain: [], limit: 1 })
  const stock = (point_of_sale_update_stock_quantities: string) =>
    till.ask('res.company/write', { ids: company, vals: { point_of_sale_update_stock_quantities } })
  await stock('closing')
  const session_id = await opened()
  await stock('real')
  const [method] = (await till.read('pos.config', config, ['payment_method_ids'])).payment_method_ids as [
    number,
  ]
  const tracked = { is_storable: true, tracking: 'lot', available_in_pos: true, taxes_id: [[5]] }
  const product = await till.make('product.product', { name: 'Ham', ...tracked })
  const of = (qty: number, ...lots: string[]) => ({
    product,
    qty,
    price: 1,
    more: { pack_lot_ids: lots.map((lot_name) => [0, 0, { lot_name }]) },
  })
  const sold = (n: number, more: Row, ...lines: ReturnType<typeof of>[]) =>
    till.order({ n, method, lines, more: { session_id, ...more } })
  const first = [sold(1300, {}, of(3, 'red'), of(4, 'red', 'blue')), sold(1301, {}, of(2, 'blue'))]
  assert.equal((await till.sync(first)).status, 200)
  const moved = async () =>
    (
      await till.ask<Row[]>('stock.move.line/search_read', {
        domain: [
          ['product_id', '=', product],
          ['state', '=', 'done'],
        ],
        fields: ['lot_id', 'quantity'],
      })
    )
      .map(({ lot_id, quantity }) => [(lot_id as [number, string])[1], quantity])
      .toSorted()
  assert.deepEqual(await moved(), [])
  const close = (ids: number[]) => till.ask('pos.session/close_session_from_ui', { ids })
  assert.deepEqual(await close([session_id]), { successful: true })
  const lots = [
    ['blue', 4],
    ['red', 5],
  ]
  assert.deepEqual(await moved(), lots)
  const late = sold(1302, {}, of(1, 'red'))
  const nowhere = await till.sync([late])
  assert.equal(nowhere.status, 422)
  assert.match(String((nowhere.body as Row).message), /no other one is open/)
  // A session to save orders from others does not stand in the way of the one that is open.
  assert.equal(
    (
      await till.call('admin', 'pos.session/create', {
        vals_list: [{ config_id: config, rescue: true }],
      })
    ).status,
    422,
  )
  await till.run((env) => env.model('pos.session').create([{ config_id: config, rescue: true }]))
  const open = await opened()
  assert.equal((await till.sync([late])).status, 200)
  const [taken] = await till.ask<Row[]>('pos.order/search_read', {
    domain: [['uuid', '=', late.uuid]],
    fields: ['session_id'],
    load: null,
  })
  assert.equal(taken?.session_id, open)
  assert.deepEqual(await moved(), [lots[0], ['red', 1], lots[1]])
  await close([open])
})

test('sixteen tills that sell the same thing at once all do, and each piece leaves once', async () => {
  const product = await till.make('product.product', {
    name: 'Bestseller',
    is_storable: true,
    available_in_pos: true,
    taxes_id: [[5]],
  })
  const sell = async (n: number, qty: number): Promise<void> => {
    const { status, body } = await patiently(() =>
      till.sync([till.order({ n, lines: [{ product, qty, price: 1 }] })]),
    )
    assert.equal(status, 200, JSON.stringify(body))
  }
  await Promise.all(Array.from({ length: 16 }, (_, i) => sell(1400 + i, i + 1)))
  assert.equal((await till.read('product.product', product, ['qty_available'])).qty_available, -136)
})

test('where totals are rounded down, payments may lack up to a coin, and to the nearest coin up to half of one', async () => {
  const account = await till.make('account.account', {
    name: 'Coins',
    code: 'COINS',
    account_type: 'expense',
  })
  for (const [method, most] of [
    ['DOWN', 0.09],
    ['HALF-UP', 0.05],
  ] as const) {
    const rounding_method = await till.make('account.cash.rounding', {
      name: method,
      rounding: 0.1,
      rounding_method: method,
      profit_account_id: account,
      loss_account_id: account,
    })
    const config = await till.make('pos.config', {
      name: method,
      payment_method_ids: [[6, 0, [till.card]]],
      cash_rounding: true,
      rounding_method,
    })
    const ids = [await till.make('pos.session', { config_id: config })]
    await till.ask('pos.session/set_opening_control', { ids, cashbox_value: 0, notes: '' })
    const sold = async (lack: number) => {
      const n = 1600 + Math.round(most * 1000) + Math.round(lack * 100)
      const lines = [{ product: products[0] as number, price: 20.2 }]
      const payment = { uuid: `coins-${n}`, payment_method_id: till.card, amount: 20.2 - lack }
      const more = { session_id: ids[0], payment_ids: [[0, 0, payment]] }
      return (await till.sync([till.order({ n, lines, more })])).status
    }
    assert.deepEqual([await sold(most), await sold(most + 0.02)], [200, 422], method)
    const domain = [['session_id', '=', ids[0]]]
    const [order] = (await till.ask<number[]>('pos.order/search', { domain })) as [number]
    assert.equal((await till.read('pos.order', order, ['state'])).state, 'paid')
    const values = {
      session_id: ids[0],
      config_id: config,
      amount_total: 1,
      amount_tax: 0,
      amount_paid: 0,
      amount_return: 0,
    }
    const draft = await till.make('pos.order', values)
    // The form of the back office goes on asking until nothing is left. It takes coins: 0.92 are 0.90.
    const context = { active_id: draft, active_ids: [draft] }
    const states = []
    for (const amount of [0.92, 0.1]) {
      const form = { config_id: config, payment_method_id: till.card, amount }
      const ids = await till.ask<number[]>('pos.make.payment/create', { vals_list: [form], context })
      await till.ask('pos.make.payment/check', { ids, context })
      states.push((await till.read('pos.order', draft, ['state'])).state)
    }
    assert.deepEqual(states, ['draft', 'paid'])
  }
})

test('opened drawers and orders that are taken away are in the audit log, for managers', async () => {
  const draft = order(1500, 1, { state: 'draft', payment_ids: [] })
  const { body } = await till.sync([draft])
  const [{ id }] = (body as { 'pos.order': [{ id: number }] })['pos.order']
  const ids = [till.session]
  await till.ask('pos.session/note_drawer_opened', { ids, reason: 'Change for the market' }, 'cashier')
  await till.ask('pos.session/try_cash_in_out', { ids, _type: 'in', amount: 5, reason: 'Coins', extras: {} })
  assert.deepEqual(await till.ask('pos.order/remove_from_ui', { server_ids: [id] }, 'cashier'), [id])
  const noted = await till.ask<Row[]>('comptoir.audit/search_read', {
    domain: [['event', 'in', ['pos.drawer', 'pos.order.delete']]],
    fields: ['event'],
    order: 'id',
  })
  assert.deepEqual(
    noted.map(({ event }) => event),
    ['pos.drawer', 'pos.drawer', 'pos.order.delete'],
  )
  const { statement_line_ids: moved } = await till.read('pos.session', till.session, ['statement_line_ids'])
  const lines = await till.ask<Row[]>('account.bank.statement.line/read', { ids: moved, fields: ['amount'] })
  assert.deepEqual(
    lines.map(({ amount }) => amount),
    [5],
  )
  const { default_cash_details: drawer } = await till.ask<{ default_cash_details: { moves: Row[] } }>(
    'pos.session/get_closing_control_data',
    { ids },
  )
  assert.deepEqual(
    drawer.moves.map(({ id, amount, date, cashier_name }) => [id, amount, typeof date, cashier_name]),
    [[(moved as number[])[0], 5, 'string', 'Administrator']],
  )
})

test('paid, invoiced, refunded and cancelled orders are in the audit log, with who did it', async () => {
  const partner = await till.make('res.partner', { name: 'Regular' })
  const draft = { state: 'draft', payment_ids: [] }
  const { body } = await till.sync([
    // The server makes the reference of orders that come without.
    order(1600, 2, { partner_id: partner, pos_reference: false }),
    order(1601, 1, draft),
    order(1602, 1, draft),
  ])
  const [sold, paid, cancelled] = (body as { 'pos.order': Row[] })['pos.order'].map(({ id }) => id as number)
  await till.ask('pos.order/add_payment', { ids: [paid], data: { amount: 1, payment_method_id: till.cash } })
  await till.ask('pos.order/action_pos_order_paid', { ids: [paid] }, 'boss')
  await till.ask('pos.order/action_pos_order_cancel', { ids: [cancelled] }, 'cashier')
  await till.ask('pos.order/action_pos_order_invoice', { ids: [sold] }, 'boss')
  const back = (await till.ask<Row>('pos.order/refund', { ids: [sold] }, 'boss')).res_id
  const refund = await till.read('pos.order', back as number, ['uuid', 'lines'])
  const [line] = refund.lines as [number]
  assert.ok(refund.uuid, 'orders that the server makes are known to tills by a uuid')
  assert.ok((await till.read('pos.order.line', line, ['uuid'])).uuid)
  const noted = await till.ask<Row[]>('comptoir.audit/search_read', {
    domain: [
      ['res_model', '=', 'pos.order'],
      ['res_id', 'in', [sold, paid, cancelled, back]],
      ['event', '=like', 'pos.%'],
    ],
    fields: ['event', 'res_id', 'login', 'name', 'detail'],
    order: 'id',
  })
  const { account_move } = await till.read('pos.order', sold as number, ['account_move'])
  assert.deepEqual(
    noted.map(({ event, res_id, login, detail }) => [event, res_id, login, detail]),
    [
      ['pos.paid', sold, 'cashier', { amount_total: 3 }],
      ['pos.paid', paid, 'boss', { amount_total: 1 }],
      ['pos.order.cancel', cancelled, 'cashier', { amount_total: 1, state: 'draft' }],
      ['pos.invoice', sold, 'boss', { invoice: account_move }],
      ['pos.refund', back, 'boss', { of: sold }],
    ],
  )
  const { pos_reference } = await till.read('pos.order', sold as number, ['pos_reference'])
  assert.match(String(pos_reference), /\d/)
  assert.equal(noted[0]?.name, pos_reference)
  assert.ok(noted.every(({ name }) => name))
  await till.ask('pos.order/unlink', { ids: [back] }, 'boss')
})

test('closing twice at once closes once; orders that come meanwhile are in the entry or refused', async () => {
  const late = Array.from({ length: 6 }, (_, i) => till.sync([order(700 + i, 1)]))
  const close = () => till.ask<Row>('pos.session/close_session_from_ui', { ids: [till.session] }, 'cashier')
  const [first, second, ...sent] = await Promise.all([close(), close(), ...late])
  assert.deepEqual([first?.successful, second?.successful].sort(), [false, true])
  const taken = sent.filter((answer) => answer?.status === 200).length
  assert.equal(
    await count([['uuid', 'in', Array.from({ length: 6 }, (_, i) => `order-${700 + i}-0`)]]),
    taken,
  )
  assert.equal(
    await count([
      ['session_id', '=', till.session],
      ['state', 'not in', ['done', 'cancel']],
    ]),
    0,
  )
  const { move_id } = await till.read('pos.session', till.session, ['move_id'])
  const sums = (model: string, domain: unknown[], aggregates: string[]) =>
    till.ask<Row[]>(`${model}/formatted_read_group`, { domain, groupby: [], aggregates })
  const done = [
    ['session_id', '=', till.session],
    ['state', '=', 'done'],
  ]
  const [sold] = await sums('pos.order', done, ['amount_total:sum'])
  // Refunds are a debit of their own among the sales.
  const owed = [
    ['move_id', '=', move_id],
    ['account_id.account_type', '=', 'asset_receivable'],
  ]
  const [booked] = await sums('account.move.line', owed, ['debit:sum'])
  assert.equal(booked?.['debit:sum'], sold?.['amount_total:sum'])
  const events = (model: string, id: number) => till.run((env) => eventsOf(env, model, id))
  assert.deepEqual(await events('pos.session', till.session), ['pos.session.closed'])
  const domain = [['session_id', '=', till.session]]
  const [paid] = await till.ask<number[]>('pos.order/search', { domain, limit: 1 })
  assert.deepEqual(await events('pos.order', paid as number), ['pos.order.paid'])
})

test('after all of this the chain of the till is whole, with every order that was paid', async () => {
  const { chains } = await till.ask<{ chains: readonly ChainReport[] }>('comptoir.chain/verify', {})
  const broken = chains.filter((chain) => chain.break)
  assert.deepEqual(broken, [])
  const paid = await count([['state', 'in', ['paid', 'done']]])
  const closed = await till.ask<number>('pos.session/search_count', { domain: [['state', '=', 'closed']] })
  assert.equal(
    chains.reduce((total, chain) => total + chain.sealed, 0),
    paid + closed,
  )
})
