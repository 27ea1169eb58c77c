// Purchases over a real server: what orders take from vendors, prices by offers, approval, bills, rights, and
// how many statements they take.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../test/support/buying.ts'
import { statementsOf } from '../../../test/support/statements.ts'

let shop: Buying
before(async () => {
  shop = await openBuying()
})
after(() => shop?.close())

type Row = Record<string, unknown>
const range = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n))
const lines = (...all: readonly object[]) => all.map((vals) => [0, 0, vals])
const order = (partner_id: number, ...all: readonly object[]) =>
  shop.make('purchase.order', { partner_id, order_line: lines(...all) })
const vendor = (name: string, more: object = {}) => shop.make('res.partner', { name, ...more })
const product = (name: string, more: object = {}) =>
  shop.make('product.product', { name, supplier_taxes_id: [[5]], ...more })
const confirm = (...ids: readonly number[]) => shop.ask('purchase.order/button_confirm', { ids })
const statusOf = async (person: Parameters<Buying['call']>[0], path: string, body: object) =>
  (await shop.call(person, path, body)).status

test('confirming and billing 100 orders of as many vendors take as many statements as 30', async () => {
  const products = await shop.makeAll(
    'product.product',
    range(100, (n) => ({ name: `Thing ${n}`, standard_price: n + 1, purchase_method: 'purchase' })),
  )
  const counts: Record<string, number[]> = { made: [], confirmed: [], billed: [] }
  // Related records are read in the same statement for few orders and for many.
  for (const count of [1, 30, 100]) {
    const vendors = await shop.makeAll(
      'res.partner',
      range(count, (n) => ({ name: `Vendor ${count}/${n}`, ref: `${n}` })),
    )
    const vals = vendors.map((partner_id, n) => ({
      partner_id,
      order_line: lines({ product_id: products[n], product_qty: 2 }),
    }))
    let ids: number[] = []
    const count_ = async (step: string, work: () => Promise<unknown>) =>
      counts[step]?.push((await statementsOf(work)).length)
    await count_('made', async () => {
      ids = await shop.makeAll('purchase.order', vals)
    })
    await count_('confirmed', () => confirm(...ids))
    await count_('billed', () => shop.ask('purchase.order/action_create_invoice', { ids }))
    const now = await shop.ask<Row[]>('purchase.order/read', {
      ids,
      fields: ['state', 'invoice_status', 'invoice_count'],
    })
    assert.ok(
      now.every(
        (row) => row.state === 'purchase' && row.invoice_status === 'invoiced' && row.invoice_count === 1,
      ),
    )
  }
  for (const [step, [, few, many]] of Object.entries(counts))
    assert.ok((many as number) <= (few as number) + 2, `${step}: ${counts[step]}`)
  assert.ok(
    (counts.made?.[2] ?? 0) <= 48 && (counts.confirmed?.[2] ?? 0) <= 45 && (counts.billed?.[2] ?? 0) <= 95,
    JSON.stringify(counts),
  )
})

test('purchase prices: the cheapest offer that fits; a typed price stays; cost if no vendor offers the product', async () => {
  const [mill, farm] = [await vendor('Mill'), await vendor('Farm')]
  const flour = await product('Flour', {
    standard_price: 2,
    seller_ids: lines(
      { partner_id: mill, price: 1.8 },
      { partner_id: mill, price: 1.6, min_qty: 10, discount: 10, delay: 7, product_code: 'FL' },
    ),
  })
  const id = await order(mill, { product_id: flour, product_qty: 5 })
  const readLine = async () =>
    (
      await shop.linesOf(id, ['price_unit', 'discount', 'price_subtotal', 'name', 'date_planned'])
    )[0] as Row & { id: number }
  assert.deepEqual([(await readLine()).price_unit, (await readLine()).discount], [1.8, 0])
  const line = (await readLine()).id
  const write = (vals: object) => shop.ask('purchase.order.line/write', { ids: [line], vals })
  await write({ product_qty: 12 })
  assert.deepEqual(
    [(await readLine()).price_unit, (await readLine()).discount, (await readLine()).price_subtotal],
    [1.6, 10, 17.28],
  )
  const { date_order } = await shop.read('purchase.order', id, ['date_order'])
  const days = (Date.parse(`${(await readLine()).date_planned}`) - Date.parse(`${date_order}`)) / 86_400_000
  assert.equal(days, 7)
  await write({ price_unit: 3 })
  await write({ product_qty: 5 })
  assert.equal((await readLine()).price_unit, 3)
  const [cost] = await shop.linesOf(await order(farm, { product_id: flour }), ['price_unit', 'name'])
  assert.deepEqual([cost?.price_unit, cost?.name], [2, 'Flour'])
  const [coded] = await shop.linesOf(await order(mill, { product_id: flour }), ['name'])
  // The text is that of the offer that applies, which has no code.
  assert.equal(coded?.name, 'Flour')
  const yeast = await product('Yeast', {})
  await shop.ask('purchase.order.line/create', { vals_list: [{ order_id: id, product_id: yeast }] })
  const domain = [['product_id', '=', yeast]]
  assert.deepEqual(await shop.ask('purchase.order/search', { domain }), [id])
})

