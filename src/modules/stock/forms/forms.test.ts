// Forms about counts, packages, replenishment and the way that goods took: over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../../test/support/office.ts'

type Row = Record<string, unknown>
type Person = 'keeper' | 'clerk' | 'admin'

let shop: Office<'keeper' | 'clerk'>
let stock: number
let customers: number
let suppliers: number
let outgoing: number
let warehouse: number
before(async () => {
  shop = await openOffice(['stock'], { keeper: ['stock.group_stock_user'], clerk: [] })
  await shop.run(async (env) => {
    stock = await env.ref('stock.stock_location_stock')
    customers = await env.ref('stock.stock_location_customers')
    suppliers = await env.ref('stock.stock_location_suppliers')
    outgoing = await env.ref('stock.picking_type_out')
    warehouse = await env.ref('stock.warehouse0')
  })
})
after(() => shop?.close())

async function ask<T = Row>(path: string, body: object, person: Person = 'admin'): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const statusOf = async (person: Person, path: string, body: object) =>
  (await shop.call(person, path, body)).status
const make = async (model: string, vals: object, more: object = {}) =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals], ...more }))[0] as number
async function values(model: string, id: number, fields: readonly string[]) {
  const [row] = await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null })
  return fields.map((name) => row?.[name])
}
async function count(product: number, quantity: number, more: object = {}) {
  const quant = await make('stock.quant', {
    product_id: product,
    location_id: stock,
    inventory_quantity: quantity,
    ...more,
  })
  await ask('stock.quant/action_apply_inventory', { ids: [quant] })
  return quant
}
const good = (name: string, more: object = {}) =>
  make('product.product', { name, is_storable: true, ...more })

/** Goods are brought or sent by a transfer that is done at once. */
async function move(product: number, quantity: number, from: number, to: number, lot?: number) {
  const picking = await make('stock.picking', {
    picking_type_id: outgoing,
    location_id: from,
    location_dest_id: to,
    move_ids: [
      [0, 0, { product_id: product, product_uom_qty: quantity, location_id: from, location_dest_id: to }],
    ],
  })
  await ask('stock.picking/action_confirm', { ids: [picking] })
  await ask('stock.picking/action_assign', { ids: [picking] })
  if (lot !== undefined && from === suppliers) {
    const [line] = await ask<Row[]>('stock.move.line/search_read', {
      domain: [['picking_id', '=', picking]],
      fields: ['id'],
    })
    await ask('stock.move.line/write', { ids: [line?.id], vals: { lot_id: lot } })
  }
  await ask('stock.picking/button_validate', { ids: [picking] })
  return picking
}

/** A product of which 10 were there when 8 were counted, and 3 left before that was applied. */
async function conflicting(name: string) {
  const product = await good(name)
  const quant = await count(product, 10)
  await ask('stock.quant/write', { ids: [quant], vals: { inventory_quantity: 8 } })
  await move(product, 3, stock, customers)
  assert.deepEqual(await values('stock.quant', quant, ['quantity', 'is_outdated']), [7, true])
  const form = await make('stock.inventory.conflict', { quant_ids: [quant], quant_to_fix_ids: [quant] })
  return { form, quant }
}

test('stock.inventory.conflict: what was counted stays, or the difference does', async () => {
  const first = await conflicting('Counted')
  const keep = 'stock.inventory.conflict/action_keep_counted_quantity'
  await ask(keep, { ids: [first.form] })
  assert.deepEqual(await values('stock.quant', first.quant, ['quantity', 'inventory_quantity_set']), [
    8,
    false,
  ])
  const second = await conflicting('Lost')
  await ask('stock.inventory.conflict/action_keep_difference', { ids: [second.form] })
  assert.deepEqual(await values('stock.quant', second.quant, ['quantity', 'inventory_quantity_set']), [
    5,
    false,
  ])
  assert.equal(await statusOf('clerk', keep, { ids: [first.form] }), 403)
  const keepersForms = await ask<number[]>(
    'stock.inventory.conflict/create',
    { vals_list: [{ quant_ids: [second.quant], quant_to_fix_ids: [second.quant] }] },
    'keeper',
  )
  await ask('stock.quant/write', { ids: [second.quant], vals: { inventory_quantity: 1 } })
  assert.equal(await statusOf('keeper', keep, { ids: keepersForms }), 422)
  assert.deepEqual(await values('stock.quant', second.quant, ['quantity']), [5])
})

