// Attempts of dishonest people with ordinary rights: each is refused with a clear error and changes nothing.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTill, type Person, type Row, type Till } from '../support/till.ts'
import { assertRefused, standingOf } from './attempts.ts'

let till: Till
let product = 0
let partner = 0

before(async () => {
  till = await openTill(['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock', 'pos_sale'])
  const thing = { name: 'Thing', is_storable: true, available_in_pos: true, taxes_id: [[5]], list_price: 10 }
  product = await till.make('product.product', { ...thing, supplier_taxes_id: [[5]] })
  partner = await till.make('res.partner', { name: 'Somebody' })
})
after(() => till?.close())

const refused = (person: Person, path: string, body: object) => assertRefused(till, person, path, body)
const standing = () => standingOf(till)

let number = 0
const order = (more: Row = {}, price = 10) => till.order({ n: ++number, lines: [{ product, price }], more })
async function sold(more: Row = {}, price = 10): Promise<number> {
  const answer = await till.sync([order(more, price)])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const [{ id }] = (answer.body as { 'pos.order': [{ id: number }] })['pos.order']
  return id
}

async function parts(id: number): Promise<{ line: number; payment: number }> {
  const { lines, payment_ids } = await till.read('pos.order', id, ['lines', 'payment_ids'])
  return { line: (lines as number[])[0] ?? 0, payment: (payment_ids as number[])[0] ?? 0 }
}

