// Forms of transfers, packages, lots and places, and goods that are put away: over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'
import { addDays } from '../../kit/dates.ts'

type Row = Record<string, unknown>

let shop: Office<'keeper'>
let stock: number
let suppliers: number
let customers: number
let incoming: number
let outgoing: number
before(async () => {
  shop = await openOffice(['base', 'mail', 'uom', 'product', 'stock'], { keeper: ['stock.group_stock_user'] })
  await shop.run(async (env) => {
    stock = await env.ref('stock.stock_location_stock')
    suppliers = await env.ref('stock.stock_location_suppliers')
    customers = await env.ref('stock.stock_location_customers')
    incoming = await env.ref('stock.picking_type_in')
    outgoing = await env.ref('stock.picking_type_out')
  })
})
after(() => shop?.close())

async function ask<T = Row>(path: string, body: object): Promise<T> {
  const { status, body: answer } = await shop.call('admin', path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const make = async (model: string, vals: object) =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }))[0] as number
const values = async (model: string, id: number, fields: readonly string[]) => {
  const [row] = await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null })
  return fields.map((name) => row?.[name])
}
const search = (model: string, domain: unknown[], fields: string[]) =>
  ask<Row[]>(`${model}/search_read`, { domain, fields, order: 'id', load: null })
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
const transfer = (picking_type_id: number, from: number, to: number, product: number, quantity: number) =>
  make('stock.picking', {
    picking_type_id,
    location_id: from,
    location_dest_id: to,
    move_ids: [
      [0, 0, { product_id: product, product_uom_qty: quantity, location_id: from, location_dest_id: to }],
    ],
  })

test('stock.package: goods are packed and unpacked, containers name what is in them, transfers weigh it', async () => {
  const product = await make('product.product', { name: 'Bowl', is_storable: true, weight: 2 })
  await count(product, 8)
  const picking = await transfer(outgoing, stock, customers, product, 4)
  await ask('stock.picking/action_confirm', { ids: [picking] })
  await ask('stock.picking/action_assign', { ids: [picking] })
  assert.deepEqual(await values('stock.picking', picking, ['shipping_weight', 'weight_bulk']), [8, 8])
  const crate = await make('stock.package.type', { name: 'Crate', base_weight: 3 })
  const [pack] = await ask<[number]>('stock.picking/action_put_in_pack', {
    ids: [picking],
    package_name: 'PACK',
    package_type_id: crate,
  })
  const again = await shop.call('admin', 'stock.picking/action_put_in_pack', { ids: [picking] })
  assert.equal(again.status, 422)
  const shown = ['packages_count', 'shipping_weight', 'weight_bulk', 'is_date_editable']
  assert.deepEqual(await values('stock.picking', picking, shown), [1, 3, 0, true])
  await ask('stock.picking/write', { ids: [picking], vals: { shipping_weight: 9 } })
  assert.deepEqual(await values('stock.picking', picking, ['shipping_weight']), [9])
  assert.deepEqual(await values('stock.package', pack, ['picking_ids', 'content_description']), [
    [picking],
    '',
  ])
  await ask('stock.picking/button_validate', { ids: [picking] })
  const outer = await make('stock.package', { name: 'OUTER' })
  assert.deepEqual(await ask('stock.package/action_put_in_pack', { ids: [pack], package_id: outer }), [outer])
  assert.deepEqual(await values('stock.package', pack, ['complete_name', 'content_description']), [
    'OUTER > PACK',
    '4 Bowl',
  ])
  const inside = ['all_children_package_ids', 'content_description']
  assert.deepEqual(await values('stock.package', outer, inside), [[pack], '4 Bowl'])
  const circle = { ids: [outer], vals: { parent_package_id: pack } }
  assert.equal((await shop.call('admin', 'stock.package/write', circle)).status, 422)
  await ask('stock.package/unpack', { ids: [outer] })
  assert.deepEqual(await values('stock.package', pack, ['complete_name']), ['PACK'])
  await ask('stock.package/unpack', { ids: [pack] })
  assert.deepEqual(await values('stock.package', pack, ['contained_quant_ids']), [[]])
  const left = await search(
    'stock.quant',
    [
      ['product_id', '=', product],
      ['location_id', '=', customers],
    ],
    ['quantity', 'package_id'],
  )
  assert.deepEqual(
    left.filter((row) => row.quantity !== 0).map((row) => [row.quantity, row.package_id]),
    [[4, false]],
  )
})

