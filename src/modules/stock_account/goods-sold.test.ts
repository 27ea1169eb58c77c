// The cost of goods sold, over a real server: booked when an invoice is posted, as its goods were worth when
// they left.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Buying, openBuying } from '../../../test/support/buying.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { dropLastParcels, worthOfRange } from './parcels.ts'

type Row = Record<string, unknown>

let shop: Buying
let customer: number
before(async () => {
  shop = await openBuying(['sales_team', 'sale', 'stock', 'sale_stock', 'stock_account', 'purchase_stock'])
  customer = await shop.make('res.partner', { name: 'Customer' })
})
after(() => shop?.close())

const lines = (...all: readonly object[]) => all.map((vals) => [0, 0, vals])
const goods = async (method: string, more: object = {}, valuation = 'real_time') =>
  shop.make('product.product', {
    name: `Of ${method}`,
    is_storable: true,
    list_price: 20,
    taxes_id: [[5]],
    supplier_taxes_id: [[5]],
    categ_id: await shop.make('product.category', {
      name: `${method} ${valuation}`,
      property_cost_method: method,
      property_valuation: valuation,
    }),
    ...more,
  })

async function buy(product_id: number, product_qty: number, price_unit: number) {
  const partner_id = await shop.make('res.partner', { name: 'Vendor' })
  const order = await shop.make('purchase.order', {
    partner_id,
    order_line: lines({ product_id, product_qty, price_unit }),
  })
  await shop.ask('purchase.order/button_confirm', { ids: [order] })
  const { picking_ids } = await shop.read('purchase.order', order, ['picking_ids'])
  await shop.ask('stock.picking/button_validate', { ids: picking_ids })
}

async function sell(product_id: number, product_uom_qty: number) {
  const order = await shop.make('sale.order', {
    partner_id: customer,
    order_line: lines({ product_id, product_uom_qty }),
  })
  await shop.ask('sale.order/action_confirm', { ids: [order] })
  const { picking_ids } = await shop.read('sale.order', order, ['picking_ids'])
  await shop.ask('stock.picking/button_validate', { ids: picking_ids })
  const { order_line } = await shop.read('sale.order', order, ['order_line'])
  return { order, line: (order_line as number[])[0] as number }
}

const invoice = (product_id: number, quantity: number, more: object = {}) =>
  shop.make('account.move', {
    move_type: 'out_invoice',
    partner_id: customer,
    invoice_line_ids: lines({ product_id, quantity, price_unit: 20, ...more }),
  })
const post = (id: number) => shop.ask('account.move/action_post', { ids: [id] })

/** Balances and quantities of the items of goods sold, with the kinds of their accounts. */
async function booked(move: number) {
  const rows = await shop.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', move],
      ['display_type', '=', 'cogs'],
    ],
    fields: ['account_type', 'balance', 'quantity', 'amount_currency', 'amount_residual'],
    order: 'id',
  })
  return rows.map((row) => [row.account_type, row.balance, row.quantity])
}
const both = (cost: number, quantity: number) => [
  ['expense', cost, quantity],
  ['asset_current', -cost, quantity],
]

test('goods that are invoiced leave the valuation account at their cost, until the invoice is a draft again', async () => {
  const product = await goods('standard', { standard_price: 6 })
  const move = await invoice(product, 3)
  const amounts = ['amount_untaxed', 'amount_total', 'amount_residual', 'invoice_line_ids'] as const
  const before = await shop.read('account.move', move, amounts)
  assert.deepEqual(await booked(move), [])
  await post(move)
  assert.deepEqual(await booked(move), both(18, 3))
  assert.deepEqual(await shop.read('account.move', move, amounts), before)
  await shop.ask('account.move/button_draft', { ids: [move] })
  assert.deepEqual(await booked(move), [])
  await shop.ask('product.product/write', { ids: [product], vals: { standard_price: 7 } })
  await post(move)
  assert.deepEqual(await booked(move), both(21, 3))
  const copy = await shop.ask<number[]>('account.move/copy', { ids: [move] })
  assert.deepEqual(await booked(copy[0] as number), [])
})

test('goods that are valued at closing, services and bills book no cost', async () => {
  const periodic = await goods('standard', { standard_price: 6 }, 'periodic')
  const service = await goods('standard', { standard_price: 6, is_storable: false, type: 'service' })
  for (const product of [periodic, service]) {
    const move = await invoice(product, 1)
    await post(move)
    assert.deepEqual(await booked(move), [])
  }
  const bill = await shop.make('account.move', {
    move_type: 'in_invoice',
    partner_id: customer,
    invoice_date: '2026-11-01',
    invoice_line_ids: lines({ product_id: await goods('standard'), quantity: 1, price_unit: 5 }),
  })
  await post(bill)
  assert.deepEqual(await booked(bill), [])
})