test('prices in the currency of the vendor, units of the line, and vendors that are remembered', async () => {
  const eur = await shop.run((env) => env.ref('base.EUR'))
  await shop.ask('res.currency/write', { ids: [eur], vals: { active: true } })
  await shop.make('res.currency.rate', { currency_id: eur, name: '2020-01-01', rate: 0.5 })
  const abroad = await vendor('Abroad', { property_purchase_currency_id: eur })
  const dozen = await shop.run((env) => env.ref('uom.product_uom_dozen'))
  const egg = await product('Egg', { standard_price: 0.4 })
  const id = await order(abroad, { product_id: egg, product_qty: 2, product_uom_id: dozen })
  const [line] = await shop.linesOf(id, ['price_unit', 'product_uom_qty'])
  // A new line has the price of one, whatever unit it is given (recorded).
  assert.deepEqual([line?.price_unit, line?.product_uom_qty], [0.2, 24])
  await shop.ask('purchase.order.line/write', { ids: [line?.id], vals: { price_unit: 2.4 } })
  const { currency_id, amount_total, amount_total_cc } = await shop.read('purchase.order', id, [
    'currency_id',
    'amount_total',
    'amount_total_cc',
  ])
  assert.deepEqual([currency_id, amount_total, amount_total_cc], [eur, 4.8, 9.6])
  await confirm(id)
  const offers = await shop.ask<Row[]>('product.supplierinfo/search_read', {
    domain: [['product_id', '=', egg]],
    fields: ['partner_id', 'price', 'min_qty', 'currency_id', 'product_uom_id'],
    load: null,
  })
  const unit = await shop.run((env) => env.ref('uom.product_uom_unit'))
  assert.deepEqual(
    offers.map(({ id: _, ...one }) => one),
    [{ partner_id: abroad, price: 0.2, min_qty: 1, currency_id: eur, product_uom_id: unit }],
  )
})

test('a new line takes unit, price and text of the offer with the lowest minimum; its discount comes with another quantity', async () => {
  const mill = await vendor('Offers')
  const dozen = await shop.run((env) => env.ref('uom.product_uom_dozen'))
  const roll = await product('Roll', {
    seller_ids: lines(
      { partner_id: mill, price: 24, discount: 25, product_uom_id: dozen, product_code: 'R12' },
      { partner_id: mill, price: 1, min_qty: 100 },
    ),
  })
  const id = await order(mill, { product_id: roll, product_qty: 3 })
  const fields = ['name', 'product_uom_id', 'price_unit', 'discount', 'price_subtotal']
  const [{ id: line, ...lineValues }] = (await shop.linesOf(id, fields)) as [Row & { id: number }]
  assert.deepEqual(lineValues, {
    name: '[R12] Roll',
    product_uom_id: dozen,
    price_unit: 24,
    discount: 0,
    price_subtotal: 72,
  })
  await shop.ask('purchase.order.line/write', { ids: [line], vals: { product_qty: 4 } })
  const [now] = await shop.linesOf(id, ['price_unit', 'discount'])
  assert.deepEqual([now?.price_unit, now?.discount], [24, 25])
  // A price that comes with the line gives way to the offer when the quantity changes.
  const typed = await order(mill, { product_id: roll, product_qty: 3, price_unit: 30 })
  const [other] = (await shop.linesOf(typed, ['price_unit'])) as [Row & { id: number }]
  assert.equal(other.price_unit, 30)
  await shop.ask('purchase.order.line/write', { ids: [other.id], vals: { product_qty: 10 } })
  const [later] = await shop.linesOf(typed, ['price_unit', 'discount'])
  assert.deepEqual([later?.price_unit, later?.discount], [12, 0])
})

