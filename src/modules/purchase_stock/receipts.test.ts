// Goods that are bought: expected when an order is confirmed, counted when they come, changed, returned; and
// bought when something lacks them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../test/support/buying.ts'
import { statementsOf } from '../../../test/support/statements.ts'

let shop: Buying
before(async () => {
  shop = await openBuying(['stock', 'purchase_stock'])
})
after(() => shop?.close())

type Row = Record<string, unknown> & { readonly id: number }
const range = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n))
const lines = (...all: readonly object[]) => all.map((vals) => [0, 0, vals])
const goods = (name: string, more: object = {}) =>
  shop.make('product.product', {
    name,
    is_storable: true,
    standard_price: 5,
    supplier_taxes_id: [[5]],
    ...more,
  })
const vendor = (name: string) => shop.make('res.partner', { name })
const confirm = (ids: readonly number[]) => shop.ask('purchase.order/button_confirm', { ids }, 'buyer')
const movesOf = (order: number) =>
  shop.ask<Row[]>('stock.move/search_read', {
    domain: [['purchase_line_id.order_id', '=', order]],
    fields: ['product_uom_qty', 'quantity', 'state', 'picking_id'],
    load: null,
    order: 'id',
  })
const onHand = async (product: number) =>
  (await shop.read('product.product', product, ['qty_available'])).qty_available
const orderOf = (order: number) =>
  shop.read('purchase.order', order, ['state', 'receipt_status', 'invoice_status', 'incoming_picking_count'])

async function bought(quantity: number, more: object = {}) {
  const [partner_id, product_id] = [await vendor('Vendor'), await goods('Goods', more)]
  const order = await shop.make('purchase.order', {
    partner_id,
    order_line: lines({ product_id, product_qty: quantity }),
  })
  await confirm([order])
  const [line] = (await shop.linesOf(order, ['id'])) as [Row]
  return { partner_id, product_id, order, line: line.id }
}

test('confirming 100 orders with their receipts takes as many statements as 10', async () => {
  const product_id = await goods('Much')
  const counts: number[] = []
  for (const count of [1, 10, 100]) {
    const vendors = await shop.makeAll(
      'res.partner',
      range(count, (n) => ({ name: `V ${count}/${n}` })),
    )
    const ids = await shop.makeAll(
      'purchase.order',
      vendors.map((partner_id) => ({ partner_id, order_line: lines({ product_id, product_qty: 2 }) })),
    )
    counts.push((await statementsOf(() => confirm(ids))).length)
    const rows = await shop.ask<Row[]>('purchase.order/read', {
      ids,
      fields: ['receipt_status', 'incoming_picking_count'],
    })
    assert.ok(rows.every((row) => row.receipt_status === 'pending' && row.incoming_picking_count === 1))
  }
  assert.ok((counts[2] as number) <= (counts[1] as number) + 3, `${counts}`)
  assert.ok((counts[2] as number) <= 120, `${counts}`)
})

test('what came is received, in part and whole; less than that may be ordered, and the order cancelled', async () => {
  const { order, line, product_id } = await bought(10)
  const [move] = (await movesOf(order)) as [Row]
  assert.deepEqual([move.product_uom_qty, move.state], [10, 'assigned'])
  await shop.ask('stock.move/write', { ids: [move.id], vals: { quantity: 4 } })
  await shop.ask('stock.picking/button_validate', {
    ids: [move.picking_id],
    context: { skip_backorder: true },
  })
  assert.deepEqual([await onHand(product_id), (await orderOf(order)).receipt_status], [4, 'partial'])
  assert.equal((await shop.linesOf(order, ['qty_received']))[0]?.qty_received, 4)
  const write = (product_qty: number) =>
    shop.call('buyer', 'purchase.order.line/write', { ids: [line], vals: { product_qty } })
  assert.equal((await write(7)).status, 200)
  assert.deepEqual(
    (await movesOf(order)).map((move) => [move.product_uom_qty, move.state]),
    [
      [4, 'done'],
      [3, 'assigned'],
    ],
  )
  assert.equal((await write(9)).status, 200)
  assert.deepEqual(
    (await movesOf(order)).map((move) => move.product_uom_qty),
    [4, 5],
  )
  const rest = (await movesOf(order))[1] as Row
  await shop.ask('stock.picking/button_validate', { ids: [rest.picking_id] })
  assert.deepEqual(
    [await onHand(product_id), (await orderOf(order)).receipt_status, (await orderOf(order)).invoice_status],
    [9, 'full', 'to invoice'],
  )
  // Nothing is open: nothing is expected, and nothing goes back.
  assert.equal((await write(3)).status, 200)
  assert.deepEqual(
    (await movesOf(order)).map((move) => [move.quantity, move.state]),
    [
      [4, 'done'],
      [5, 'done'],
    ],
  )
  const { status, body } = await shop.call('buyer', 'purchase.order/button_cancel', { ids: [order] })
  assert.deepEqual([status, body, (await orderOf(order)).state], [200, null, 'cancel'])
})

