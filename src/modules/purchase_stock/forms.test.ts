// Forms of buyers: lines of bills that go on orders, proposals of quantities, reminders, vendors that
// replenish; and how vendors keep their days. Over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Row = Record<string, unknown>
type Person = 'buyer' | 'clerk' | 'admin'

let shop: Office<'buyer' | 'clerk'>
before(async () => {
  shop = await openOffice(['purchase_stock'], { buyer: ['purchase.group_purchase_user'], clerk: [] })
})
after(() => shop?.close())

async function ask<T = Row>(path: string, body: object, person: Person = 'admin'): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const statusOf = async (person: Person, path: string, body: object) =>
  (await shop.call(person, path, body)).status
const make = async (model: string, vals: object) =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }))[0] as number
async function values(model: string, id: number, fields: readonly string[]) {
  const [row] = await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null })
  return fields.map((name) => row?.[name])
}
const search = (model: string, domain: unknown[], fields: string[]) =>
  ask<Row[]>(`${model}/search_read`, { domain, fields, order: 'id', load: null })
const good = (name: string, more: object = {}) =>
  make('product.product', { name, is_storable: true, purchase_ok: true, ...more })
const vendorNamed = (name: string) => make('res.partner', { name, supplier_rank: 1 })

async function ordered(partner_id: number, product_id: number, quantity: number, more: object = {}) {
  const line = { product_id, product_qty: quantity, price_unit: 10, tax_ids: [], ...more }
  const order = await make('purchase.order', { partner_id, order_line: [[0, 0, line]] })
  await ask('purchase.order/button_confirm', { ids: [order] })
  return order
}
async function receive(order: number, quantity: number) {
  const [picking] = await search(
    'stock.picking',
    [
      ['purchase_id', '=', order],
      ['state', '!=', 'done'],
    ],
    ['move_ids'],
  )
  const [move] = (picking?.move_ids ?? []) as number[]
  await ask('stock.move/write', { ids: [move], vals: { quantity, picked: true } })
  await ask('stock.picking/button_validate', { ids: [picking?.id], context: { skip_backorder: true } })
}
async function billed(partner_id: number, product_id: number, quantity: number) {
  const bill = await make('account.move', {
    move_type: 'in_invoice',
    partner_id,
    invoice_date: '2026-01-15',
    invoice_line_ids: [
      [0, 0, { product_id, name: 'As billed', quantity, price_unit: 12, tax_ids: [[6, 0, []]] }],
    ],
  })
  const [row] = await search('purchase.bill.line.match', [['account_move_id', '=', bill]], ['id'])
  return { bill, row: row?.id as number }
}

test('bill.to.po.wizard: lines of bills are ordered, on an order of the vendor or a new one', async () => {
  const [vendor, product] = [await vendorNamed('Mill'), await good('Flour')]
  const order = await ordered(vendor, product, 1)
  const { bill, row } = await billed(vendor, product, 4)
  const opened = await ask('purchase.bill.line.match/action_add_to_po', { ids: [row] }, 'buyer')
  const context = opened.context as Row
  assert.deepEqual(
    [opened.res_model, context.active_ids, context.default_partner_id],
    ['bill.to.po.wizard', [row], vendor],
  )
  const form = await make('bill.to.po.wizard', { purchase_order_id: order })
  const add = 'bill.to.po.wizard/action_add_to_po'
  assert.equal(await statusOf('admin', add, { ids: [form] }), 422)
  assert.equal((await ask(add, { ids: [form], context })).res_id, order)
  const lines = await search(
    'purchase.order.line',
    [['order_id', '=', order]],
    ['name', 'product_qty', 'price_unit', 'qty_invoiced'],
  )
  assert.deepEqual(
    lines.map(({ id, ...line }) => line),
    [
      { name: 'Flour', product_qty: 1, price_unit: 10, qty_invoiced: 0 },
      { name: 'As billed', product_qty: 4, price_unit: 12, qty_invoiced: 4 },
    ],
  )
  assert.deepEqual(await search('purchase.bill.line.match', [['account_move_id', '=', bill]], []), [])
  const other = await billed(vendor, product, 2)
  const fresh = await make('bill.to.po.wizard', { partner_id: vendor })
  const { res_id } = await ask(add, { ids: [fresh], context: { active_ids: [other.row] } })
  assert.notEqual(res_id, order)
  assert.deepEqual(await values('purchase.order', res_id as number, ['state', 'amount_total']), ['draft', 24])
  const foreign = await billed(await vendorNamed('Stranger'), product, 2)
  const refused = await make('bill.to.po.wizard', { purchase_order_id: order })
  assert.equal(await statusOf('admin', add, { ids: [refused], context: { active_ids: [foreign.row] } }), 422)
  assert.equal(await statusOf('clerk', add, { ids: [refused], context: { active_ids: [foreign.row] } }), 403)
})