describe('tills', () => {
  let closed = 0
  let paid = 0
  let session = 0
  before(async () => {
    closed = till.session
    await sold()
    const ids = { ids: [closed] }
    await till.ask(
      'pos.session/try_cash_in_out',
      { ...ids, _type: 'in', amount: 5, reason: 'x', extras: {} },
      'admin',
    )
    await till.ask('pos.session/post_closing_cash_details', { ...ids, counted_cash: 15 }, 'cashier')
    await till.ask('pos.session/update_closing_control_state_session', { ...ids, notes: '' }, 'cashier')
    await till.ask(
      'pos.session/close_session_from_ui',
      { ...ids, bank_payment_method_diff_pairs: [] },
      'cashier',
    )
    await till.ask('pos.config/open_ui', { ids: [till.config] }, 'cashier')
    session = (await till.read('pos.config', till.config, ['current_session_id']))
      .current_session_id as number
    await till.ask(
      'pos.session/set_opening_control',
      { ids: [session], cashbox_value: 0, notes: '' },
      'cashier',
    )
    paid = await sold({ session_id: session })
  })
  test('protected documents: a draft does not move into a closed session', async () => {
    const id = await sold({ session_id: session, state: 'draft', payment_ids: [], amount_paid: 0 })
    for (const person of ['cashier', 'admin'] as const)
      await refused(person, 'pos.order/write', { ids: [id], vals: { session_id: closed } })
    await refused('boss', 'pos.session/write', { ids: [closed], vals: { order_ids: [[4, id, 0]] } })
    await refused('boss', 'pos.session/write', { ids: [closed], vals: { order_ids: [[6, 0, [id]]] } })
  })
  test('protected documents: orders are not created in closed sessions', () =>
    refused('cashier', 'pos.order/create', {
      vals_list: [{ session_id: closed, amount_total: 1, amount_tax: 0, amount_paid: 0, amount_return: 0 }],
    }))
  for (const vals of [
    { cash_register_balance_end_real: 1 },
    { cash_register_balance_start: 1 },
    { user_id: 1 },
    { start_at: '2020-01-01 00:00:00' },
    { stop_at: '2020-01-01 00:00:00' },
    { name: 'Other' },
    { company_id: 1, currency_id: 1, rescue: true },
  ])
    test(`protected documents: sessions, open or closed, keep ${Object.keys(vals)}`, async () => {
      for (const id of [session, closed])
        for (const person of ['cashier', 'boss', 'admin'] as const)
          await refused(person, 'pos.session/write', { ids: [id], vals })
    })
  for (const vals of [
    { date_order: '2020-01-01 00:00:00' },
    { user_id: 1 },
    { name: 'Other' },
    { is_refund: true },
    { is_tipped: true, tip_amount: 3 },
    { amount_total: 1 },
    { company_id: 2 },
    { state: 'draft' },
    { session_id: 1 },
  ])
    test(`protected documents: a paid order keeps ${Object.keys(vals)}`, async () => {
      for (const person of ['cashier', 'boss', 'admin'] as const)
        await refused(person, 'pos.order/write', { ids: [paid], vals })
      await refused('cashier', 'pos.order/web_save', { ids: [paid], vals, specification: {} })
      await refused('cashier', 'pos.session/write', {
        ids: [session],
        vals: { order_ids: [[1, paid, vals]] },
      })
    })
  test('protected documents: lines and payments of a paid order stay', async () => {
    const { line, payment } = await parts(paid)
    for (const vals of [{ company_id: 2 }, { total_cost: 1 }, { qty: 9 }, { price_unit: 1 }, { order_id: 1 }])
      await refused('cashier', 'pos.order.line/write', { ids: [line], vals })
    for (const vals of [
      { company_id: 2 },
      { payment_date: '2020-01-01 00:00:00' },
      { amount: 1 },
      { session_id: closed },
    ])
      await refused('cashier', 'pos.payment/write', { ids: [payment], vals })
    await refused('cashier', 'pos.order/write', { ids: [paid], vals: { lines: [[1, line, { qty: 2 }]] } })
    await refused('cashier', 'pos.order/write', { ids: [paid], vals: { lines: [[2, line, 0]] } })
    await refused('cashier', 'pos.order.line/unlink', { ids: [line] })
    await refused('cashier', 'pos.payment/create', {
      vals_list: [{ pos_order_id: paid, amount: 1, payment_method_id: till.cash }],
    })
  })
  test('protected documents: the company of lines and payments is that of their order', async () => {
    const id = await sold({ session_id: session, state: 'draft', payment_ids: [], amount_paid: 0 })
    const { line } = await parts(id)
    await refused('cashier', 'pos.order.line/write', { ids: [line], vals: { company_id: 2 } })
    await refused('admin', 'pos.order/write', { ids: [id], vals: { lines: [[1, line, { company_id: 2 }]] } })
  })
  test('protected documents: cashiers do not set up their till', async () => {
    await refused('cashier', 'pos.config/write', { ids: [till.config], vals: { price_check: 'off' } })
    await refused('cashier', 'pos.session/write', { ids: [session], vals: { config_id: till.config + 1 } })
  })
  test('protected documents: cash moves belong to their session', async () => {
    const [line = 0] = await till.ask<number[]>('account.bank.statement.line/search', {
      domain: [['pos_session_id', '=', closed]],
    })
    for (const person of ['cashier', 'boss', 'admin'] as const) {
      await refused(person, 'account.bank.statement.line/write', { ids: [line], vals: { amount: 1 } })
      await refused(person, 'account.bank.statement.line/unlink', { ids: [line] })
    }
  })
  test('protected documents: the entry of a closed session stays posted', async () => {
    const { move_id } = await till.read('pos.session', closed, ['move_id'])
    await refused('admin', 'account.move/button_draft', { ids: [move_id] })
    await refused('admin', 'account.move/button_cancel', { ids: [move_id] })
  })
  test('protected documents: a drawer is not opened with a negative amount', async () => {
    await refused('cashier', 'pos.session/set_opening_control', {
      ids: [session],
      cashbox_value: -5,
      notes: '',
    })
  })
  test('protected documents: money is not paid out by one method and in by another', async () => {
    const both = (cash: number, card: number) =>
      order({
        session_id: session,
        payment_ids: [
          [0, 0, { uuid: `a-${number}`, payment_method_id: till.card, amount: card }],
          [0, 0, { uuid: `b-${number}`, payment_method_id: till.cash, amount: cash }],
        ],
      })
    await refused('cashier', 'pos.order/sync_from_ui', { orders: [both(-1000, 1010)] })
    await refused('cashier', 'pos.order/sync_from_ui', { orders: [both(1010, -1000)] })
  })
  test('protected documents: returned goods count as a refund, even if a caller marks them as sold', async () => {
    const back = till.order({
      n: ++number,
      lines: [{ product, qty: -3, price: 10 }],
      more: { session_id: session },
    })
    const answer = await till.sync([back])
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const [{ id }] = (answer.body as { 'pos.order': [{ id: number }] })['pos.order']
    assert.equal((await till.read('pos.order', id, ['is_refund'])).is_refund, true)
    const noted = await till.ask<number>('comptoir.audit/search_count', {
      domain: [
        ['event', '=', 'pos.refund'],
        ['res_id', '=', id],
      ],
    })
    assert.equal(noted, 1)
  })
  test('protected documents: amounts out of range are rejected, and the till keeps selling', async () => {
    for (const price of [1e308, 4_006_381_333_931_123]) {
      await refused('cashier', 'pos.order/sync_from_ui', { orders: [order({ session_id: session }, price)] })
      await refused('admin', 'product.product/write', { ids: [product], vals: { list_price: price } })
    }
    assert.ok(await sold({ session_id: session }))
  })
})