test('from request to bill: what is due by the policy, sections along, credit notes take off, posted bills hold the order', async () => {
  const partner_id = await vendor('Supplies', {
    property_supplier_payment_term_id: await shop.run((env) =>
      env.ref('account.account_payment_term_30days'),
    ),
  })
  const [goods, work] = [
    await product('Goods', { standard_price: 10 }),
    await product('Work', { type: 'service', standard_price: 50 }),
  ]
  const id = await shop.make('purchase.order', {
    partner_id,
    partner_ref: 'V-1',
    order_line: lines(
      { display_type: 'line_section', name: 'First' },
      { product_id: goods, product_qty: 4 },
      { product_id: work },
    ),
  })
  assert.match(`${(await shop.read('purchase.order', id, ['name'])).name}`, /^P\d{5}$/)
  await confirm(id)
  const status = async () => (await shop.read('purchase.order', id, ['invoice_status'])).invoice_status
  const bill = async () =>
    (await shop.ask<{ res_id: number }>('purchase.order/action_create_invoice', { ids: [id] }, 'buyer'))
      .res_id
  const billed = await bill()
  const items = (move: number) =>
    shop.ask<Row[]>('account.move.line/search_read', {
      domain: [
        ['move_id', '=', move],
        ['display_type', 'in', ['product', 'line_section']],
      ],
      fields: ['name', 'quantity', 'price_unit'],
      order: 'sequence',
    })
  assert.deepEqual(
    (await items(billed)).map(({ name, quantity }) => [name, quantity]),
    [
      ['First', 0],
      ['Goods', 0],
      ['Work', 1],
    ],
  )
  assert.equal(await status(), 'invoiced')
  const [section, line] = await shop.linesOf(id, ['qty_to_invoice'])
  assert.equal(section?.qty_to_invoice, 0)
  await shop.ask('purchase.order.line/write', { ids: [line?.id], vals: { qty_received: 3 } })
  assert.equal(await status(), 'to invoice')
  const second = await bill()
  assert.deepEqual(
    (await items(second)).map(({ name, quantity, price_unit }) => [name, quantity, price_unit]),
    [
      ['First', 0, 0],
      ['Goods', 3, 10],
      ['Work', 0, 50],
    ],
  )
  const { ref, invoice_origin, move_type } = await shop.read('account.move', second, [
    'ref',
    'invoice_origin',
    'move_type',
  ])
  assert.deepEqual([ref, move_type, /^P\d+$/.test(`${invoice_origin}`)], [false, 'in_invoice', true])
  await shop.ask('account.move/write', { ids: [second], vals: { invoice_date: '2026-01-05' } })
  await shop.ask('account.move/action_post', { ids: [second] })
  assert.equal(await statusOf('admin', 'purchase.order/button_cancel', { ids: [id] }), 422)
  const form = (
    await shop.ask<number[]>('account.move.reversal/create', {
      vals_list: [{}],
      context: { active_model: 'account.move', active_ids: [second] },
    })
  )[0]
  await shop.ask('account.move.reversal/refund_moves', { ids: [form] })
  const [, back] = await shop.linesOf(id, ['qty_invoiced', 'qty_to_invoice'])
  assert.deepEqual([back?.qty_invoiced, back?.qty_to_invoice], [0, 3])
  // Received goods go back: the bill is a credit note.
  await bill()
  await shop.ask('purchase.order.line/write', { ids: [line?.id], vals: { qty_received: 1 } })
  const note = await bill()
  assert.deepEqual(
    [
      (await shop.read('account.move', note, ['move_type'])).move_type,
      (await items(note)).find(({ name }) => name === 'Goods')?.quantity,
    ],
    ['in_refund', 2],
  )
})