test('stock.putaway.rule: what arrives is stored where the rule for its product, its category or everything says', async () => {
  const place = (name: string, more: object = {}) =>
    make('stock.location', { name, location_id: stock, usage: 'internal', ...more })
  const [shelf, cellar, elsewhere] = [await place('Shelf'), await place('Cellar'), await place('Elsewhere')]
  const category = await make('product.category', { name: 'Cold' })
  const product = await make('product.product', { name: 'Cheese', is_storable: true, weight: 2 })
  const cold = await make('product.product', { name: 'Milk', is_storable: true, categ_id: category })
  const other = await make('product.product', { name: 'Salt', is_storable: true })
  const rule = (location_out_id: number, more: object) =>
    make('stock.putaway.rule', { location_in_id: stock, location_out_id, ...more })
  await rule(shelf, { product_id: product })
  await rule(cellar, { category_id: category })
  const everything = await rule(elsewhere, {})
  const stored = async (arriving: number) => {
    const picking = await transfer(incoming, suppliers, stock, arriving, 3)
    await ask('stock.picking/action_confirm', { ids: [picking] })
    const lines = await search('stock.move.line', [['picking_id', '=', picking]], ['location_dest_id'])
    return { picking, places: lines.map((line) => line.location_dest_id) }
  }
  const { picking, places } = await stored(product)
  assert.deepEqual(places, [shelf])
  assert.deepEqual((await stored(cold)).places, [cellar])
  assert.deepEqual((await stored(other)).places, [elsewhere])
  await ask('stock.putaway.rule/write', { ids: [everything], vals: { active: false } })
  assert.deepEqual((await stored(other)).places, [stock])
  assert.deepEqual(await values('stock.location', shelf, ['net_weight', 'forecast_weight']), [0, 6])
  await ask('stock.picking/button_validate', { ids: [picking] })
  assert.deepEqual(await values('stock.location', shelf, ['net_weight', 'forecast_weight']), [6, 6])
  const outside = { location_in_id: shelf, location_out_id: cellar }
  const refused = await shop.call('admin', 'stock.putaway.rule/create', { vals_list: [outside] })
  assert.equal(refused.status, 422)
})