test('stock.package.destination: all goods go to one place, in one package', async () => {
  const [product, shelf] = [
    await good('Crate'),
    await make('stock.location', { name: 'Gate', location_id: stock }),
  ]
  await count(product, 6)
  const picking = await make('stock.picking', {
    picking_type_id: outgoing,
    location_id: stock,
    location_dest_id: customers,
    move_ids: [
      [0, 0, { product_id: product, product_uom_qty: 2, location_id: stock, location_dest_id: customers }],
      [0, 0, { product_id: product, product_uom_qty: 3, location_id: stock, location_dest_id: shelf }],
    ],
  })
  await ask('stock.picking/action_confirm', { ids: [picking] })
  await ask('stock.picking/action_assign', { ids: [picking] })
  const lines = await ask<Row[]>('stock.move.line/search_read', {
    domain: [['picking_id', '=', picking]],
    fields: ['id'],
  })
  const form = await make('stock.package.destination', { move_line_ids: lines.map(({ id }) => id) })
  assert.equal(await statusOf('admin', 'stock.package.destination/action_done', { ids: [form] }), 422)
  await ask('stock.package.destination/write', { ids: [form], vals: { location_dest_id: shelf } })
  await ask('stock.package.destination/action_done', { ids: [form] })
  const after = await ask<Row[]>('stock.move.line/search_read', {
    domain: [['picking_id', '=', picking]],
    fields: ['location_dest_id', 'result_package_id'],
    load: null,
  })
  assert.deepEqual(new Set(after.map((line) => line.location_dest_id)), new Set([shelf]))
  assert.equal(new Set(after.map((line) => line.result_package_id)).size, 1)
  assert.ok(after[0]?.result_package_id)
})

test('product.replenish: orders by the routes of the warehouse, in units of the product', async () => {
  const product = await good('Lamp')
  const other = await make('stock.warehouse', { name: 'Depot', code: 'DEP' })
  await ask('stock.warehouse/write', { ids: [warehouse], vals: { resupply_wh_ids: [[6, 0, [other]]] } })
  const [route] = await ask<Row[]>('stock.route/search_read', {
    domain: [['supplied_wh_id', '=', warehouse]],
    fields: ['id'],
  })
  const form = await make('product.replenish', { product_id: product, quantity: 4, route_id: route?.id })
  const [[unit], allowed, routes] = (await Promise.all([
    values('product.product', product, ['uom_id']),
    values('product.replenish', form, ['product_uom_id', 'warehouse_id', 'forecasted_quantity']),
    values('product.replenish', form, ['allowed_route_ids']),
  ])) as [unknown[], unknown[], unknown[]]
  assert.deepEqual(allowed, [unit, warehouse, 0])
  assert.ok((routes[0] as unknown[]).includes(route?.id))
  const answer = await ask('product.replenish/launch_replenishment', { ids: [form] })
  assert.equal(answer.tag, 'display_notification')
  const ordered = await ask<Row[]>('stock.move/search_read', {
    domain: [['product_id', '=', product]],
    fields: ['product_uom_qty', 'origin'],
  })
  assert.ok(ordered.some((row) => row.product_uom_qty === 4 && row.origin === 'Manual Replenishment'))
  assert.deepEqual(await values('product.replenish', form, ['forecasted_quantity']), [4])
  const status = async (vals: object) => {
    const id = await make('product.replenish', {
      product_id: product,
      quantity: 1,
      route_id: route?.id,
      ...vals,
    })
    return statusOf('admin', 'product.replenish/launch_replenishment', { ids: [id] })
  }
  assert.equal(await status({ quantity: 0 }), 422)
  assert.equal(await status({ quantity: -3 }), 422)
  assert.equal(await status({ product_uom_id: 12 }), 422)
  assert.equal(
    await status({ product_id: await make('product.product', { name: 'Work', type: 'service' }) }),
    422,
  )
  assert.equal(
    await statusOf('clerk', 'product.replenish/create', { vals_list: [{ product_id: product }] }),
    403,
  )
})