describe('entries', () => {
  let invoice = 0
  let item = 0
  const header = () => ({
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_date: '2026-05-05',
    invoice_line_ids: [[0, 0, { product_id: product, quantity: 1, price_unit: 10 }]],
  })
  before(async () => {
    invoice = await till.make('account.move', header())
    await till.ask('account.move/action_post', { ids: [invoice] })
    item =
      ((await till.read('account.move', invoice, ['invoice_line_ids'])).invoice_line_ids as number[])[0] ?? 0
  })
  test('protected documents: no entry is created posted', async () => {
    const vals = { ...header(), state: 'posted', name: 'INV/2026/00099' }
    for (const person of ['biller', 'admin'] as const)
      await refused(person, 'account.move/create', { vals_list: [vals] })
    await refused('biller', 'account.move/create', {
      vals_list: [header()],
      context: { default_state: 'posted' },
    })
    await refused('biller', 'account.move/upsert', {
      key: null,
      vals_list: [{ state: 'posted', name: 'INV/2026/00098', move_type: 'entry' }],
    })
    await refused('biller', 'account.move/copy', { ids: [invoice], default: { state: 'posted' } })
    const was = await standing()
    const loaded = await till.call('biller', 'account.move/load', {
      fields: ['move_type', 'state'],
      data: [['Journal Entry', 'Posted']],
    })
    assert.equal((loaded.body as { ids: unknown }).ids, false, JSON.stringify(loaded.body))
    assert.equal(await standing(), was)
  })
  for (const vals of [
    { narration: '<p>x</p>' },
    { payment_reference: 'x' },
    { partner_shipping_id: 1 },
    { invoice_origin: 'x' },
    { state: 'draft' },
    { posted_before: false },
    { payment_state: 'paid' },
    { invoice_currency_rate: 9 },
  ])
    test(`protected documents: a posted entry keeps ${Object.keys(vals)}`, async () => {
      for (const person of ['biller', 'admin'] as const)
        await refused(person, 'account.move/write', { ids: [invoice], vals })
    })
  test('protected documents: items of a posted entry keep labels and due dates', async () => {
    for (const vals of [{ name: 'x' }, { date_maturity: '2027-01-01' }, { sequence: 99 }]) {
      await refused('biller', 'account.move.line/write', { ids: [item], vals })
      await refused('biller', 'account.move/write', {
        ids: [invoice],
        vals: { invoice_line_ids: [[1, item, vals]] },
      })
      await refused('biller', 'account.move/write', { ids: [invoice], vals: { line_ids: [[1, item, vals]] } })
    }
  })
  test('protected documents: an order is not billed twice by a link', async () => {
    const so = await till.make('sale.order', {
      partner_id: partner,
      order_line: [[0, 0, { product_id: product }]],
    })
    const line = ((await till.read('sale.order', so, ['order_line'])).order_line as number[])[0] ?? 0
    await refused('biller', 'account.move.line/write', {
      ids: [item],
      vals: { sale_line_ids: [[4, line, 0]] },
    })
    await refused('admin', 'sale.order.line/write', { ids: [line], vals: { invoice_lines: [[4, item, 0]] } })
  })
  test('protected documents: the number of a printed invoice is never reused', async () => {
    const last = await till.make('account.move', header())
    await till.ask('account.move/action_post', { ids: [last] })
    const printed = await till.get('biller', `/report/pdf/account.report_invoice/${last}`)
    assert.equal(printed.status, 200, await printed.text())
    await till.ask('account.move/button_draft', { ids: [last] })
    for (const person of ['biller', 'admin'] as const)
      await refused(person, 'account.move/unlink', { ids: [last] })
    await refused('biller', 'account.move/write', { ids: [last], vals: { name: 'INV/2026/00077' } })
  })
  test('protected documents: kept copies are unchanged', async () => {
    const printed = await till.get('biller', `/report/pdf/account.report_invoice/${invoice}`)
    assert.equal(printed.status, 200, await printed.text())
    const [file = 0] = await till.ask<number[]>('ir.attachment/search', {
      domain: [
        ['res_model', '=', 'account.move'],
        ['res_id', '=', invoice],
      ],
    })
    assert.ok(file, 'no copy was kept')
    for (const person of ['biller', 'admin'] as const) {
      for (const vals of [{ datas: 'eA==' }, { raw: 'eA==' }, { public: true }, { name: 'x' }, { res_id: 1 }])
        await refused(person, 'ir.attachment/write', { ids: [file], vals })
      await refused(person, 'ir.attachment/unlink', { ids: [file] })
    }
  })
  test('protected documents: a posted payment keeps the values that its number identifies', async () => {
    const [journal = 0] = await till.ask<number[]>('account.journal/search', {
      domain: [['type', '=', 'bank']],
      limit: 1,
    })
    const id = await till.make('account.payment', {
      partner_id: partner,
      amount: 75,
      payment_type: 'inbound',
      partner_type: 'customer',
      journal_id: journal,
    })
    await till.ask('account.payment/action_post', { ids: [id] })
    for (const vals of [
      { partner_id: partner + 1 },
      { date: '2020-01-01' },
      { payment_type: 'outbound' },
      { journal_id: 1 },
      { name: 'x' },
      { state: 'paid' },
    ])
      await refused('biller', 'account.payment/write', { ids: [id], vals })
  })
})