test('bill.to.po.wizard: a deposit is deducted by the next bill of the order, which is not locked', async () => {
  const [vendor, product] = [await vendorNamed('Quarry'), await good('Slab', { purchase_method: 'purchase' })]
  const order = await ordered(vendor, product, 5)
  const { row } = await billed(vendor, product, 1)
  const form = await make('bill.to.po.wizard', { purchase_order_id: order })
  await ask('bill.to.po.wizard/action_add_downpayment', { ids: [form], context: { active_ids: [row] } })
  const [line] = await search(
    'purchase.order.line',
    [
      ['order_id', '=', order],
      ['is_downpayment', '=', true],
    ],
    ['product_qty', 'price_unit', 'qty_invoiced', 'qty_to_invoice'],
  )
  assert.deepEqual(
    { ...line, id: 0 },
    { id: 0, product_qty: 0, price_unit: 12, qty_invoiced: 1, qty_to_invoice: -1 },
  )
  assert.deepEqual(await values('purchase.order', order, ['amount_total']), [50])
  const { res_id } = await ask('purchase.order/action_create_invoice', { ids: [order] })
  const bills = await search(
    'account.move',
    [['invoice_line_ids.purchase_line_id.order_id', '=', order]],
    ['amount_total'],
  )
  assert.deepEqual(bills.map((bill) => bill.amount_total).toSorted(), [12, 38], String(res_id))
  await ask('purchase.order/button_lock', { ids: [order] })
  const late = await billed(vendor, product, 1)
  const deposit = 'bill.to.po.wizard/action_add_downpayment'
  const context = { active_ids: [late.row] }
  assert.equal(await statusOf('admin', deposit, { ids: [form], context }), 422, 'a locked order stays')
})

test('purchase.order/action_purchase_order_suggest: orders what is short of the demand', async () => {
  const vendor = await vendorNamed('Dairy')
  const product = await good('Milk', { seller_ids: [[0, 0, { partner_id: vendor, price: 2 }]] })
  await good('Cheese', { seller_ids: [[0, 0, { partner_id: vendor, price: 9 }]] })
  const first = await ordered(vendor, product, 40)
  await receive(first, 40)
  const [customers, house] = await shop.run(async (env) => [
    await env.ref('stock.stock_location_customers'),
    await env.ref('stock.warehouse0'),
  ])
  const [stock, out] = await values('stock.warehouse', house as number, ['lot_stock_id', 'out_type_id'])
  const picking = await make('stock.picking', {
    picking_type_id: out,
    location_id: stock,
    location_dest_id: customers,
    move_ids: [
      [0, 0, { product_id: product, product_uom_qty: 30, location_id: stock, location_dest_id: customers }],
    ],
  })
  await ask('stock.picking/action_confirm', { ids: [picking] })
  await ask('stock.picking/action_assign', { ids: [picking] })
  await ask('stock.picking/button_validate', { ids: [picking] })
  const order = await make('purchase.order', { partner_id: vendor })
  const suggest = 'purchase.order/action_purchase_order_suggest'
  const lines = () =>
    search('purchase.order.line', [['order_id', '=', order]], ['product_id', 'product_qty', 'price_unit'])
  // One a day left on average, and ten are there.
  await ask(suggest, { ids: [order] })
  assert.deepEqual(await lines(), [])
  await ask(suggest, { ids: [order], context: { suggest_days: 20 } })
  const [line] = await lines()
  assert.deepEqual([line?.product_id, line?.product_qty, line?.price_unit], [product, 10, 2])
  await ask(suggest, { ids: [order], context: { suggest_days: 20, suggest_percent: 200 } })
  assert.deepEqual(
    (await lines()).map((row) => row.product_qty),
    [30],
  )
  assert.equal(
    await statusOf('admin', suggest, { ids: [order], context: { suggest_based_on: 'never' } }),
    422,
  )
  assert.equal(await statusOf('admin', suggest, { ids: [order], context: { suggest_days: 1e12 } }), 422)
  assert.equal(await statusOf('admin', suggest, { ids: [first] }), 422)
  assert.equal(await statusOf('clerk', suggest, { ids: [order] }), 403)
  const report = await ask('purchase.order.line/action_product_forecast_report', { ids: [line?.id] })
  assert.equal(report.tag, 'stock_forecasted')
})