test('stock.replenishment.option: warehouses that could supply, and how much is ordered of them', async () => {
  const product = await good('Chair')
  const house = await make('stock.warehouse', { name: 'North', code: 'NOR' })
  const supplier = await make('stock.warehouse', { name: 'South', code: 'SOU' })
  await ask('stock.warehouse/write', { ids: [house], vals: { resupply_wh_ids: [[6, 0, [supplier]]] } })
  const [place] = await values('stock.warehouse', supplier, ['lot_stock_id'])
  await count(product, 3, { location_id: place })
  const point = await make('stock.warehouse.orderpoint', {
    product_id: product,
    warehouse_id: house,
    product_min_qty: 5,
    product_max_qty: 5,
  })
  const opened = await ask('stock.warehouse.orderpoint/action_stock_replenishment_info', { ids: [point] })
  const info = opened.res_id as number
  const [options] = (await values('stock.replenishment.info', info, ['wh_replenishment_option_ids'])) as [
    number[],
  ]
  const option = options[0] ?? 0
  assert.deepEqual(
    await values('stock.replenishment.option', option, [
      'warehouse_id',
      'free_qty',
      'qty_to_order',
      'location_id',
    ]),
    [supplier, 3, 5, place],
  )
  const [warning] = await values('stock.replenishment.option', option, ['warning_message'])
  assert.match(String(warning), /South has 3 Units free/)
  const question = await ask('stock.replenishment.option/select_route', { ids: [option] })
  assert.deepEqual([question.res_model, question.res_id], ['stock.replenishment.option', option])
  const [route] = await values('stock.replenishment.option', option, ['route_id'])
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, ['route_id']), [false])
  await ask('stock.replenishment.option/order_avbl', { ids: [option] })
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, ['route_id', 'qty_to_order']), [
    route,
    3,
  ])
  const closed = await ask('stock.replenishment.option/select_route', { ids: [option] })
  assert.equal(closed.type, 'ir.actions.act_window_close')
  await ask('stock.warehouse.orderpoint/action_remove_manual_qty_to_order', { ids: [point] })
  await ask('stock.replenishment.option/order_all', { ids: [option] })
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, ['route_id', 'qty_to_order']), [
    route,
    5,
  ])
  assert.equal(await statusOf('keeper', 'stock.replenishment.option/order_all', { ids: [option] }), 403)
})

test('stock.traceability.report: a lot is followed to where it came from', async () => {
  const product = await good('Serum', { tracking: 'lot' })
  const lot = await make('stock.lot', { name: 'S-1', product_id: product })
  const receipt = await move(product, 5, suppliers, stock, lot)
  const delivery = await move(product, 2, stock, customers)
  const report = 'stock.traceability.report'
  const context = { active_model: 'stock.lot', active_id: lot }
  const main = await ask<Row[]>(`${report}/get_main_lines`, { context }, 'keeper')
  assert.deepEqual(
    main.map((line) => [line.res_id, line.quantity, line.lot_name, line.level]),
    [
      [receipt, 5, 'S-1', 1],
      [delivery, 2, 'S-1', 1],
    ],
  )
  assert.deepEqual(await ask(`${report}/get_main_lines`, { given_context: context }), main)
  const earlier = await ask<Row[]>(`${report}/get_lines`, { line_id: main[1]?.id, level: 1 })
  assert.deepEqual(
    earlier.map((line) => [line.id, line.level]),
    [[main[0]?.id, 2]],
  )
  assert.deepEqual(await ask(`${report}/get_lines`, { line_id: main[0]?.id }), [])
  const ofDelivery = await ask<Row[]>(`${report}/get_lines`, {
    model_name: 'stock.picking',
    model_id: delivery,
  })
  assert.deepEqual(
    ofDelivery.map(({ id }) => id),
    [main[1]?.id],
  )
  const printed = await ask<Row[]>(`${report}/get_pdf_lines`, {
    ids: [],
    line_data: [{ id: main[0]?.id, level: 3 }],
  })
  assert.deepEqual(
    printed.map(({ id, level }) => [id, level]),
    [[main[0]?.id, 3]],
  )
  assert.equal(
    await statusOf('admin', `${report}/get_main_lines`, {
      context: { active_model: 'res.partner', active_id: 1 },
    }),
    422,
  )
  assert.equal(await statusOf('admin', `${report}/get_lines`, { line_id: 999_999 }), 404)
  assert.equal(await statusOf('clerk', `${report}/get_main_lines`, { context }), 403)
})
