// Units keep what they hold once goods were moved in them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../../test/support/buying.ts'

let shop: Buying
before(async () => {
  shop = await openBuying(['stock'])
})
after(() => shop?.close())

test('the ratio of a unit is free until goods move in it, or in units that refer to it', async () => {
  const [each, type] = await shop.run(async (env) => [
    await env.ref('uom.product_uom_unit'),
    await env.ref('stock.picking_type_in'),
  ])
  const box = await shop.make('uom.uom', { name: 'Box', relative_factor: 6, relative_uom_id: each })
  const crate = await shop.make('uom.uom', { name: 'Crate', relative_factor: 4, relative_uom_id: box })
  const ratio = async (unit: number, vals: object) =>
    (await shop.call('admin', 'uom.uom/write', { ids: [unit], vals })).status
  assert.deepEqual(
    [await ratio(box, { relative_factor: 8 }), await ratio(box, { relative_factor: 6 })],
    [200, 200],
  )
  const product_id = await shop.make('product.product', { name: 'Boxed', is_storable: true })
  const move = { product_id, product_uom_qty: 2, product_uom: crate }
  const picking = await shop.make('stock.picking', { picking_type_id: type, move_ids: [[0, 0, move]] })
  assert.equal(await ratio(crate, { relative_factor: 5 }), 200)
  await shop.ask('stock.picking/action_confirm', { ids: [picking] })
  await shop.ask('stock.picking/button_validate', { ids: [picking] })
  const { qty_available } = await shop.read('product.product', product_id, ['qty_available'])
  assert.equal(qty_available, 60)
  assert.deepEqual(
    [
      await ratio(crate, { relative_factor: 4 }),
      await ratio(crate, { relative_uom_id: each }),
      await ratio(box, { relative_factor: 8 }),
      // As it is, and what is not a ratio.
      await ratio(crate, { relative_factor: 5, relative_uom_id: box, name: 'Big crate' }),
    ],
    [422, 422, 422, 200],
  )
})

test('neither does a unit that products with goods are counted in get another', async () => {
  const [kg, stock] = await shop.run(async (env) => [
    await env.ref('uom.product_uom_kgm'),
    await env.ref('stock.stock_location_stock'),
  ])
  const sack = await shop.make('uom.uom', { name: 'Sack', relative_factor: 25, relative_uom_id: kg })
  const product_id = await shop.make('product.product', { name: 'Flour', is_storable: true, uom_id: sack })
  const ids = await shop.ask<number[]>('stock.quant/create', {
    vals_list: [{ product_id, location_id: stock, inventory_quantity: 3 }],
    context: { inventory_mode: true },
  })
  await shop.ask('stock.quant/action_apply_inventory', { ids })
  const answer = await shop.call('admin', 'uom.uom/write', { ids: [sack], vals: { relative_factor: 20 } })
  assert.equal(answer.status, 422)
})