test('moves count in the unit of the product; what is ordered less than came goes back while a receipt is open', async () => {
  const dozen = await shop.run((env) => env.ref('uom.product_uom_dozen'))
  const [partner_id, product_id] = [await vendor('By the dozen'), await goods('Eggs')]
  const order = await shop.make('purchase.order', {
    partner_id,
    order_line: lines({ product_id, product_qty: 2, product_uom_id: dozen }),
  })
  await confirm([order])
  const [line] = (await shop.linesOf(order, ['id'])) as [Row]
  const [move] = (await movesOf(order)) as [Row]
  assert.equal(move.product_uom_qty, 24)
  await shop.ask('stock.move/write', { ids: [move.id], vals: { quantity: 18 } })
  await shop.ask('stock.picking/button_validate', {
    ids: [move.picking_id],
    context: { skip_backorder: true },
  })
  assert.equal((await shop.linesOf(order, ['qty_received']))[0]?.qty_received, 1.5)
  await shop.ask('purchase.order.line/write', { ids: [line.id], vals: { product_qty: 1 } }, 'buyer')
  const now = await movesOf(order)
  assert.deepEqual(
    now.map((row) => [row.product_uom_qty, row.state]),
    [
      [18, 'done'],
      [0, 'cancel'],
      [6, 'assigned'],
    ],
  )
  const back = await shop.read('stock.picking', now[2]?.picking_id as number, ['picking_type_code'])
  assert.equal(back.picking_type_code, 'outgoing')
})

test('bills on received quantities never bill more than came in, whatever comes and goes', async () => {
  let seed = 11
  const upTo = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return 1 + (seed % most)
  }
  const { order, line } = await bought(10, { purchase_method: 'receive' })
  for (let round = 0; round < 4; round++) {
    const [open] = (await movesOf(order)).filter((move) => move.state === 'assigned')
    if (open) {
      await shop.ask('stock.move/write', { ids: [open.id], vals: { quantity: upTo(4), picked: true } })
      await shop.ask('stock.picking/button_validate', {
        ids: [open.picking_id],
        context: { skip_backorder: true },
      })
    }
    await shop.ask('purchase.order/action_create_invoice', { ids: [order] })
    await shop.ask('purchase.order.line/write', { ids: [line], vals: { product_qty: upTo(12) } })
    const [now] = await shop.linesOf(order, ['qty_received', 'qty_invoiced'])
    assert.ok((now?.qty_invoiced as number) <= (now?.qty_received as number), JSON.stringify(now))
  }
})

test('what goes back to the vendor is not received; a cancelled order expects nothing', async () => {
  const { order, product_id } = await bought(6)
  const [move] = (await movesOf(order)) as [Row]
  await shop.ask('stock.picking/button_validate', { ids: [move.picking_id] })
  const [form] = await shop.ask<number[]>('stock.return.picking/create', {
    vals_list: [{}],
    context: { active_model: 'stock.picking', active_id: move.picking_id },
  })
  const [returned] = await shop.ask<Row[]>('stock.return.picking.line/search_read', {
    domain: [['wizard_id', '=', form]],
    fields: ['id'],
  })
  await shop.ask('stock.return.picking.line/write', { ids: [returned?.id], vals: { quantity: 2 } })
  const { res_id } = await shop.ask<{ res_id: number }>('stock.return.picking/action_create_returns', {
    ids: [form],
  })
  await shop.ask('stock.picking/button_validate', { ids: [res_id] })
  assert.deepEqual(
    [await onHand(product_id), (await shop.linesOf(order, ['qty_received']))[0]?.qty_received],
    [4, 4],
  )
  const other = await bought(3)
  await shop.ask('purchase.order/button_cancel', { ids: [other.order] }, 'buyer')
  assert.deepEqual(
    (await movesOf(other.order)).map((move) => move.state),
    ['cancel'],
  )
  assert.equal((await orderOf(other.order)).receipt_status, false)
})

test('lines of a cancelled order may change, and are expected once it is confirmed again', async () => {
  const { order, line, product_id } = await bought(3)
  await shop.ask('purchase.order/button_cancel', { ids: [order] })
  await shop.ask('purchase.order.line/write', { ids: [line], vals: { product_qty: 5, price_unit: 2 } })
  const more = { order_id: order, product_id, product_qty: 1 }
  await shop.ask('purchase.order.line/create', { vals_list: [more] })
  const open = async () =>
    (await movesOf(order)).filter((move) => move.state !== 'cancel').map((move) => move.product_uom_qty)
  assert.deepEqual(await open(), [])
  await shop.ask('purchase.order/button_draft', { ids: [order] })
  await shop.ask('purchase.order/button_confirm', { ids: [order] })
  assert.deepEqual((await open()).sort(), [1, 5])
})