test('purchase.order/send_reminder_preview: the reminder goes to the caller alone', async () => {
  const vendor = await make('res.partner', { name: 'Tannery', email: 'vendor@example.com' })
  const order = await ordered(vendor, await good('Hide'), 1)
  const send = 'purchase.order/send_reminder_preview'
  await ask('res.users/write', { ids: [2], vals: { email: 'boss@example.com' } })
  const answer = await ask(send, { ids: [order] })
  assert.equal(answer.tag, 'display_notification')
  const mails = await search(
    'mail.mail',
    [
      ['model', '=', 'purchase.order'],
      ['res_id', '=', order],
    ],
    ['recipient_ids', 'email_to', 'body'],
  )
  const [me] = await values('res.users', 2, ['partner_id'])
  assert.deepEqual(
    mails.map((mail) => [mail.recipient_ids, mail.email_to]),
    [[[me], false]],
  )
  assert.match(String(mails[0]?.body), /Dear Tannery/)
  assert.equal(await statusOf('clerk', send, { ids: [order] }), 403)
})

test('vendor.delay.report: what came by the day that was promised, by vendor and product', async () => {
  const [vendor, product] = [await vendorNamed('Forge'), await good('Nail')]
  const prompt = await ordered(vendor, product, 6, { date_planned: '2099-01-01 12:00:00' })
  await receive(prompt, 6)
  const late = await ordered(vendor, product, 4, { date_planned: '2020-01-01 12:00:00' })
  await receive(late, 4)
  await ordered(vendor, product, 9)
  const fields = ['product_id', 'qty_total', 'qty_on_time', 'on_time_rate']
  const rows = await search('vendor.delay.report', [['partner_id', '=', vendor]], fields)
  assert.deepEqual(
    rows.map(({ id, ...row }) => row),
    [
      { product_id: product, qty_total: 6, qty_on_time: 6, on_time_rate: 100 },
      { product_id: product, qty_total: 4, qty_on_time: 0, on_time_rate: 0 },
    ],
  )
  const [group] = await ask<Row[]>(
    'vendor.delay.report/formatted_read_group',
    {
      domain: [['partner_id', '=', vendor]],
      groupby: ['partner_id'],
      aggregates: ['qty_total:sum', 'qty_on_time:sum'],
    },
    'buyer',
  )
  assert.deepEqual([group?.['qty_total:sum'], group?.['qty_on_time:sum']], [10, 6])
  assert.deepEqual(await values('res.partner', vendor, ['on_time_rate']), [60])
  assert.equal(await statusOf('clerk', 'vendor.delay.report/search', { domain: [] }), 403)
})

test('product.replenish: buys from the vendor that is chosen, and shows what a rule proposes', async () => {
  const [cheap, dear] = [await vendorNamed('Cheap'), await vendorNamed('Dear')]
  const product = await good('Rope', {
    seller_ids: [
      [0, 0, { partner_id: cheap, price: 1 }],
      [0, 0, { partner_id: dear, price: 5 }],
    ],
  })
  const offers = await search('product.supplierinfo', [['partner_id', '=', dear]], ['id'])
  const route = await shop.run((env) => env.ref('purchase_stock.route_warehouse0_buy'))
  const vals = { product_id: product, quantity: 3, route_id: route, supplier_id: offers[0]?.id }
  const form = await make('product.replenish', vals)
  assert.deepEqual(await values('product.replenish', form, ['show_vendor']), [true])
  await ask('product.replenish/launch_replenishment', { ids: [form] })
  const lines = await search(
    'purchase.order.line',
    [['product_id', '=', product]],
    ['partner_id', 'product_qty'],
  )
  assert.deepEqual(
    lines.map((line) => [line.partner_id, line.product_qty]),
    [[dear, 3]],
  )
  const wrong = await good('String')
  assert.equal(
    await statusOf('admin', 'product.replenish/create', { vals_list: [{ ...vals, product_id: wrong }] }),
    422,
  )
  const info = 'product.replenish/action_stock_replenishment_info'
  assert.equal(await statusOf('admin', info, { ids: [form] }), 422)
  await make('stock.warehouse.orderpoint', { product_id: product, product_min_qty: 1, product_max_qty: 2 })
  assert.equal((await ask(info, { ids: [form] })).res_model, 'stock.replenishment.info')
})
