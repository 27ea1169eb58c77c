// Goods that a vendor sends to a customer, over a real server: worth what their documents say, and never a
// part of what is in stock.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../test/support/buying.ts'

type Row = Record<string, unknown>

let shop: Buying
let vendor: number
let customer: number
before(async () => {
  shop = await openBuying(['sales_team', 'sale', 'stock', 'sale_stock', 'stock_account', 'purchase_stock'])
  vendor = await shop.make('res.partner', { name: 'Vendor' })
  customer = await shop.make('res.partner', { name: 'Customer' })
})
after(() => shop?.close())

const lines = (...all: readonly object[]) => all.map((vals) => [0, 0, vals])
const goods = async (method: string) =>
  shop.make('product.product', {
    name: `Of ${method}`,
    is_storable: true,
    standard_price: 4,
    taxes_id: [[5]],
    supplier_taxes_id: [[5]],
    categ_id: await shop.make('product.category', {
      name: method,
      property_cost_method: method,
      property_valuation: 'real_time',
    }),
  })

/** Orders goods, for a customer's address where there is one, and validates what comes: gives order and move. */
async function buy(product_id: number, product_qty: number, price_unit: number, more: object = {}) {
  const order = await shop.make('purchase.order', {
    partner_id: vendor,
    order_line: lines({ product_id, product_qty, price_unit }),
    ...more,
  })
  await shop.ask('purchase.order/button_confirm', { ids: [order] })
  const { picking_ids } = await shop.read('purchase.order', order, ['picking_ids'])
  await shop.ask('stock.picking/button_validate', { ids: picking_ids })
  const { move_ids } = await shop.read('stock.picking', (picking_ids as [number])[0], ['move_ids'])
  return { order, move: (move_ids as [number])[0] }
}

async function bill(order: number, price_unit: number) {
  const { res_id } = await shop.ask<{ res_id: number }>('purchase.order/action_create_invoice', {
    ids: [order],
  })
  const { invoice_line_ids } = await shop.read('account.move', res_id, ['invoice_line_ids'])
  const vals = {
    invoice_date: '2026-01-05',
    invoice_line_ids: [[1, (invoice_line_ids as [number])[0], { price_unit }]],
  }
  await shop.ask('account.move/write', { ids: [res_id], vals })
  await shop.ask('account.move/action_post', { ids: [res_id] })
}

const setQuantity = (move: number, quantity: number) =>
  shop.ask('stock.move/write', { ids: [move], vals: { quantity } })
const figures = async (move: number) => {
  const row = await shop.read('stock.move', move, ['is_dropship', 'valued_qty', 'value', 'value_change'])
  return [row.is_dropship, row.valued_qty, row.value, row.value_change]
}
const worth = async (product: number, context: object = {}) => {
  const [row] = await shop.ask<Row[]>('product.product/read', {
    ids: [product],
    fields: ['qty_available', 'total_value', 'standard_price'],
    context,
  })
  return [row?.qty_available, row?.total_value, row?.standard_price]
}

test('goods from a vendor to a customer are worth what order and bill say; the stock is worth what it was', async () => {
  for (const [method, standing] of [
    ['standard', [2, 8, 4]],
    ['average', [2, 10, 5]],
    ['fifo', [2, 10, 5]],
  ] as const) {
    const product = await goods(method)
    const received = await buy(product, 2, 5)
    const sent = await buy(product, 3, 8, { dest_address_id: customer })
    assert.deepEqual(await figures(sent.move), [true, 3, 24, 0], method)
    await bill(sent.order, 9)
    assert.deepEqual(await figures(sent.move), [true, 3, 27, 0], method)
    await setQuantity(sent.move, 4)
    assert.deepEqual(await figures(sent.move), [true, 4, 35, 0], method)
    assert.deepEqual(await worth(product), standing, method)
    assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), standing, method)
    await setQuantity(received.move, 5)
    const [, , each] = standing
    assert.deepEqual(await worth(product), [5, 5 * each, each], method)
    await setQuantity(sent.move, 0)
    assert.deepEqual(await worth(product), [5, 5 * each, each], method)
  }
})

test('goods that a customer sends back to the vendor are worth what they were', async () => {
  const product = await goods('average')
  const { move } = await buy(product, 3, 8, { dest_address_id: customer })
  const { location_id, location_dest_id } = await shop.read('stock.move', move, [
    'location_id',
    'location_dest_id',
  ])
  const { picking_id } = await shop.read('stock.move', move, ['picking_id'])
  const form = await shop.make('stock.return.picking', { picking_id })
  const { product_return_moves } = await shop.read('stock.return.picking', form, ['product_return_moves'])
  await shop.ask('stock.return.picking.line/write', { ids: product_return_moves, vals: { quantity: 2 } })
  await shop.ask('stock.return.picking/action_create_returns', { ids: [form] })
  const [back] = await shop.ask<Row[]>('stock.move/search_read', {
    domain: [['origin_returned_move_id', '=', move]],
    fields: ['picking_id', 'location_id', 'location_dest_id'],
    load: null,
  })
  assert.deepEqual([back?.location_id, back?.location_dest_id], [location_dest_id, location_id])
  await shop.ask('stock.picking/button_validate', { ids: [back?.picking_id] })
  assert.deepEqual(await figures(back?.id as number), [false, 2, 16, 0])
  assert.deepEqual(await worth(product), [0, 0, 4])
})

test('an invoice of goods from a vendor to a customer costs what they were bought for', async () => {
  const product = await goods('average')
  const order = await shop.make('sale.order', {
    partner_id: customer,
    order_line: lines({ product_id: product, product_uom_qty: 3, price_unit: 20 }),
  })
  await shop.ask('sale.order/action_confirm', { ids: [order] })
  const { order_line, picking_ids } = await shop.read('sale.order', order, ['order_line', 'picking_ids'])
  await shop.ask('stock.picking/action_cancel', { ids: picking_ids })
  const { move } = await buy(product, 3, 8, { dest_address_id: customer })
  await shop.run((env) =>
    env
      .model('stock.move')
      .browse([move])
      .write({ sale_line_id: (order_line as [number])[0] }),
  )
  const invoice = await shop.make('account.move', {
    move_type: 'out_invoice',
    partner_id: customer,
    invoice_line_ids: lines({
      product_id: product,
      quantity: 3,
      price_unit: 20,
      sale_line_ids: [[6, 0, order_line]],
    }),
  })
  await shop.ask('account.move/action_post', { ids: [invoice] })
  const costs = await shop.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', invoice],
      ['display_type', '=', 'cogs'],
    ],
    fields: ['balance'],
    order: 'id',
  })
  assert.deepEqual(
    costs.map(({ balance }) => balance),
    [24, -24],
  )
})