test('reordering rules buy from the cheapest vendor, once; a second look adds what is missing since', async () => {
  const seller = await vendor('Seller')
  const product_id = await goods('Rare', {
    seller_ids: lines(
      { partner_id: seller, price: 4, delay: 2 },
      { partner_id: seller, price: 3, min_qty: 15, delay: 2 },
    ),
  })
  const point = await shop.make('stock.warehouse.orderpoint', {
    product_id,
    product_min_qty: 5,
    product_max_qty: 20,
  })
  const missing = async () => {
    const row = await shop.read('stock.warehouse.orderpoint', point, ['qty_forecast', 'qty_to_order'])
    return [row.qty_forecast, row.qty_to_order]
  }
  const bare = await goods('Offered by nobody')
  await shop.make('stock.warehouse.orderpoint', { product_id: bare, product_min_qty: 5, product_max_qty: 20 })
  const run = () => shop.ask('stock.rule/run_scheduler', {})
  const requests = async () => {
    const rows = await shop.ask<Row[]>('purchase.order.line/search_read', {
      domain: [['product_id', 'in', [product_id, bare]]],
      fields: ['product_qty', 'price_unit', 'state', 'partner_id'],
      load: null,
    })
    return rows.map((row) => [row.product_qty, row.price_unit, row.state, row.partner_id])
  }
  assert.deepEqual(await missing(), [0, 20])
  await run()
  assert.deepEqual(await missing(), [20, 0])
  await run()
  assert.deepEqual(await requests(), [[20, 3, 'draft', seller]])
  // A quantity that a user enters is ordered in addition to the requested one.
  await shop.ask('stock.warehouse.orderpoint/write', { ids: [point], vals: { qty_to_order: 7 } })
  await shop.ask('stock.warehouse.orderpoint/action_replenish', { ids: [point] })
  assert.deepEqual([await missing(), await requests()], [[27, 0], [[27, 3, 'draft', seller]]])
  const [order] = await shop.ask<Row[]>('purchase.order/search_read', {
    domain: [['partner_id', '=', seller]],
    fields: ['origin', 'date_order'],
  })
  assert.match(`${order?.origin}`, /^OP\//)
  await confirm([order?.id as number])
  await run()
  assert.deepEqual(await requests(), [[27, 3, 'purchase', seller]])
})

test('who works in the stock reads orders; a service is received by hand', async () => {
  const work = await shop.make('product.product', { name: 'Work', type: 'service', standard_price: 9 })
  const order = await shop.make('purchase.order', {
    partner_id: await vendor('Worker'),
    order_line: lines({ product_id: work, product_qty: 2 }),
  })
  await confirm([order])
  assert.deepEqual([(await movesOf(order)).length, (await orderOf(order)).receipt_status], [0, false])
  const [line] = (await shop.linesOf(order, ['qty_received_method'])) as [Row]
  assert.equal(line.qty_received_method, 'manual')
  await shop.ask('purchase.order.line/write', { ids: [line.id], vals: { qty_received: 1 } }, 'buyer')
  assert.equal((await shop.linesOf(order, ['qty_received']))[0]?.qty_received, 1)
})

test('make to order: missing goods are bought for the move and arrive for it; goods without a vendor are refused', async () => {
  const seller = await vendor('On demand')
  const mto = await shop.run((env) => env.ref('stock.route_warehouse0_mto'))
  await shop.ask('stock.route/write', { ids: [mto], vals: { active: true } })
  const product_id = await goods('Made to order', { seller_ids: lines({ partner_id: seller, price: 4 }) })
  const places = await shop.run(async (env) => ({
    location_id: await env.ref('stock.stock_location_stock'),
    location_dest_id: await env.ref('stock.stock_location_customers'),
    picking_type_id: await env.ref('stock.picking_type_out'),
  }))
  const want = async (product: number) => {
    const move = { product_id: product, product_uom_qty: 3, procure_method: 'make_to_order', ...places }
    const picking = await shop.make('stock.picking', { ...places, origin: 'SO-1', move_ids: lines(move) })
    return { picking, answer: await shop.call('admin', 'stock.picking/action_confirm', { ids: [picking] }) }
  }
  const { picking } = await want(product_id)
  const [line] = await shop.ask<Row[]>('purchase.order.line/search_read', {
    domain: [['product_id', '=', product_id]],
    fields: ['product_qty', 'price_unit', 'order_id'],
    load: null,
  })
  assert.deepEqual([line?.product_qty, line?.price_unit], [3, 4])
  const order = line?.order_id as number
  assert.equal((await shop.read('purchase.order', order, ['origin'])).origin, 'SO-1')
  await confirm([order])
  const [receipt] = (await movesOf(order)) as [Row]
  await shop.ask('stock.picking/button_validate', { ids: [receipt.picking_id] })
  assert.equal((await shop.read('stock.picking', picking, ['state'])).state, 'assigned')
  assert.equal((await want(await goods('Nobody has it'))).answer.status, 422)
})