test('stock.quant: goods are relocated, counts applied and taken back, and lots are numbered', async () => {
  const product = await make('product.product', { name: 'Clock', is_storable: true, tracking: 'lot' })
  const lot = await make('stock.lot', { name: 'CL-098', product_id: product })
  const quant = await count(product, 6, { lot_id: lot })
  const shelf = await make('stock.location', { name: 'Front', location_id: stock, usage: 'internal' })
  const nowhere = await shop.call('admin', 'stock.quant/move_quants', { ids: [quant] })
  assert.equal(nowhere.status, 422)
  const sold = { ids: [quant], location_dest_id: customers }
  assert.equal((await shop.call('admin', 'stock.quant/move_quants', sold)).status, 422)
  await ask('stock.quant/move_quants', { ids: [quant], location_dest_id: shelf, message: 'To the front' })
  const held = async () =>
    (await search('stock.quant', [['product_id', '=', product]], ['location_id', 'quantity']))
      .filter((one) => (one.quantity as number) > 0)
      .map((one) => [one.location_id, one.quantity])
  assert.deepEqual(await held(), [[shelf, 6]])
  const [line] = await search(
    'stock.move.line',
    [
      ['product_id', '=', product],
      ['reference', '=', 'To the front'],
    ],
    ['location_dest_id'],
  )
  await ask('stock.move.line/action_revert_inventory', { ids: [line?.id] })
  assert.deepEqual(await held(), [[stock, 6]])
  const names = await ask('stock.lot/generate_lot_names', { first_lot: 'CL-098', count: 3 })
  assert.deepEqual(names, [{ lot_name: 'CL-098' }, { lot_name: 'CL-099' }, { lot_name: 'CL-100' }])
  const many = await shop.call('admin', 'stock.lot/generate_lot_names', { first_lot: 'A', count: 1e9 })
  assert.equal(many.status, 422)
  const long = { first_lot: '1'.repeat(100_000), count: 10_000 }
  assert.equal((await shop.call('admin', 'stock.lot/generate_lot_names', long)).status, 422)
  const lots = await ask('stock.move/split_lots', { lots: 'A;2\nB' })
  assert.deepEqual(lots, [
    { lot_name: 'A', quantity: 2 },
    { lot_name: 'B', quantity: 1 },
  ])
  const moment = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)} 10:00:00`
  assert.equal(await ask('stock.picking/calculate_date_category', { datetime: moment }), 'day_1')
  const noDay = await shop.call('admin', 'stock.picking/calculate_date_category', { datetime: 'soon' })
  assert.equal(noDay.status, 422)
  const planned = await make('stock.picking', { picking_type_id: incoming, scheduled_date: moment })
  const byDay = (operator: string, value: unknown) =>
    ask<number[]>('stock.picking/search', { domain: [['search_date_category', operator, value]] })
  assert.deepEqual(await byDay('=', 'day_1'), [planned])
  assert.deepEqual(await byDay('in', ['after', 'day_1']), [planned])
  assert.deepEqual(await byDay('=', 'after'), [])
  const domain = { field_name: 'scheduled_date', date_category: 'today' }
  assert.equal((await ask<unknown[]>('stock.picking/date_category_to_domain', domain)).length, 2)
  // Days begin at the caller's midnight.
  const context = { tz: 'Asia/Tokyo' }
  const [[, , from]] = await ask<[[string, string, string]]>('stock.picking/date_category_to_domain', {
    ...domain,
    context,
  })
  assert.match(from, / 15:00:00$/)
  assert.equal(await ask('stock.picking/calculate_date_category', { datetime: from, context }), 'today')
})

test('stock.scrap: what is asked for again is asked for once; stock.package.history: it stays', async () => {
  const product = await make('product.product', { name: 'Vase', is_storable: true })
  await count(product, 5)
  const shelf = await make('stock.location', { name: 'Shelf', usage: 'internal', location_id: stock })
  const route = await make('stock.route', { name: 'Refill', warehouse_selectable: false })
  const internal = await shop.run((env) => env.ref('stock.picking_type_internal'))
  await make('stock.rule', {
    name: 'Refill',
    action: 'pull',
    route_id: route,
    picking_type_id: internal,
    location_src_id: stock,
    location_dest_id: shelf,
  })
  await ask('product.product/write', { ids: [product], vals: { route_ids: [[4, route]] } })
  const scrap = await make('stock.scrap', { product_id: product, location_id: shelf, scrap_qty: 2 })
  const wanted = async () =>
    (
      await search(
        'stock.move',
        [
          ['product_id', '=', product],
          ['location_dest_id', '=', shelf],
        ],
        ['product_uom_qty'],
      )
    ).map((move) => move.product_uom_qty)
  await ask('stock.scrap/do_replenish', { ids: [scrap, scrap] })
  await ask('stock.scrap/do_replenish', { ids: [scrap] })
  assert.deepEqual(await wanted(), [2])
  const may = (operation: string) =>
    shop.call('keeper', 'stock.package.history/has_access', { ids: [], operation })
  assert.deepEqual([(await may('write')).body, (await may('unlink')).body], [true, false])
})

test('stock.rule: needs are met by the rules of their places; report.stock.quantity: what comes and goes by day', async () => {
  const product = await make('product.product', { name: 'Tray', is_storable: true })
  await count(product, 10)
  const [unit] = await values('product.product', product, ['uom_id'])
  const [company] = await values('stock.location', stock, ['company_id'])
  const need = { product_id: product, product_qty: 4, product_uom: unit, location_id: customers }
  const when = { date_planned: '2099-01-01 10:00:00' }
  const procurement = await ask<unknown[]>('stock.rule/Procurement', {
    ids: [],
    ...need,
    name: 'Wanted',
    origin: 'CALL-1',
    company_id: company,
    values: when,
  })
  assert.equal(await ask('stock.rule/run', { procurements: [procurement] }), true)
  const [move] = await search(
    'stock.move',
    [['origin', '=', 'CALL-1']],
    ['product_uom_qty', 'product_id', 'rule_id'],
  )
  assert.deepEqual([move?.product_uom_qty, move?.product_id], [4, product])
  const nowhere = [product, 1, unit, suppliers, false, false, company, {}]
  const refused = async (procurements: unknown[]) =>
    (await shop.call('admin', 'stock.rule/run', { procurements })).status
  assert.equal(await refused([nowhere]), 422)
  assert.equal(await refused([[product, 1]]), 422)
  assert.equal(await refused([[999_999, 1, unit, customers, false, false, company, {}]]), 404)
  const [message] = await values('stock.rule', move?.rule_id as number, ['rule_message'])
  assert.match(String(message), /^<p>Goods needed in <b>\S+<\/b> are brought from <b>WH\/Stock<\/b>/)

  const today = new Date().toISOString().slice(0, 10)
  await ask('stock.move/write', { ids: [move?.id], vals: { date: `${today} 12:00:00` } })
  const figures = (state: string) =>
    ask<Row[]>('report.stock.quantity/formatted_read_group', {
      domain: [
        ['product_id', '=', product],
        ['state', '=', state],
        ['date', '>=', today],
      ],
      groupby: ['date:day'],
      aggregates: ['product_qty:sum'],
    })
  assert.deepEqual((await figures('forecast')).map((row) => row['product_qty:sum']).slice(0, 2), [6, 6])
  assert.deepEqual(
    (await figures('out')).map((row) => row['product_qty:sum']),
    [-4],
  )
  const warehouse = await make('stock.warehouse', { name: 'Next door', code: 'NEXT' })
  const [location_id] = await values('stock.warehouse', warehouse, ['lot_stock_id'])
  await count(product, 3, { location_id })
  const forecast = [
    ['product_id', '=', product],
    ['state', '=', 'forecast'],
  ]
  const rows = await search('report.stock.quantity', forecast, ['warehouse_id', 'date'])
  assert.deepEqual([rows.length, new Set(rows.map((row) => row.id)).size], [366, 366])
})

test('forms of the stock: counts with a reason, relocation, packing and pauses do what their buttons say', async () => {
  const product = await make('product.product', { name: 'Lamp', is_storable: true })
  const quant = await make('stock.quant', { product_id: product, location_id: stock, inventory_quantity: 7 })
  const form = async (model: string, method: string, vals: object) => {
    const id = await make(model, vals)
    return ask(`${model}/${method}`, { ids: [id] })
  }
  const quants = [[6, 0, [quant]]]
  const reason = { quant_ids: quants, inventory_adjustment_name: 'Yearly count' }
  await form('stock.inventory.adjustment.name', 'action_apply', reason)
  const [move] = await search('stock.move', [['product_id', '=', product]], ['inventory_name', 'quantity'])
  assert.deepEqual([move?.inventory_name, move?.quantity], ['Yearly count', 7])
  await form('stock.request.count', 'action_request_count', {
    quant_ids: quants,
    inventory_date: '2030-01-02',
    show_expected_quantity: true,
  })
  const counted = ['inventory_date', 'inventory_quantity_set', 'inventory_quantity']
  assert.deepEqual(await values('stock.quant', quant, counted), ['2030-01-02', true, 7])
  await form('stock.inventory.warning', 'action_reset', { quant_ids: quants })
  assert.deepEqual(await values('stock.quant', quant, ['inventory_quantity_set']), [false])
  const shelf = await make('stock.location', { name: 'Lamps', usage: 'internal', location_id: stock })
  await form('stock.quant.relocate', 'action_relocate_quants', { quant_ids: quants, dest_location_id: shelf })
  const held = await search(
    'stock.quant',
    [
      ['product_id', '=', product],
      ['location_id', '=', shelf],
    ],
    ['quantity'],
  )
  assert.deepEqual(
    held.map((row) => row.quantity),
    [7],
  )
  const point = await make('stock.warehouse.orderpoint', {
    product_id: product,
    product_min_qty: 1,
    product_max_qty: 2,
  })
  const pause = { orderpoint_ids: [[6, 0, [point]]], predefined_date: 'custom', snoozed_until: '2031-05-06' }
  await form('stock.orderpoint.snooze', 'action_snooze', pause)
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, ['snoozed_until']), ['2031-05-06'])
  const opened = await ask('stock.warehouse.orderpoint/action_stock_replenishment_info', { ids: [point] })
  assert.equal(opened.res_model, 'stock.replenishment.info')
  assert.deepEqual(
    await values('stock.replenishment.info', opened.res_id as number, ['product_id', 'product_min_qty']),
    [product, 1],
  )
})

test('forms of the stock: several at once are each carried out, and goods that two of them name count once', async () => {
  const product = await make('product.product', { name: 'Chair', is_storable: true })
  const quant = await make('stock.quant', { product_id: product, location_id: stock, inventory_quantity: 3 })
  const shelf = await make('stock.location', { name: 'Chairs', usage: 'internal', location_id: stock })
  const twice = async (model: string, method: string, vals: object) => {
    const form = { quant_ids: [[6, 0, [quant]]], ...vals }
    const ids = await ask<number[]>(`${model}/create`, { vals_list: [form, form] })
    return ask(`${model}/${method}`, { ids })
  }
  await twice('stock.inventory.adjustment.name', 'action_apply', { inventory_adjustment_name: 'Count' })
  await ask('stock.quant/write', { ids: [quant], vals: { inventory_quantity: 4 } })
  await ask('stock.quant/action_apply_inventory', { ids: [quant, quant] })
  assert.deepEqual(await values('stock.quant', quant, ['quantity']), [4])
  await twice('stock.request.count', 'action_request_count', { inventory_date: '2030-01-03' })
  assert.deepEqual(await values('stock.quant', quant, ['inventory_date']), ['2030-01-03'])
  await twice('stock.quant.relocate', 'action_relocate_quants', { dest_location_id: shelf })
  const onShelf = ['&', ['product_id', '=', product], ['location_id', '=', shelf]]
  const [moved] = await search('stock.quant', onShelf, ['quantity'])
  assert.equal(moved?.quantity, 4)
  await ask('stock.quant/move_quants', { ids: [moved?.id, moved?.id], location_dest_id: stock })
  assert.deepEqual(await values('stock.quant', quant, ['quantity']), [4])
})

test('stock.warehouse.orderpoint: goods are ordered in whole ones of the unit of orders, or else in whole multiples', async () => {
  const product = await make('product.product', { name: 'Screw', is_storable: true })
  const [{ uom_id: piece } = {}] = await search('product.product', [['id', '=', product]], ['uom_id'])
  const box = await make('uom.uom', {
    name: 'Box of 6',
    relative_factor: 6,
    relative_uom_id: piece,
  })
  const rule = { product_id: product, product_min_qty: 5, product_max_qty: 8 }
  const point = await make('stock.warehouse.orderpoint', { ...rule, replenishment_uom_id: box })
  const facts = ['qty_to_order', 'qty_to_order_computed']
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, facts), [12, 12])
  await ask('stock.warehouse.orderpoint/write', { ids: [point], vals: { qty_multiple: 5 } })
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, facts), [12, 12])
  await ask('stock.warehouse.orderpoint/write', { ids: [point], vals: { replenishment_uom_id: false } })
  assert.deepEqual(await values('stock.warehouse.orderpoint', point, facts), [10, 10])
})

test('stock.replenishment.info: it shows no reordering rules of other companies', async () => {
  const product = await make('product.product', { name: 'Bench', is_storable: true })
  const company = await make('res.company', { name: 'Other shop' })
  const foreign = await shop.run(async (env) => {
    const su = env.sudo().withCompany(company)
    const point = { product_id: product, product_min_qty: 5, product_max_qty: 6, company_id: company }
    return (await su.model('stock.warehouse.orderpoint').create([point])).ensureOne()
  })
  const model = 'stock.replenishment.info'
  const of = (vals: object) => shop.call('keeper', `${model}/create`, { vals_list: [vals] })
  assert.equal((await of({ orderpoint_id: foreign })).status, 403)
  const { body } = await of({})
  const ids = body as number[]
  const written = await shop.call('keeper', `${model}/write`, { ids, vals: { orderpoint_id: foreign } })
  assert.equal(written.status, 403)
})

test('create_missing_…: a virtual place that is gone comes back, and nothing is doubled', async () => {
  const counts = async () => [
    (await search('stock.location', [], ['id'])).length,
    (await search('stock.warehouse', [], ['id'])).length,
  ]
  const scrapped = () => shop.run((env) => env.ref('stock.stock_location_scrapped'))
  const [locations = 0, warehouses] = await counts()
  await ask('res.company/create_missing_scrap_location', {})
  assert.deepEqual(await counts(), [locations, warehouses])
  const old = await scrapped()
  const name = [
    ['module', '=', 'stock'],
    ['name', '=', 'stock_location_scrapped'],
  ]
  await ask('ir.model.data/unlink', {
    ids: (await search('ir.model.data', name, ['id'])).map(({ id }) => id),
  })
  await ask('res.company/create_missing_scrap_location', {})
  assert.deepEqual(await counts(), [locations + 1, warehouses])
  assert.notEqual(await scrapped(), old)
  assert.deepEqual(await values('stock.location', await scrapped(), ['usage']), ['inventory'])
  assert.equal((await shop.call('keeper', 'res.company/create_missing_warehouse', {})).status, 403)
})

test('stock.quant: a count is due on the yearly day of the company, or sooner where the place says so', async () => {
  const day = new Date().toISOString().slice(0, 10)
  const [company] = await ask<number[]>('res.company/search', { domain: [] })
  const yearly = (annual_inventory_month: string, annual_inventory_day: number) =>
    ask('res.company/write', { ids: [company], vals: { annual_inventory_month, annual_inventory_day } })
  const due = async (location_id: number) => {
    const quant = await count(await make('product.product', { name: 'Due', is_storable: true }), 1, {
      location_id,
    })
    return (await values('stock.quant', quant, ['inventory_date']))[0]
  }
  const inYear = (monthAndDay: string) => {
    const thisYear = `${day.slice(0, 4)}-${monthAndDay}`
    return thisYear > day ? thisYear : `${Number(day.slice(0, 4)) + 1}-${monthAndDay}`
  }
  await yearly('4', 31)
  assert.equal(await due(stock), inYear('04-30'))
  const often = await make('stock.location', {
    name: 'Often',
    location_id: stock,
    cyclic_inventory_frequency: 1,
  })
  assert.equal(await due(often), addDays(day, 1))
  await yearly('12', 31)
  assert.equal(await due(stock), inYear('12-31'))
})