describe('orders and goods', () => {
  const lines = () => [[0, 0, { product_id: product, product_uom_qty: 2, price_unit: 10 }]]
  test('protected documents: states, signatures and billed amounts cannot be written', async () => {
    const so = await till.make('sale.order', { partner_id: partner, order_line: lines() })
    for (const vals of [
      { state: 'sale' },
      { name: 'x' },
      { signed_by: 'x' },
      { signature: 'eA==' },
      { locked: true },
      { invoice_status: 'invoiced' },
      { amount_total: 1 },
    ])
      await refused('admin', 'sale.order/write', { ids: [so], vals })
    const line = ((await till.read('sale.order', so, ['order_line'])).order_line as number[])[0] ?? 0
    for (const vals of [{ qty_invoiced: 2 }, { state: 'sale' }, { price_subtotal: 1 }])
      await refused('admin', 'sale.order.line/write', { ids: [line], vals })
    await refused('admin', 'sale.order/create', {
      vals_list: [{ partner_id: partner, state: 'sale', signed_by: 'x' }],
    })
    await till.ask('sale.order/action_confirm', { ids: [so] })
    for (const vals of [{ partner_id: 1 }, { date_order: '2020-01-01 00:00:00' }, { pricelist_id: 1 }])
      await refused('admin', 'sale.order/write', { ids: [so], vals })
  })
  test('protected documents: a rate does not bypass the approval limit, and a lock rejects new lines', async () => {
    const head = {
      partner_id: partner,
      order_line: [[0, 0, { product_id: product, product_qty: 2, price_unit: 10 }]],
    }
    await refused('admin', 'purchase.order/create', { vals_list: [{ ...head, currency_rate: 1e9 }] })
    const po = await till.make('purchase.order', head)
    await refused('admin', 'purchase.order/write', { ids: [po], vals: { currency_rate: 1e9 } })
    await till.ask('purchase.order/button_confirm', { ids: [po] })
    await till.ask('purchase.order/button_lock', { ids: [po] })
    await refused('admin', 'purchase.order.line/create', {
      vals_list: [{ order_id: po, product_id: product, product_qty: 1, price_unit: 1 }],
    })
    await refused('admin', 'purchase.order/write', {
      ids: [po],
      vals: { order_line: [[0, 0, { product_id: product, product_qty: 1, price_unit: 1 }]] },
    })
    await refused('admin', 'purchase.order/write', { ids: [po], vals: { state: 'draft' } })
  })
  test('protected documents: done moves keep their products and places', async () => {
    const so = await till.make('sale.order', { partner_id: partner, order_line: lines() })
    await till.ask('sale.order/action_confirm', { ids: [so] })
    const [picking] = (await till.read('sale.order', so, ['picking_ids'])).picking_ids as [number]
    const { move_ids } = await till.read('stock.picking', picking, ['move_ids'])
    await till.ask('stock.move/write', { ids: move_ids, vals: { quantity: 2, picked: true } })
    await till.ask('stock.picking/button_validate', { ids: [picking] })
    const { move_line_ids } = await till.read('stock.picking', picking, ['move_line_ids'])
    const other = await till.make('product.product', { name: 'Other', is_storable: true })
    for (const vals of [
      { product_id: other },
      { location_id: 1 },
      { location_dest_id: 1 },
      { state: 'draft' },
      { company_id: 2 },
    ])
      await refused('admin', 'stock.move.line/write', { ids: move_line_ids, vals })
    for (const vals of [{ product_id: other }, { location_id: 1 }, { state: 'draft' }, { price_unit: 1 }])
      await refused('admin', 'stock.move/write', { ids: move_ids, vals })
    await refused('admin', 'stock.picking/write', { ids: [picking], vals: { partner_id: 1 } })
  })
})