test('approval: buyers request, managers approve; orders below the limit need no approval', async () => {
  const [company] = (await shop.ask<Row[]>('res.company/search_read', {
    domain: [],
    fields: ['id'],
    limit: 1,
  })) as [{ id: number }]
  await shop.ask('res.company/write', {
    ids: [company.id],
    vals: { po_double_validation: 'two_step', po_double_validation_amount: 100, po_lock: 'lock' },
  })
  try {
    const [partner_id, thing] = [await vendor('Approved'), await product('Desk', { standard_price: 60 })]
    const [small, large] = [
      await order(partner_id, { product_id: thing }),
      await order(partner_id, { product_id: thing, product_qty: 2 }),
    ]
    const state = async (id: number) => (await shop.read('purchase.order', id, ['state'])).state
    await shop.ask('purchase.order/button_confirm', { ids: [small, large] }, 'buyer')
    assert.deepEqual([await state(small), await state(large)], ['purchase', 'to approve'])
    for (const lock of ['button_lock', 'button_done'])
      assert.equal(await statusOf('buyer', `purchase.order/${lock}`, { ids: [large] }), 422, lock)
    await shop.ask('purchase.order/button_approve', { ids: [large], force: true }, 'buyer')
    assert.equal(await state(large), 'to approve')
    await shop.ask('purchase.order/button_approve', { ids: [large] }, 'boss')
    const now = await shop.read('purchase.order', large, ['state', 'locked', 'date_approve'])
    assert.deepEqual([now.state, now.locked, Boolean(now.date_approve)], ['purchase', true, true])
    assert.equal(await statusOf('boss', 'purchase.order/button_cancel', { ids: [large] }), 422)
    const [line] = await shop.linesOf(large, ['id'])
    assert.equal(
      await statusOf('boss', 'purchase.order.line/write', { ids: [line?.id], vals: { product_qty: 9 } }),
      200,
    )
    // Lines below nothing may never be billed: they hold no order under the limit.
    const priced = (...prices: readonly number[]) =>
      prices.map((price_unit) => [0, 0, { product_id: thing, product_qty: 1, price_unit }])
    const held = await shop.make('purchase.order', { partner_id, order_line: priced(5000, -4990) }, 'buyer')
    const within = await shop.make('purchase.order', { partner_id, order_line: priced(60, -10) }, 'buyer')
    await shop.ask('purchase.order/button_confirm', { ids: [held, within] }, 'buyer')
    assert.deepEqual([await state(held), await state(within)], ['to approve', 'purchase'])
    await shop.ask('purchase.order/button_unlock', { ids: [within] }, 'boss')
    const grown = { ids: [within], vals: { order_line: priced(5000, -5000) } }
    assert.equal(await statusOf('buyer', 'purchase.order/write', grown), 422)
    const lowered = { ids: [within], vals: { order_line: priced(20, -10) } }
    assert.equal(await statusOf('buyer', 'purchase.order/write', lowered), 200)
    await shop.ask('purchase.order/button_unlock', { ids: [large] }, 'boss')
    await shop.ask('purchase.order/button_cancel', { ids: [large] }, 'boss')
    await shop.ask('purchase.order/button_draft', { ids: [large, small] }, 'boss')
    assert.deepEqual([await state(small), await state(large)], ['purchase', 'draft'])
  } finally {
    await shop.ask('res.company/write', {
      ids: [company.id],
      vals: { po_double_validation: 'one_step', po_lock: 'edit' },
    })
  }
})

test('what is refused, with a reason', async () => {
  const [partner_id, thing] = [await vendor('Strict'), await product('Bolt', { standard_price: 1 })]
  const id = await order(partner_id, { product_id: thing })
  const refused = async (path: string, body: object) =>
    assert.equal(await statusOf('admin', path, body), 422, path)
  await refused('purchase.order/unlink', { ids: [id] })
  await refused('purchase.order.line/create', { vals_list: [{ order_id: id, name: 'Nothing' }] })
  await refused('purchase.order.line/create', {
    vals_list: [{ order_id: id, display_type: 'line_note', name: 'No', product_id: thing }],
  })
  await confirm(id)
  const [line] = await shop.linesOf(id, ['id'])
  await refused('purchase.order.line/unlink', { ids: [line?.id] })
  await refused('purchase.order/write', { ids: [id], vals: { partner_id: await vendor('Other') } })
  await shop.ask('purchase.order.line/write', { ids: [line?.id], vals: { qty_received: 1 } })
  await refused('purchase.order.line/write', { ids: [line?.id], vals: { product_id: await product('Nut') } })
  await shop.ask('purchase.order/button_cancel', { ids: [id] })
  assert.equal(await statusOf('admin', 'purchase.order/button_cancel', { ids: [id, 987654] }), 404)
  await shop.ask('purchase.order/unlink', { ids: [id] })
})

test('a day that is written for an order is that of its lines; a copy is a fresh request', async () => {
  const [partner_id, thing] = [await vendor('Days'), await product('Day')]
  const id = await shop.make('purchase.order', {
    partner_id,
    date_planned: '2030-01-02 10:00:00',
    order_line: lines({ product_id: thing }),
  })
  const days = async (of: number) => [
    (await shop.read('purchase.order', of, ['date_planned'])).date_planned,
    ...(await shop.linesOf(of, ['date_planned'])).map((line) => line.date_planned),
  ]
  assert.deepEqual(await days(id), ['2030-01-02 10:00:00', '2030-01-02 10:00:00'])
  await shop.ask('purchase.order/write', { ids: [id], vals: { date_planned: '2031-05-06 08:00:00' } })
  assert.deepEqual(await days(id), ['2031-05-06 08:00:00', '2031-05-06 08:00:00'])
  await confirm(id)
  const [copy] = (await shop.ask<number[]>('purchase.order/copy', { ids: [id] })) as [number]
  const row = await shop.read('purchase.order', copy, ['state', 'date_approve', 'name'])
  assert.deepEqual(
    [row.state, row.date_approve, row.name !== (await shop.read('purchase.order', id, ['name'])).name],
    ['draft', false, true],
  )
})