test('a credit note takes back what its invoice booked, whatever goods cost by then', async () => {
  const product = await goods('standard', { standard_price: 6 })
  const move = await invoice(product, 4)
  await post(move)
  await shop.ask('product.product/write', { ids: [product], vals: { standard_price: 9 } })
  const form = await shop.make('account.move.reversal', { move_ids: [[6, 0, [move]]] })
  await shop.ask('account.move.reversal/refund_moves', { ids: [form] })
  const [note] = await shop.ask<number[]>('account.move/search', {
    domain: [['reversed_entry_id', '=', move]],
  })
  await post(note as number)
  assert.deepEqual(await booked(note as number), [
    ['expense', -24, 4],
    ['asset_current', 24, 4],
  ])
})

test('storno accounting: a credit note takes the cost back on the sides of its invoice', async () => {
  const useStorno = (account_storno: boolean) =>
    shop.run((env) => env.model('res.company').browse([env.companyId]).write({ account_storno }))
  await useStorno(true)
  const note = await shop.make('account.move', {
    move_type: 'out_refund',
    partner_id: customer,
    invoice_line_ids: lines({ product_id: await goods('standard', { standard_price: 6 }), quantity: 2 }),
  })
  await post(note)
  const items = await shop.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', note],
      ['display_type', '=', 'cogs'],
    ],
    fields: ['account_type', 'debit', 'credit'],
    order: 'id',
  })
  await useStorno(false)
  assert.deepEqual(
    items.map((item) => [item.account_type, item.debit, item.credit]),
    [
      ['expense', -12, 0],
      ['asset_current', 0, -12],
    ],
  )
})

test('lines of orders cost what their deliveries were worth, in the order of the deliveries', async () => {
  const product = await goods('fifo', { invoice_policy: 'delivery' })
  await buy(product, 2, 5)
  await buy(product, 3, 8)
  const { line } = await sell(product, 4)
  // Two at 5 and two at 8 left: 26 together, however many are invoiced at a time.
  const unit = { sale_line_ids: [[6, 0, [line]]] }
  const first = await invoice(product, 1, unit)
  await post(first)
  await buy(product, 5, 100)
  const second = await invoice(product, 3, unit)
  await post(second)
  assert.deepEqual([await booked(first), await booked(second)], [both(6.5, 1), both(19.5, 3)])
})

test('a delivery that is corrected between two invoices: together they cost what it is worth', async () => {
  const product = await goods('fifo', { invoice_policy: 'delivery' })
  await buy(product, 2, 5)
  await buy(product, 8, 8)
  const { order, line } = await sell(product, 4)
  const unit = { sale_line_ids: [[6, 0, [line]]] }
  const first = await invoice(product, 1, unit)
  await post(first)
  const { picking_ids } = await shop.read('sale.order', order, ['picking_ids'])
  const [move] = await shop.ask<number[]>('stock.move/search', {
    domain: [['picking_id', 'in', picking_ids]],
  })
  // Two at 5 and two at 8 left, and two more at 8.
  await shop.ask('stock.move/write', { ids: [move], vals: { quantity: 6 } })
  const second = await invoice(product, 4, unit)
  const third = await invoice(product, 1, unit)
  await shop.ask('account.move/action_post', { ids: [second, third] })
  assert.deepEqual(
    [await booked(first), await booked(second), await booked(third)],
    [both(6.5, 1), both(28.5, 4), both(7, 1)],
  )
  const note = await shop.make('account.move', {
    move_type: 'out_refund',
    partner_id: customer,
    invoice_line_ids: lines({ product_id: product, quantity: 6, price_unit: 20, ...unit }),
  })
  await post(note)
  assert.deepEqual(await booked(note), [
    ['expense', -42, 6],
    ['asset_current', 42, 6],
  ])
})

test('a foreign invoice books its cost at its rate', async () => {
  const product = await goods('standard', { standard_price: 6 })
  const [euro] = await shop.ask<Row[]>('res.currency/search_read', {
    domain: [['name', '=', 'EUR']],
    context: { active_test: false },
    fields: ['id'],
  })
  await shop.ask('res.currency/write', { ids: [euro?.id], vals: { active: true } })
  await shop.make('res.currency.rate', { currency_id: euro?.id, name: '2026-01-01', rate: 0.5 })
  const move = await shop.make('account.move', {
    move_type: 'out_invoice',
    partner_id: customer,
    currency_id: euro?.id,
    invoice_line_ids: lines({ product_id: product, quantity: 1, price_unit: 20 }),
  })
  await post(move)
  assert.deepEqual(await booked(move), both(6, 1))
  const items = await shop.ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', move]],
    fields: ['balance', 'amount_currency'],
  })
  for (const field of ['balance', 'amount_currency'])
    assert.equal(
      items.reduce((sum, item) => sum + (item[field] as number), 0),
      0,
    )
})

