// Products that somebody adds to a delivery or a receipt appear on its order, with nothing ordered and what
// moved.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../test/support/buying.ts'

type Row = Record<string, unknown>

let shop: Buying
before(async () => {
  shop = await openBuying(['sales_team', 'sale', 'stock', 'sale_stock', 'purchase_stock'])
})
after(() => shop?.close())

const goods = (name: string, more: object = {}) =>
  shop.make('product.product', { name, list_price: 7, standard_price: 4, ...more })

/** A confirmed order of one piece of a product, with its transfer. */
async function transferOf(side: 'sale' | 'purchase', product_id: number, more: object = {}) {
  const partner_id = await shop.make('res.partner', { name: 'Partner' })
  const quantity = side === 'sale' ? { product_uom_qty: 1 } : { product_qty: 1 }
  const order = await shop.make(`${side}.order`, {
    partner_id,
    ...more,
    order_line: [[0, 0, { product_id, ...quantity }]],
  })
  await shop.ask(`${side}.order/${side === 'sale' ? 'action' : 'button'}_confirm`, { ids: [order] })
  const { picking_ids } = await shop.read(`${side}.order`, order, ['picking_ids'])
  return { order, picking: (picking_ids as number[])[0] as number }
}

async function add(picking: number, product_id: number, quantity: number, more: object = {}) {
  const places = await shop.read('stock.picking', picking, ['location_id', 'location_dest_id'])
  const { location_id, location_dest_id } = places
  return shop.make('stock.move', {
    picking_id: picking,
    product_id,
    product_uom_qty: quantity,
    quantity,
    picked: true,
    location_id,
    location_dest_id,
    ...more,
  })
}

async function validate(picking: number) {
  const { move_ids } = await shop.read('stock.picking', picking, ['move_ids'])
  const rows = await shop.ask<Row[]>('stock.move/read', {
    ids: move_ids,
    fields: ['product_uom_qty', 'picked'],
  })
  for (const row of rows)
    if (!row.picked)
      await shop.ask('stock.move/write', {
        ids: [row.id],
        vals: { quantity: row.product_uom_qty, picked: true },
      })
  await shop.ask('stock.picking/button_validate', { ids: [picking], context: { skip_backorder: true } })
}

async function linesOf(side: 'sale' | 'purchase', order: number, fields: readonly string[]) {
  const rows = await shop.ask<Row[]>(`${side}.order.line/search_read`, {
    domain: [['order_id', '=', order]],
    fields: ['product_id', ...fields],
    load: null,
    order: 'id',
  })
  return rows.map((row) => ['product_id', ...fields].map((field) => row[field]))
}

test('a product added to a delivery is on the order, at its price where deliveries are invoiced', async () => {
  const sold = await goods('Sold')
  const [byOrder, byDelivery] = [
    await goods('By order'),
    await goods('By delivery', { invoice_policy: 'delivery' }),
  ]
  const { order, picking } = await transferOf('sale', sold)
  for (const product of [byOrder, byDelivery, byDelivery]) await add(picking, product, 2)
  await validate(picking)
  const fields = ['product_uom_qty', 'qty_delivered', 'price_unit', 'qty_to_invoice']
  assert.deepEqual(await linesOf('sale', order, fields), [
    [sold, 1, 1, 7, 1],
    [byOrder, 0, 2, 0, 0],
    [byDelivery, 0, 4, 7, 4],
  ])
  const { amount_untaxed, delivery_status } = await shop.read('sale.order', order, [
    'amount_untaxed',
    'delivery_status',
  ])
  assert.deepEqual([amount_untaxed, delivery_status], [7, 'full'])
  const all = await shop.ask<Row[]>('stock.move/search_read', {
    domain: [['picking_id', '=', picking]],
    fields: ['sale_line_id'],
  })
  assert.ok(all.every((row) => row.sale_line_id))
})

test('goods added of a product that is on the order count for its line, and nothing is delivered again', async () => {
  const sold = await goods('Twice')
  const { order, picking } = await transferOf('sale', sold)
  const box = await shop.make('uom.uom', { name: 'Box of 6', relative_factor: 6, relative_uom_id: 1 })
  await add(picking, sold, 1, { product_uom: box })
  await validate(picking)
  assert.deepEqual(await linesOf('sale', order, ['product_uom_qty', 'qty_delivered']), [[sold, 1, 7]])
  const { picking_ids } = await shop.read('sale.order', order, ['picking_ids'])
  assert.deepEqual(picking_ids, [picking])
})

test('a line of which more was delivered than ordered may be raised, and not lowered', async () => {
  const sold = await goods('More')
  const { order, picking } = await transferOf('sale', sold)
  await add(picking, sold, 6)
  await validate(picking)
  const { order_line: ids } = await shop.read('sale.order', order, ['order_line'])
  const ordered = async (product_uom_qty: number) =>
    (await shop.call('admin', 'sale.order.line/write', { ids, vals: { product_uom_qty } })).status
  assert.deepEqual([await ordered(3), await ordered(2), await ordered(8)], [200, 422, 200])
})

test('a product added to the first step of a delivery goes on to the customer, and is on the order then', async () => {
  const house = await shop.make('stock.warehouse', {
    name: 'Two',
    code: 'TWO',
    delivery_steps: 'pick_ship',
  })
  const [sold, extra] = [await goods('Picked'), await goods('Picked too', { invoice_policy: 'delivery' })]
  const { order, picking } = await transferOf('sale', sold, { warehouse_id: house })
  await add(picking, extra, 2)
  await validate(picking)
  const { picking_ids } = await shop.read('sale.order', order, ['picking_ids'])
  const [shipping] = (picking_ids as number[]).filter((id) => id !== picking)
  await validate(shipping as number)
  assert.deepEqual(await linesOf('sale', order, ['product_uom_qty', 'qty_delivered', 'qty_to_invoice']), [
    [sold, 1, 1, 1],
    [extra, 0, 2, 2],
  ])
})

test('what is added and does not move is not on the order', async () => {
  const [sold, other] = [await goods('Sold'), await goods('Left')]
  const { order, picking } = await transferOf('sale', sold)
  await add(picking, other, 2, { quantity: 0, picked: false })
  const { move_ids } = await shop.read('stock.picking', picking, ['move_ids'])
  await shop.ask('stock.move/write', {
    ids: [(move_ids as number[])[0]],
    vals: { quantity: 1, picked: true },
  })
  await shop.ask('stock.picking/button_validate', { ids: [picking], context: { skip_backorder: true } })
  assert.deepEqual(await linesOf('sale', order, ['qty_delivered']), [[sold, 1]])
})

test('a product added to a receipt is on the order at what the vendor asks, and is billed as received', async () => {
  const [bought, other] = [await goods('Bought'), await goods('Other', { purchase_method: 'receive' })]
  const { order, picking } = await transferOf('purchase', bought)
  await add(picking, other, 3)
  await add(picking, bought, 2)
  await validate(picking)
  const fields = ['product_qty', 'qty_received', 'price_unit', 'qty_to_invoice']
  assert.deepEqual(await linesOf('purchase', order, fields), [
    [bought, 1, 3, 4, 3],
    [other, 0, 3, 4, 3],
  ])
  const { picking_ids, receipt_status } = await shop.read('purchase.order', order, [
    'picking_ids',
    'receipt_status',
  ])
  assert.deepEqual([picking_ids, receipt_status], [[picking], 'full'])
})