test('taxes of vendors by fiscal position', async () => {
  const tax = (name: string, amount: number, more: object = {}) =>
    shop.make('account.tax', { name, amount, type_tax_use: 'purchase', ...more })
  const position = await shop.make('account.fiscal.position', { name: 'Import' })
  const home = await tax('Buy 10', 10)
  const away = await tax('Buy 0', 0, {
    fiscal_position_ids: [[6, 0, [position]]],
    original_tax_ids: [[6, 0, [home]]],
  })
  const thing = await product('Taxed', { standard_price: 100, supplier_taxes_id: [[6, 0, [home]]] })
  const [near, far] = [await vendor('Near'), await vendor('Far', { property_account_position_id: position })]
  const totals = async (id: number) => {
    const { amount_tax, amount_total } = await shop.read('purchase.order', id, ['amount_tax', 'amount_total'])
    return [amount_tax, amount_total, (await shop.linesOf(id, ['tax_ids']))[0]?.tax_ids]
  }
  assert.deepEqual(await totals(await order(near, { product_id: thing })), [10, 110, [home]])
  assert.deepEqual(await totals(await order(far, { product_id: thing })), [0, 100, [away]])
})

test('who may do what: buyers order, others do not; vendors read what was sent to them', async () => {
  const company = await vendor('Portal Company', { is_company: true })
  const guest = await shop.run(async (env) => {
    const [user] = await (await env.model('res.users').search([['login', '=', 'guest']])).load(['partner_id'])
    return user?.partner_id.id as number
  })
  await shop.ask('res.partner/write', { ids: [guest], vals: { parent_id: company } })
  const thing = await product('Shown')
  const id = (
    await shop.makeAll(
      'purchase.order',
      [{ partner_id: company, order_line: lines({ product_id: thing }) }],
      'buyer',
    )
  )[0] as number
  const reads = (person: Parameters<Buying['call']>[0]) =>
    statusOf(person, 'purchase.order/read', { ids: [id], fields: ['name'] })
  assert.deepEqual(
    [await reads('buyer'), await reads('biller'), await reads('clerk'), await reads('guest')],
    [200, 200, 403, 403],
  )
  await shop.ask('purchase.order/print_quotation', { ids: [id] }, 'buyer')
  assert.equal(await reads('guest'), 200)
  assert.equal(await statusOf('guest', 'purchase.order/button_confirm', { ids: [id] }), 403)
  assert.equal(await statusOf('clerk', 'purchase.order/button_confirm', { ids: [id] }), 403)
  assert.equal(
    await statusOf('biller', 'purchase.order/create', { vals_list: [{ partner_id: company }] }),
    403,
  )
  await shop.ask('purchase.order/button_confirm', { ids: [id] }, 'buyer')
  assert.equal((await shop.read('res.partner', company, ['purchase_order_count'])).purchase_order_count, 1)
})

test('the analysis of purchases counts what orders hold, in the unit of the product and the currency of the company', async () => {
  const abroad = await shop.make('res.currency', { name: 'PRX', symbol: 'x' })
  await shop.make('res.currency.rate', { currency_id: abroad, name: '2020-01-01', rate: 0.5 })
  const dozen = await shop.run((env) => env.ref('uom.product_uom_dozen'))
  const thing = await product('Counted', { purchase_method: 'purchase' })
  const priced = { product_id: thing, product_qty: 2, product_uom_id: dozen, price_unit: 12 }
  const seller = await vendor('Analysed', { property_purchase_currency_id: abroad })
  await confirm(await order(seller, priced, { display_type: 'line_note', name: 'A note' }))
  const rows = (person: Parameters<Buying['call']>[0]) =>
    shop.call(person, 'purchase.report/formatted_read_group', {
      domain: [['product_id', '=', thing]],
      groupby: ['partner_id'],
      aggregates: [
        'qty_ordered:sum',
        'qty_to_be_billed:sum',
        'untaxed_total:sum',
        'price_average:avg',
        '__count',
      ],
    })
  const { status, body } = await rows('buyer')
  assert.equal(status, 200)
  const [row] = body as Row[]
  // One of the company's currency is half of one abroad; a dozen is twelve pieces.
  assert.deepEqual(
    ['qty_ordered:sum', 'qty_to_be_billed:sum', 'untaxed_total:sum', 'price_average:avg', '__count'].map(
      (name) => row?.[name],
    ),
    [24, 24, 48, 2, 1],
  )
  assert.equal((await rows('clerk')).status, 403)
})