test('posting many lines takes as many statements as posting few', async () => {
  const counts: number[] = []
  for (const count of [1, 1, 2, 40]) {
    const product = await goods('average', { standard_price: 3 })
    const move = await shop.make('account.move', {
      move_type: 'out_invoice',
      partner_id: customer,
      invoice_line_ids: lines(
        ...Array.from({ length: count }, () => ({ product_id: product, quantity: 1, price_unit: 4 })),
      ),
    })
    counts.push((await statementsOf(() => post(move))).length)
    assert.equal((await booked(move)).length, 2 * count)
  }
  assert.ok((counts[3] as number) <= (counts[2] as number) + 2, `${counts}`)
})

test('parcels: parts add up to the whole, and what came back is taken off those that left last', () => {
  const parcel = fc.record({
    quantity: fc.integer({ min: 1, max: 50 }),
    value: fc.integer({ min: 0, max: 5000 }),
  })
  fc.assert(
    fc.property(fc.array(parcel), fc.nat(120), fc.nat(120), fc.nat(40), (parcels, a, b, each) => {
      const whole = worthOfRange(parcels, 0, a + b, each)
      const parts = worthOfRange(parcels, 0, a, each) + worthOfRange(parcels, a, a + b, each)
      assert.ok(Math.abs(whole - parts) < 1e-6)
      const kept = dropLastParcels(parcels, b)
      const sum = (all: typeof parcels) => all.reduce((total, row) => total + row.quantity, 0)
      assert.equal(sum(kept), Math.max(0, sum(parcels) - b))
      assert.ok(
        Math.abs(
          worthOfRange(kept, 0, sum(kept), 0) - worthOfRange(parcels, 0, Math.max(0, sum(parcels) - b), 0),
        ) < 1e-6,
      )
    }),
    { numRuns: 2000 },
  )
})

test('anglo-saxon accounting: without it bills are expenses and invoices book no cost', async (t) => {
  const product = await goods('standard', { standard_price: 6 })
  const { categ_id } = await shop.read('product.product', product, ['categ_id'])
  const [company] = await shop.ask<number[]>('res.company/search', { domain: [], limit: 1, order: 'id' })
  const choose = (anglo_saxon_accounting: boolean) =>
    shop.ask('res.company/write', { ids: [company], vals: { anglo_saxon_accounting } })
  const isOn = async () =>
    (await shop.read('product.category', categ_id as number, ['anglo_saxon_accounting']))
      .anglo_saxon_accounting
  const billed = async () => {
    const bill = await shop.make('account.move', {
      move_type: 'in_invoice',
      partner_id: customer,
      invoice_date: '2026-11-01',
      invoice_line_ids: lines({ product_id: product, quantity: 1, price_unit: 5 }),
    })
    const [item] = await shop.ask<Row[]>('account.move.line/search_read', {
      domain: [
        ['move_id', '=', bill],
        ['display_type', '=', 'product'],
      ],
      fields: ['account_type'],
    })
    return item?.account_type
  }
  assert.deepEqual([await isOn(), await billed()], [true, 'asset_current'])
  t.after(() => choose(true))
  await choose(false)
  assert.deepEqual([await isOn(), await billed()], [false, 'expense'])
  const move = await invoice(product, 3)
  await post(move)
  assert.deepEqual(await booked(move), [])
  await choose(true)
  const later = await invoice(product, 3)
  await post(later)
  assert.deepEqual(await booked(later), both(18, 3))
})

test('anglo-saxon accounting: a company has it from its chart of accounts, a branch from its company', async () => {
  const isOn = async (company: number) =>
    (await shop.read('res.company', company, ['anglo_saxon_accounting'])).anglo_saxon_accounting
  const company = await shop.make('res.company', { name: 'Without a chart' })
  assert.equal(await isOn(company), false)
  const [main] = await shop.ask<number[]>('res.company/search', { domain: [], limit: 1, order: 'id' })
  assert.equal(await isOn(await shop.make('res.company', { name: 'Branch', parent_id: main })), true)
  await shop.ask('account.chart.template/try_loading', { template_code: 'generic_coa', company })
  assert.equal(await isOn(company), true)
})
