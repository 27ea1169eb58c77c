// Forms ask for more than stored fields: of products, contacts and reordering rules, over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'
import { addDays } from '../../kit/dates.ts'

type Row = Record<string, unknown>

const modules = ['base', 'mail', 'uom', 'product', 'account', 'stock', 'stock_account', 'sales_team', 'sale']
let shop: Office<'keeper'>
before(async () => {
  shop = await openOffice([...modules, 'sale_stock', 'purchase', 'purchase_stock'], {
    keeper: ['stock.group_stock_user'],
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
const read = async (model: string, id: number, fields: readonly string[]) =>
  (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row
const values = async (model: string, id: number, fields: readonly string[]) => {
  const row = await read(model, id, fields)
  return fields.map((name) => row[name])
}

test('product.document: a file of a product is one of all its variants, and goes with its attachment', async () => {
  const product = await make('product.product', { name: 'Jar', barcode: '4006381333931' })
  const [template] = (await values('product.product', product, ['product_tmpl_id'])) as [number]
  const document = await make('product.document', {
    name: 'jar.txt',
    raw: 'amFy',
    res_model: 'product.template',
    res_id: template,
  })
  const shown = ['product_document_ids', 'product_document_count']
  assert.deepEqual(await values('product.product', product, shown), [[document], 1])
  assert.deepEqual(await values('product.template', template, shown), [[document], 1])
  const renamed = [
    [0, 0, { name: 'note.txt', raw: 'eA==' }],
    [1, document, { name: 'glass.txt' }],
  ]
  await ask('product.template/write', { ids: [template], vals: { product_document_ids: renamed } })
  const [both] = (await values('product.template', template, ['product_document_ids'])) as [number[]]
  assert.equal(both.length, 2)
  assert.deepEqual(await values('product.document', document, ['name', 'res_id']), ['glass.txt', template])
  const remove = [[2, both.find((id) => id !== document)]]
  await ask('product.template/write', { ids: [template], vals: { product_document_ids: remove } })
  const linked = { ids: [template], vals: { product_document_ids: [[4, document]] } }
  assert.equal((await shop.call('admin', 'product.template/write', linked)).status, 422)
  const [attachment, mimetype] = await values('product.document', document, ['ir_attachment_id', 'mimetype'])
  assert.equal(mimetype, 'text/plain')
  await ask('ir.attachment/unlink', { ids: [attachment] })
  assert.deepEqual(await values('product.template', template, shown), [[], 0])
  const variant = ['valid_ean', 'image_variant_128', 'can_image_variant_1024_be_zoomed']
  assert.deepEqual(await values('product.product', product, variant), [true, false, false])
})

test('product.template: its price with taxes in words, its only variant, its accounts', async () => {
  const tax = await make('account.tax', { name: 'Ten', amount: 10 })
  const optional = await make('product.template', { name: 'Lid' })
  const template = await make('product.template', {
    name: 'Pot',
    list_price: 20,
    taxes_id: [[6, 0, [tax]]],
    optional_product_ids: [[6, 0, [optional]]],
  })
  const [text] = await values('product.template', template, ['tax_string'])
  assert.match(String(text), /^\(= \S+\u00a0?22\.00 Incl\. Taxes\)$|^\(= \$\u00a022\.00 Incl\. Taxes\)$/)
  const single = await ask('product.template/get_single_product_variant', { ids: [template] })
  assert.deepEqual([single.product_name, single.has_optional_products, single.is_combo], ['Pot', true, false])
  const accounts = await ask('product.template/get_product_accounts', { ids: [template] })
  assert.match(String(accounts.income), /^account\.account\(\d+,\)$/)
  assert.equal(await ask('product.template/has_dynamic_attributes', { ids: [template] }), false)
  const unit = await shop.run((env) => env.ref('uom.product_uom_unit'))
  const compared = (value1: number, value2: number) =>
    ask<number>('uom.uom/compare', { ids: [unit], value1, value2 })
  assert.deepEqual([await compared(1, 1.001), await compared(1, 2), await compared(2, 1)], [0, -1, 1])
  assert.equal(await ask('uom.uom/round', { ids: [unit], value: 1.231, rounding_method: 'UP' }), 1.24)
})

test('stock.warehouse.orderpoint: the vendor in use, days and quantities follow from rule, offer and what is typed', async () => {
  const [slow, quick] = [
    await make('res.partner', { name: 'Slow' }),
    await make('res.partner', { name: 'Quick' }),
  ]
  const offers = [
    [0, 0, { partner_id: slow, price: 3, delay: 4, sequence: 1 }],
    [0, 0, { partner_id: quick, price: 4, delay: 1, sequence: 2 }],
  ]
  const product = await make('product.product', { name: 'Tile', is_storable: true, seller_ids: offers })
  const rule = await make('stock.warehouse.orderpoint', {
    product_id: product,
    product_min_qty: 10,
    product_max_qty: 30,
    trigger: 'manual',
  })
  const shown = ['effective_vendor_id', 'lead_days', 'show_supplier', 'qty_to_order_computed']
  assert.deepEqual(await values('stock.warehouse.orderpoint', rule, shown), [slow, 4, true, 30])
  const [, second] = (await values('stock.warehouse.orderpoint', rule, ['vendor_ids']))[0] as number[]
  const [company] = await ask<number[]>('res.company/search', { domain: [] })
  const days = ['days_to_order', 'lead_days', 'lead_days_date']
  await ask('res.company/write', { ids: [company], vals: { days_to_purchase: 2 } })
  const inSixDays = addDays(new Date().toISOString().slice(0, 10), 6)
  assert.deepEqual(await values('stock.warehouse.orderpoint', rule, days), [2, 6, inSixDays])
  await ask('res.company/write', { ids: [company], vals: { days_to_purchase: 0 } })
  await ask('product.supplierinfo/action_set_supplier', {
    ids: [second],
    context: { orderpoint_id: rule },
  })
  await ask('stock.warehouse.orderpoint/write', { ids: [rule], vals: { qty_to_order: 40 } })
  const typed = ['effective_vendor_id', 'lead_days', 'qty_to_order', 'unwanted_replenish']
  assert.deepEqual(await values('stock.warehouse.orderpoint', rule, typed), [quick, 1, 40, true])
  await ask('stock.warehouse.orderpoint/action_remove_manual_qty_to_order', { ids: [rule] })
  assert.deepEqual(await values('stock.warehouse.orderpoint', rule, ['qty_to_order']), [30])
  await ask('stock.warehouse.orderpoint/action_replenish', { ids: [rule] })
  const lines = await ask<Row[]>('purchase.order.line/search_read', {
    domain: [['product_id', '=', product]],
    fields: ['partner_id', 'product_qty'],
    load: null,
  })
  assert.deepEqual(
    lines.map((line) => [line.partner_id, line.product_qty]),
    [[quick, 30]],
  )
})

test('res.partner: found by an address or made, with the company that a person names', async () => {
  const [anna] = await ask<number[]>('res.partner/find_or_create', { email: '"Anna" <anna@example.net>' })
  assert.deepEqual(await ask('res.partner/find_or_create', { email: 'ANNA@example.net' }), [anna])
  assert.deepEqual(await values('res.partner', anna as number, ['name', 'email']), [
    'Anna',
    'anna@example.net',
  ])
  const bad = { email: 'nobody', assert_valid_email: true }
  assert.equal((await shop.call('admin', 'res.partner/find_or_create', bad)).status, 422)
  const person = await make('res.partner', { name: 'Ben', company_name: 'Looms', street: '1 Mill' })
  await ask('res.partner/create_company', { ids: [person] })
  const [company, name] = await values('res.partner', person, ['parent_id', 'commercial_company_name'])
  assert.equal(name, 'Looms')
  assert.deepEqual(await values('res.partner', company as number, ['is_company', 'street']), [true, '1 Mill'])
  assert.equal((await ask('res.partner/open_commercial_entity', { ids: [person] })).res_id, company)
  await ask('res.partner/write', { ids: [person], vals: { invoice_edi_format: 'facturx' } })
  const fields = ['invoice_edi_format', 'autopost_bills', 'on_time_rate', 'account_move_count']
  assert.deepEqual(await values('res.partner', person, fields), ['facturx', 'ask', -1, 0])
})

test('analyses of sales and purchases: weight, volume, warehouse and days until goods came in', async () => {
  const partner = await make('res.partner', { name: 'Weighed', zip: '9090' })
  const product = await make('product.product', { name: 'Anvil', is_storable: true, weight: 7, volume: 0.5 })
  const dozen = await shop.run((env) => env.ref('uom.product_uom_dozen'))
  const sold = await make('sale.order', {
    partner_id: partner,
    order_line: [[0, 0, { product_id: product, product_uom_qty: 2, product_uom_id: dozen }]],
  })
  const sales = { domain: [['partner_id', '=', partner]], load: null }
  const fields = ['order_reference', 'weight', 'volume', 'partner_zip', 'industry_id', 'warehouse_id']
  const [warehouse] = await values('sale.order', sold, ['warehouse_id'])
  const [row] = await ask<Row[]>('sale.report/search_read', { ...sales, fields })
  assert.deepEqual(
    fields.map((name) => row?.[name]),
    [`sale.order,${sold}`, 168, 12, '9090', false, warehouse],
  )
  const opened = await ask('sale.report/action_open_order', { ids: [row?.id] })
  assert.deepEqual([opened.res_model, opened.res_id], ['sale.order', sold])

  const bought = await make('purchase.order', {
    partner_id: partner,
    order_line: [[0, 0, { product_id: product, product_qty: 3, price_unit: 1 }]],
  })
  await ask('purchase.order/button_confirm', { ids: [bought] })
  const [[picking]] = (await values('purchase.order', bought, ['picking_ids'])) as [[number]]
  await ask('stock.picking/button_validate', { ids: [picking] })
  const reportFields = [
    'product_uom_id',
    'weight',
    'volume',
    'picking_type_id',
    'effective_date',
    'days_to_arrival',
  ]
  const [purchase] = await ask<Row[]>('purchase.report/search_read', { ...sales, fields: reportFields })
  const [unit] = await values('product.product', product, ['uom_id'])
  const [arrived] = await values('purchase.order', bought, ['effective_date'])
  assert.deepEqual(
    reportFields.map((name) => purchase?.[name]),
    [unit, 21, 1.5, warehouse, arrived, purchase?.days_to_arrival],
  )
  assert.equal(Math.floor(Number(purchase?.days_to_arrival)), 0)
  const groups = await ask<Row[]>('purchase.report/formatted_read_group', {
    domain: sales.domain,
    groupby: ['picking_type_id'],
    aggregates: ['weight:sum', 'days_to_arrival:avg'],
  })
  assert.equal(groups[0]?.['weight:sum'], 21)
})

test('fields_get: fields that are computed here and stored elsewhere look the same to clients, and tokens are hidden', async () => {
  const facts = async (model: string, name: string) => {
    const answer = await ask<Record<string, Row>>(`${model}/fields_get`, {
      allfields: [name],
      attributes: ['store', 'type', 'readonly'],
    })
    return answer[name]
  }
  assert.deepEqual(await facts('stock.move', 'is_in'), { store: true, type: 'boolean', readonly: true })
  assert.deepEqual(await facts('stock.move', 'remaining_qty'), {
    store: false,
    type: 'float',
    readonly: true,
  })
  assert.deepEqual(await facts('stock.move', 'package_ids'), {
    store: false,
    type: 'one2many',
    readonly: true,
  })
  assert.deepEqual(await facts('sale.order', 'access_token'), {
    store: true,
    type: 'char',
    readonly: false,
  })
  const partner_id = await make('res.partner', { name: 'Curious' })
  const order = await make('sale.order', { partner_id })
  const vals = { access_token: 'guessed' }
  const { status } = await shop.call('admin', 'sale.order/write', { ids: [order], vals })
  assert.equal(status, 422)
})

test('stock.lot: orders of a lot are those that the caller may read', async () => {
  const partner_id = await make('res.partner', { name: 'Lots' })
  const product = await make('product.product', { name: 'Milk', is_storable: true, tracking: 'lot' })
  const bought = await make('purchase.order', {
    partner_id,
    order_line: [[0, 0, { product_id: product, product_qty: 3, price_unit: 1 }]],
  })
  await ask('purchase.order/button_confirm', { ids: [bought] })
  const [[picking]] = (await values('purchase.order', bought, ['picking_ids'])) as [[number]]
  const [move] = await ask<Row[]>('stock.move/search_read', {
    domain: [['picking_id', '=', picking]],
    fields: ['move_line_ids'],
  })
  const lot = await make('stock.lot', { name: 'M1', product_id: product })
  await ask('stock.move.line/write', { ids: move?.move_line_ids, vals: { lot_id: lot, quantity: 3 } })
  await ask('stock.picking/button_validate', { ids: [picking] })
  const fields = ['purchase_order_ids', 'purchase_order_count']
  assert.deepEqual(await values('stock.lot', lot, fields), [[bought], 1])
  await make('ir.rule', {
    name: 'Nobody sees this vendor',
    model_id: await shop.run(async (env) =>
      (await env.model('ir.model').search([['model', '=', 'purchase.order']])).ensureOne(),
    ),
    domain_force: `[('partner_id', '!=', ${partner_id})]`,
  })
  const { body } = await shop.call('keeper', 'stock.lot/read', { ids: [lot], fields, load: null })
  assert.deepEqual(
    fields.map((name) => (body as [Row])[0][name]),
    [[], 0],
  )
})

test('purchase.bill.line.match: lines of draft bills are tied to lines of orders, once', async () => {
  const partner_id = await make('res.partner', { name: 'Matched' })
  const product = await make('product.product', {
    name: 'Nail',
    type: 'service',
    purchase_method: 'purchase',
  })
  const bought = await make('purchase.order', {
    partner_id,
    order_line: [[0, 0, { product_id: product, product_qty: 3, price_unit: 2 }]],
  })
  await ask('purchase.order/button_confirm', { ids: [bought] })
  const bill = await make('account.move', {
    move_type: 'in_invoice',
    partner_id,
    invoice_date: '2026-01-05',
    invoice_line_ids: [[0, 0, { product_id: product, quantity: 3, price_unit: 2 }]],
  })
  const shown = await ask('purchase.order/action_bill_matching', { ids: [bought] })
  assert.equal(shown.res_model, 'purchase.bill.line.match')
  const waiting = () =>
    ask<Row[]>('purchase.bill.line.match/search_read', {
      domain: shown.domain,
      fields: ['pol_id', 'aml_id', 'line_qty', 'line_amount_untaxed', 'state'],
      order: 'id desc',
      load: null,
    })
  const lines = await waiting()
  assert.deepEqual(
    lines.map((row) => [row.line_qty, row.line_amount_untaxed, row.state]),
    [
      [3, 6, 'purchase'],
      [3, 6, 'draft'],
    ],
  )
  const other = await make('account.move', {
    ...{ move_type: 'in_invoice', partner_id: await make('res.partner', { name: 'Another vendor' }) },
    invoice_line_ids: [[0, 0, { product_id: product, quantity: 3, price_unit: 2 }]],
  })
  const [otherLines] = await values('account.move', other, ['invoice_line_ids'])
  const ofOthers = { ids: [lines[0]?.id, -Number((otherLines as number[])[0])] }
  const match = 'purchase.bill.line.match/action_match_lines'
  assert.equal((await shop.call('admin', match, ofOthers)).status, 422)
  await ask(match, { ids: lines.map(({ id }) => id) })
  assert.deepEqual(await waiting(), [])
  assert.deepEqual(await values('account.move', bill, ['purchase_order_count', 'is_purchase_matched']), [
    1,
    true,
  ])
  const again = await shop.call('admin', match, { ids: [] })
  assert.equal(again.status, 422)
})

test('purchase.order: its vendor’s punctuality, whether it can be compared, and goods that will be short', async () => {
  const partner_id = await make('res.partner', { name: 'Late' })
  const product = await make('product.product', { name: 'Rope', is_storable: true })
  const line = { product_id: product, product_qty: 5, price_unit: 1, date_planned: '2025-06-01 12:00:00' }
  const order = () => make('purchase.order', { partner_id, order_line: [[0, 0, line]] })
  const bought = await order()
  const fields = ['on_time_rate', 'show_comparison', 'default_location_dest_id_usage', 'reference_ids']
  assert.deepEqual(await values('purchase.order', bought, fields), [-1, false, 'internal', []])
  await order()
  await ask('purchase.order/button_confirm', { ids: [bought] })
  const [[picking]] = (await values('purchase.order', bought, ['picking_ids'])) as [[number]]
  await ask('stock.picking/button_validate', { ids: [picking] })
  assert.deepEqual(await values('purchase.order', bought, fields), [0, true, 'internal', []])
  const sold = await make('sale.order', {
    partner_id,
    order_line: [[0, 0, { product_id: product, product_uom_qty: 9 }]],
  })
  const popover = ['show_json_popover', 'json_popover', 'stock_reference_ids']
  const nothing = '{"popoverTemplate": "sale_stock.DelayAlertWidget", "late_elements": []}'
  assert.deepEqual(await values('sale.order', sold, popover), [false, nothing, []])
  const [wanted] = await values('sale.order', sold, ['order_line'])
  const [widget] = (wanted as number[]).slice(0, 1)
  assert.deepEqual(
    await values('sale.order.line', widget as number, ['display_qty_widget', 'selected_combo_items']),
    [true, false],
  )
  await ask('sale.order/action_confirm', { ids: [sold] })
  const short = await make('purchase.order', {
    partner_id,
    order_line: [[0, 0, { ...line, product_qty: 3, date_planned: '2099-01-01 12:00:00' }]],
  })
  const [[few]] = (await values('purchase.order', short, ['order_line'])) as [[number]]
  assert.deepEqual(await values('purchase.order.line', few, ['forecasted_issue']), [true])
  await ask('purchase.order.line/write', { ids: [few], vals: { product_qty: 4 } })
  assert.deepEqual(await values('purchase.order.line', few, ['forecasted_issue']), [false])
})

test('sale.mass.cancel.orders and product.label.layout: forms hold what was chosen', async () => {
  const partner_id = await make('res.partner', { name: 'Fickle' })
  const orders = [await make('sale.order', { partner_id }), await make('sale.order', { partner_id })]
  await ask('sale.order/action_confirm', { ids: [orders[1]] })
  const [form] = await ask<number[]>('sale.mass.cancel.orders/create', {
    vals_list: [{}],
    context: { active_model: 'sale.order', active_ids: orders },
  })
  const fields = ['sale_orders_count', 'has_confirmed_order']
  assert.deepEqual(await values('sale.mass.cancel.orders', form as number, fields), [2, true])
  await ask('sale.mass.cancel.orders/action_mass_cancel', { ids: [form] })
  assert.deepEqual(await values('sale.order', orders[1] as number, ['state']), ['cancel'])

  const product = await make('product.product', { name: 'Labelled' })
  const opened = await ask('product.product/action_open_label_layout', { ids: [product] })
  assert.equal(opened.res_model, 'product.label.layout')
  const layout = await make('product.label.layout', {
    product_ids: [[6, 0, [product]]],
    print_format: '4x12xprice',
  })
  const shown = ['columns', 'rows', 'custom_quantity', 'move_quantity']
  assert.deepEqual(await values('product.label.layout', layout, shown), [4, 12, 1, 'custom'])
})

test('payment.transaction: orders show online payments, and only their provider settles authorized ones', async () => {
  const partner_id = await make('res.partner', { name: 'Online' })
  const order = await make('sale.order', { partner_id })
  const fields = ['amount_paid', 'transaction_ids', 'authorized_transaction_ids']
  assert.deepEqual(await values('sale.order', order, fields), [0, [], []])
  const [currency] = await values('sale.order', order, ['currency_id'])
  const pay = (reference: string, amount: number, state: string) =>
    make('payment.transaction', {
      reference,
      amount,
      state,
      currency_id: currency,
      partner_id,
      sale_order_ids: [[6, 0, [order]]],
    })
  const done = await pay('ON-1', 7.5, 'done')
  const vals = { transaction_ids: [[6, 0, []]] }
  for (const [method, body] of [
    ['write', { vals: { amount: 100 } }],
    ['write', { vals: { state: 'draft' } }],
    ['unlink', {}],
  ] as const) {
    const answer = await shop.call('admin', `payment.transaction/${method}`, { ids: [done], ...body })
    assert.equal(answer.status, 422)
  }
  assert.equal((await shop.call('keeper', 'sale.order/write', { ids: [order], vals })).status, 403)
  assert.equal(await ask('sale.order/payment_action_capture', { ids: [order] }), null)
  const authorized = await pay('ON-2', 2, 'authorized')
  await pay('ON-3', 9, 'error')
  const [paid, all, waiting] = await values('sale.order', order, fields)
  assert.deepEqual([paid, (all as number[]).length, waiting], [9.5, 3, [authorized]])
  assert.ok((all as number[]).includes(done))
  const last = await ask('sale.order/get_portal_last_transaction', { ids: [order] })
  assert.deepEqual(last, [Math.max(...(all as number[]))])
  const voided = await shop.call('admin', 'sale.order/payment_action_void', { ids: [order] })
  assert.equal(voided.status, 422)
})
