// Warehouses that another one supplies: what runs low is sent over, step by step, and arrives.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../../test/support/buying.ts'

type Row = Record<string, unknown>

let shop: Buying
before(async () => {
  shop = await openBuying(['stock'])
})
after(() => shop?.close())

const search = (model: string, domain: readonly unknown[], fields: readonly string[]) =>
  shop.ask<Row[]>(`${model}/search_read`, { domain, fields, load: null, order: 'id' })
const house = (vals: object) => shop.make('stock.warehouse', vals)
const shelves = async (id: number) =>
  (await shop.read('stock.warehouse', id, ['lot_stock_id'])).lot_stock_id as number
const routesOf = async (id: number) =>
  search('stock.route', [['supplied_wh_id', '=', id]], ['supplier_wh_id', 'rule_ids'])

/** A product that one warehouse has fifty of, and another orders eight of when it has none. */
async function supplied(from: number, to: number) {
  const [route] = await routesOf(to)
  const product = await shop.make('product.product', {
    name: 'Sent over',
    is_storable: true,
    route_ids: [[6, 0, [route?.id]]],
  })
  const ids = await shop.ask<number[]>('stock.quant/create', {
    vals_list: [{ product_id: product, location_id: await shelves(from), inventory_quantity: 50 }],
    context: { inventory_mode: true },
  })
  await shop.ask('stock.quant/action_apply_inventory', { ids })
  await shop.make('stock.warehouse.orderpoint', {
    product_id: product,
    warehouse_id: to,
    location_id: await shelves(to),
    product_min_qty: 5,
    product_max_qty: 8,
  })
  for (let run = 0; run < 2; run++) await shop.ask('stock.rule/run_scheduler', {})
  return product
}

const movesOf = (product: number) =>
  search(
    'stock.move',
    [
      ['product_id', '=', product],
      ['is_inventory', '=', false],
    ],
    ['product_uom_qty', 'state', 'picking_id'],
  )

/** Does what is ready, one transfer after the other; says through which kinds of operations the goods went. */
async function sendAll(product: number): Promise<string[]> {
  const kinds: string[] = []
  for (;;) {
    const domain = [
      ['move_ids.product_id', '=', product],
      ['state', '=', 'assigned'],
    ]
    const [ready] = await search('stock.picking', domain, ['name'])
    if (!ready) return kinds
    await shop.ask('stock.picking/button_validate', { ids: [ready.id] })
    kinds.push((ready.name as string).split('/').slice(0, 2).join('/'))
  }
}
const onHand = async (product: number, warehouse_id: number) => {
  const body = { ids: [product], fields: ['qty_available'], context: { warehouse_id } }
  return (await shop.ask<Row[]>('product.product/read', body))[0]?.qty_available
}

test('what runs low comes from the warehouse that supplies, once', async () => {
  const from = await house({ name: 'Main', code: 'MAI' })
  const to = await house({ name: 'Branch', code: 'BRA', resupply_wh_ids: [[6, 0, [from]]] })
  const product = await supplied(from, to)
  assert.deepEqual(
    (await movesOf(product)).map((move) => [move.product_uom_qty, move.state]),
    [
      [8, 'waiting'],
      [8, 'assigned'],
    ],
  )
  assert.deepEqual(await sendAll(product), ['MAI/OUT', 'BRA/IN'])
  assert.deepEqual([await onHand(product, from), await onHand(product, to)], [42, 8])
})

test('the steps of both warehouses are gone through, and those that they get later', async () => {
  const from = await house({ name: 'Far', code: 'FAR', delivery_steps: 'pick_pack_ship' })
  const to = await house({ name: 'Near', code: 'NEA', reception_steps: 'three_steps' })
  await shop.ask('stock.warehouse/write', { ids: [to], vals: { resupply_wh_ids: [[4, from]] } })
  const product = await supplied(from, to)
  const all = ['FAR/PICK', 'FAR/PACK', 'FAR/OUT', 'NEA/IN', 'NEA/QC', 'NEA/STOR']
  assert.deepEqual(await sendAll(product), all)
  assert.deepEqual([await onHand(product, from), await onHand(product, to)], [42, 8])
  await shop.ask('stock.warehouse/write', { ids: [to], vals: { reception_steps: 'two_steps' } })
  await shop.ask('stock.warehouse/write', { ids: [from], vals: { delivery_steps: 'ship_only' } })
  const another = await supplied(from, to)
  assert.deepEqual(await sendAll(another), ['FAR/OUT', 'NEA/IN', 'NEA/STOR'])
})

test('a warehouse that supplies no more leaves its route out of use, until it does again', async () => {
  const from = await house({ name: 'Now and then', code: 'NAT' })
  const to = await house({ name: 'Receives', code: 'REC', resupply_wh_ids: [[6, 0, [from]]] })
  const [route] = (await routesOf(to)) as [Row]
  assert.equal((route.rule_ids as number[]).length, 2)
  const write = (vals: object, ids = [to]) => shop.ask('stock.warehouse/write', { ids, vals })
  await write({ resupply_wh_ids: [[5]] })
  assert.deepEqual(await routesOf(to), [])
  await write({ resupply_wh_ids: [[4, from]] })
  assert.deepEqual(
    (await routesOf(to)).map((route) => [route.id, (route.rule_ids as number[]).length]),
    [[route.id, 2]],
  )
  await write({ active: false }, [from])
  assert.deepEqual(await routesOf(to), [])
  await write({ active: true }, [from])
  assert.deepEqual(
    (await routesOf(to)).map((route) => [route.id, (route.rule_ids as number[]).length]),
    [[route.id, 2]],
  )
  const status = async (vals: object) =>
    (await shop.call('admin', 'stock.warehouse/write', { ids: [to], vals })).status
  assert.equal(await status({ resupply_wh_ids: [[4, to]] }), 422)
})

test('a warehouse that was archived after its steps changed comes back with those it has', async () => {
  const id = await house({ name: 'Back', code: 'BCK', delivery_steps: 'pick_pack_ship' })
  const write = (vals: object) => shop.ask('stock.warehouse/write', { ids: [id], vals })
  await write({ delivery_steps: 'ship_only' })
  const { delivery_route_id } = await shop.read('stock.warehouse', id, ['delivery_route_id'])
  const rules = () => search('stock.rule', [['route_id', '=', delivery_route_id]], ['name'])
  const before = (await rules()).map(({ name }) => name)
  await write({ active: false })
  await write({ active: true })
  assert.deepEqual(
    (await rules()).map(({ name }) => name),
    before,
  )
})

test('stock.warehouse: another supplier has a route at once, and steps are named by the ways of goods', async () => {
  const [from, to] = [
    await house({ name: 'Source', code: 'SRC' }),
    await house({ name: 'Target', code: 'TGT' }),
  ]
  await shop.ask('stock.warehouse/create_resupply_routes', { ids: [to], supplier_warehouses: [from] })
  const [route] = await routesOf(to)
  assert.equal(route?.supplier_wh_id, from)
  const rules = await shop.ask<Record<string, Record<string, unknown[][]>>>(
    'stock.warehouse/get_rules_dict',
    {
      ids: [to],
    },
  )
  const ways = rules[to] ?? {}
  assert.deepEqual(
    Object.entries(ways).map(([way, steps]) => [way, steps.map((step) => step[3])]),
    [
      ['one_step', []],
      ['two_steps', ['push']],
      ['three_steps', ['push', 'push']],
      ['ship_only', ['pull']],
      ['pick_ship', ['pull', 'push']],
      ['pick_pack_ship', ['pull', 'push', 'push']],
    ],
  )
})
