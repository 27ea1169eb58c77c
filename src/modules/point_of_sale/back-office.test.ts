// Lists and tills of the back office ask points of sale, sessions and orders for more than selling takes:
// over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Row, type Till } from '../../../test/support/till.ts'

let till: Till
let product: number
let order: number
before(async () => {
  till = await openTill(['sales_team', 'sale', 'sale_stock', 'pos_sale'])
  product = await till.make('product.product', {
    name: 'Tart',
    barcode: 'TART-1',
    list_price: 5,
    available_in_pos: true,
    taxes_id: [[5]],
  })
  assert.equal((await till.sync([till.order({ n: 1, lines: [{ product, price: 5 }] })])).status, 200)
  order = (
    await till.ask<number[]>('pos.order/search', { domain: [['uuid', '=', 'order-1-0']] })
  )[0] as number
})
after(() => till?.close())

const config = () => ({ ids: [till.config] })

test('pos.config: lists show state, cashier and takings of the open session, and when the setup changed', async () => {
  const shown = ['pos_session_state', 'pos_session_username', 'pos_session_duration']
  const row = await till.read('pos.config', till.config, [...shown, 'statistics_for_current_session'])
  assert.deepEqual(
    shown.map((name) => row[name]),
    ['opened', 'cashier', '0'],
  )
  const statistics = row.statistics_for_current_session as Row
  assert.deepEqual(statistics.orders, { paid: { count: 1, amount: 5 }, draft: { count: 0, amount: 0 } })
  const ask = { ...config(), session: till.session }
  assert.deepEqual(await till.ask('pos.config/get_statistics_for_session', ask, 'cashier'), statistics)
  assert.equal(await till.ask('pos.config/get_statistics_for_session', { ...ask, session: 999_999 }), false)
  const before = await till.read('pos.config', till.config, ['last_data_change', 'group_pos_user_id'])
  assert.ok(before.last_data_change && before.group_pos_user_id)
  const idle = await till.make('pos.config', { name: 'Idle', trusted_config_ids: [[4, till.config]] })
  const none = await till.read('pos.config', idle, [...shown, 'iface_print_skip_screen', 'basic_receipt'])
  assert.deepEqual(Object.values(none).slice(1), [false, false, '0', true, false])
  assert.deepEqual(((await till.ask('pos.config/close_ui', config())) as Row).res_id, till.session)
  assert.equal((await till.call('admin', 'pos.config/close_ui', { ids: [idle] })).status, 422)
})

test('pos.config: a till reads the drafts that it shares, and learns which of its records are gone', async () => {
  const draft = till.order({
    n: 2,
    lines: [{ product, price: 5 }],
    more: { state: 'draft', payment_ids: [], amount_paid: 0 },
  })
  await till.sync([draft])
  const open = (await till.ask('pos.config/read_config_open_orders', {
    ...config(),
    domain: [],
    record_ids: { 'pos.order': [order] },
  })) as { dynamic_records: Record<string, Row[]>; deleted_record_ids: Row }
  assert.deepEqual(
    open.dynamic_records['pos.order']?.map(({ uuid }) => uuid),
    ['order-2-0'],
  )
  assert.deepEqual(open.deleted_record_ids, { 'pos.order': [order] })
  const partners = await till.ask<number[][]>('pos.config/get_limited_partners_loading', config(), 'cashier')
  assert.ok(partners.length > 0 && partners.every((row) => row.length === 1))
  const references = { ...config(), recordRefs: ['point_of_sale.group_pos_user', 'nothing.here'] }
  const [user, nothing] = await till.ask<unknown[]>('pos.config/get_record_by_ref', references)
  assert.ok(typeof user === 'number' && nothing === false)
  const scenario = await till.ask<Row>('pos.config/load_onboarding_bakery_scenario', {})
  const shop = await till.read('pos.config', scenario.config_id as number, ['name', 'limit_categories'])
  assert.deepEqual([shop.name, shop.limit_categories], ['Bakery', true])
  const refused = await till.call('cashier', 'pos.config/load_onboarding_retail_scenario', {})
  assert.equal(refused.status, 403)
})

test('pos.order: what its point of sale says, and views of invoice, refunds and transfers', async () => {
  const row = await till.read('pos.order', order, [
    'available_payment_method_ids',
    'sale_journal',
    'order_edit_tracking',
    'preset_time',
    'sale_order_count',
  ])
  const { journal_id, payment_method_ids } = await till.read('pos.config', till.config, [
    'journal_id',
    'payment_method_ids',
  ])
  assert.deepEqual(row.available_payment_method_ids, payment_method_ids)
  assert.deepEqual(
    [row.sale_journal, row.order_edit_tracking, row.preset_time, row.sale_order_count],
    [journal_id, false, false, 0],
  )
  const lines = await till.ask<Row[]>('pos.order.line/search_read', {
    domain: [['order_id', '=', order]],
    fields: ['qty_delivered', 'extra_tax_data', 'custom_attribute_value_ids'],
  })
  assert.deepEqual(
    lines.map((line) => [line.qty_delivered, line.extra_tax_data, line.custom_attribute_value_ids]),
    [[1, false, []]],
  )
  const view = (method: string) => till.ask<Row>(`pos.order/${method}`, { ids: [order] })
  assert.equal((await view('action_stock_picking')).res_model, 'stock.picking')
  assert.deepEqual((await view('action_create_invoices')).context, {
    active_model: 'pos.order',
    active_ids: [order],
  })
  assert.deepEqual(await view('get_preparation_change'), { last_order_preparation_change: false })
  const orderRows = await till.ask<Record<string, Row[]>>('pos.order/read_pos_data_uuid', {
    uuid: 'order-1-0',
  })
  assert.deepEqual(
    orderRows['pos.order']?.map(({ id, state }) => [id, state]),
    [[order, 'paid']],
  )
  assert.deepEqual(
    await till.ask('pos.order/read_pos_data', { ids: [order], data: [], config: till.config }),
    orderRows,
  )
})

test('pos.order: a receipt is mailed by its template, and the order keeps the address', async () => {
  const picture = Buffer.from('a receipt').toString('base64')
  const body = { ids: [order], email: 'guest@example.net', ticket_image: picture, basic_image: false }
  assert.equal(await till.ask('pos.order/action_send_receipt', body, 'cashier'), true)
  const [mail] = await till.ask<Row[]>('mail.mail/search_read', {
    domain: [['model', '=', 'pos.order']],
    fields: ['subject', 'email_to', 'res_id', 'attachment_ids', 'state'],
  })
  const { name, email, access_token } = await till.read('pos.order', order, ['name', 'email', 'access_token'])
  assert.deepEqual([email, access_token], ['guest@example.net', access_token])
  assert.deepEqual(
    [mail?.subject, mail?.email_to, mail?.res_id, mail?.state],
    [`Your receipt ${name}`, 'guest@example.net', order, 'outgoing'],
  )
  const [file = 0] = (mail?.attachment_ids ?? []) as number[]
  assert.equal((await till.read('ir.attachment', file, ['name'])).name, `Receipt ${name}.jpg`)
  for (const changes of [{ email: 'a@b.c, d@e.f' }, { email: false }, { ticket_image: [1] }])
    assert.equal(
      (await till.call('cashier', 'pos.order/action_send_receipt', { ...body, ...changes })).status,
      422,
    )
  const url = await till.ask<string>('pos.order/get_portal_url', { ids: [order] })
  assert.match(url, /^#\?access_token=/)
})

test('mails: a user sends as many in an hour as the parameter says, and administrators more', async () => {
  const receipt = { ids: [order], email: 'other@example.net', ticket_image: '', basic_image: false }
  const parameter = await till.make('ir.config_parameter', { key: 'mail.hourly_limit', value: '2' })
  assert.equal((await till.call('cashier', 'pos.order/action_send_receipt', receipt)).status, 200)
  const refusal = await till.call('cashier', 'pos.order/action_send_receipt', receipt)
  assert.equal(refusal.status, 422)
  assert.match(JSON.stringify(refusal.body), /limit of 2 mails per hour/)
  assert.equal((await till.call('admin', 'pos.order/action_send_receipt', receipt)).status, 200)
  await till.ask('ir.config_parameter/unlink', { ids: [parameter] })
})

test('pos.session: what a till did for a contact, and the closing, are noted in the thread', async () => {
  const partner_id = await till.make('res.partner', { name: 'Guest' })
  const ids = [till.session]
  const action = { ids, partner_id, action: 'Paid on account', message_type: 'account' }
  await till.ask('pos.session/log_partner_message', action, 'cashier')
  await till.ask('pos.session/post_close_register_message', { ids }, 'cashier')
  const notes = await till.ask<Row[]>('mail.message/search_read', {
    domain: [
      ['model', '=', 'pos.session'],
      ['res_id', '=', till.session],
    ],
    fields: ['preview'],
    order: 'id desc',
    limit: 2,
  })
  assert.deepEqual(
    notes.map(({ preview }) => String(preview).replace(/\d.*/, '')),
    ['Register closed: $ ', 'Guest: Paid on account (account)'],
  )
  const gone = await till.call('cashier', 'pos.session/log_partner_message', {
    ...action,
    partner_id: 999_999,
  })
  assert.equal(gone.status, 404)
})

test('pos.payment.method: a code is shown by methods with a format for codes alone', async () => {
  const { payment_method_ids } = await till.read('pos.config', till.config, ['payment_method_ids'])
  const payment = {
    amount: 5,
    free_communication: 'x',
    structured_communication: '',
    currency: 1,
    debtor_partner: false,
  }
  const body = { ids: (payment_method_ids as number[]).slice(0, 1), ...payment }
  const { status, body: answer } = await till.call('cashier', 'pos.payment.method/get_qr_code', body)
  assert.equal(status, 422)
  assert.match(JSON.stringify(answer), /QR code format/)
})

test('pos.session: money put in is taken back the other way, and products are found by their codes', async () => {
  const session = { ids: [till.session] }
  await till.ask('pos.session/try_cash_in_out', { ...session, _type: 'in', amount: 7, reason: 'coins' })
  const [put] = await till.ask<Row[]>('pos.session/get_cash_in_out_list', session)
  await till.ask('pos.session/delete_cash_in_out', { ...session, absl_id: put?.id, partner_id: false })
  const amounts = (await till.ask<Row[]>('pos.session/get_cash_in_out_list', session)).map(
    (one) => one.amount,
  )
  assert.deepEqual(amounts, [7, -7])
  const again = { ...session, absl_id: put?.id, partner_id: false }
  assert.equal((await till.call('admin', 'pos.session/delete_cash_in_out', again)).status, 422)
  const wrong = { ...session, absl_id: 999_999, partner_id: false }
  assert.equal((await till.call('admin', 'pos.session/delete_cash_in_out', wrong)).status, 422)
  const matches = await till.ask<Record<string, Row[]>>(
    'pos.session/find_product_by_barcode',
    { ...session, barcode: 'TART-1', config_id: till.config },
    'cashier',
  )
  assert.deepEqual(
    matches['product.product']?.map(({ id }) => id),
    [product],
  )
  const blank = await till.ask<Record<string, Row[]>>('pos.session/find_product_by_barcode', {
    ...session,
    barcode: '',
    config_id: till.config,
  })
  assert.deepEqual(blank['product.product'], [])
  assert.ok((await till.ask<number[]>('pos.session/get_session_orders', session)).includes(order))
  const params = await till.ask<Record<string, { fields: string[]; relations: Row }>>(
    'pos.session/load_data_params',
    session,
  )
  assert.ok(params['pos.order']?.fields.includes('uuid') && params['pos.order'].relations.session_id)
  const items = await till.ask<Row>('pos.session/get_pos_ui_product_pricelist_item_by_product', {
    ...session,
    product_tmpl_ids: [],
    product_ids: [product],
    config_id: till.config,
  })
  assert.deepEqual(Object.keys(items), ['product.pricelist.item', 'product.pricelist'])
})

test('product.template: a till asks what a product costs and where it is, and makes variants as they are sold', async () => {
  const attribute = await till.make('product.attribute', {
    name: 'Topping',
    create_variant: 'dynamic',
    value_ids: ['Plum', 'Nut'].map((name) => [0, 0, { name }]),
  })
  const { value_ids } = await till.read('product.attribute', attribute, ['value_ids'])
  const template = await till.make('product.template', {
    name: 'Cake',
    available_in_pos: true,
    taxes_id: [[5]],
    attribute_line_ids: [[0, 0, { attribute_id: attribute, value_ids: [[6, 0, value_ids]] }]],
  })
  const offered = await till.ask<Row[]>('product.template.attribute.value/search_read', {
    domain: [['product_tmpl_id', '=', template]],
    fields: ['name'],
    order: 'id',
  })
  const combination = { ids: [template], attribute_value_ids: [offered[0]?.id], config_id: till.config }
  const make = () =>
    till.ask<Record<string, Row[]>>('product.template/create_product_variant_from_pos', combination)
  const variantIds = (await make())['product.product']?.map(({ id }) => id)
  assert.equal(variantIds?.length, 1)
  assert.deepEqual(
    (await make())['product.product']?.map(({ id }) => id),
    variantIds,
  )
  const wrong = { ...combination, attribute_value_ids: [999_999] }
  const both = { ...combination, attribute_value_ids: offered.map(({ id }) => id) }
  assert.equal(
    (await till.call('admin', 'product.template/create_product_variant_from_pos', wrong)).status,
    422,
  )
  assert.equal(
    (await till.call('admin', 'product.template/create_product_variant_from_pos', both)).status,
    422,
  )
  const info = await till.ask<Record<string, unknown>>(
    'product.template/get_product_info_pos',
    { ids: [template], price: 5, quantity: 2, pos_config_id: till.config },
    'cashier',
  )
  assert.deepEqual(info.all_prices, { price_without_tax: 10, price_with_tax: 10, tax_details: [] })
  assert.equal((info.warehouses as Row[]).length, 1)
})

test('res.partner: orders of a contact at tills, its address on receipts, and where its invoices go', async () => {
  const partner = await till.make('res.partner', {
    name: 'Regular',
    email: 'regular@example.net',
    street: '3 Slope',
    city: 'Hill',
    zip: '1020',
    child_ids: [[0, 0, { name: 'Books', type: 'invoice', email: 'books@example.net' }]],
  })
  await till.sync([till.order({ n: 3, lines: [{ product, price: 5 }], more: { partner_id: partner } })])
  const fields = ['pos_order_count', 'pos_contact_address', 'invoice_emails', 'fiscal_position_id']
  assert.deepEqual(Object.values(await till.read('res.partner', partner, fields)).slice(1), [
    1,
    '3 Slope\n\nHill  1020\n',
    'regular@example.net, books@example.net',
    false,
  ])
  const customerQuery = { config_id: till.config, domain: [['id', '=', partner]], offset: 0 }
  const page = await till.ask<Record<string, Row[]>>('res.partner/get_new_partner', customerQuery, 'cashier')
  assert.equal(page['res.partner']?.[0]?.name, 'Regular')
})

test('pos.preset: times that orders should be ready at are taken', async () => {
  const preset = await till.make('pos.preset', { name: 'Pick up', use_timing: true })
  const time = '2099-05-06 12:20:00'
  assert.deepEqual(await till.ask('pos.preset/get_available_slots', { ids: [preset] }), { usage_utc: {} })
  await till.run(async (env) => {
    await env.model('pos.order').browse([order]).write({ preset_id: preset, preset_time: time })
  })
  assert.deepEqual(await till.ask('pos.preset/get_available_slots', { ids: [preset] }), {
    usage_utc: { [time]: [order] },
  })
})

test('res.company: lock dates over days of open sessions are refused by validate_lock_dates', async () => {
  const [company] = await till.ask<Row[]>('res.company/search_read', { domain: [], fields: ['id'], limit: 1 })
  const ids = [Number(company?.id)]
  assert.equal(await till.ask('res.company/validate_lock_dates', { ids }), null)
  await till.run(async (env) => {
    const day = new Date(env.now()).toISOString().slice(0, 10)
    await env.model('res.company').browse(ids).write({ sale_lock_date: day })
  })
  const { status, body } = await till.call('admin', 'res.company/validate_lock_dates', { ids })
  assert.equal(status, 422)
  assert.match(JSON.stringify(body), /is open: close it/)
})

test('pos.config: default_get of a company without a till creates no journal; a new till brings it', async () => {
  const company = await till.make('res.company', { name: 'Kiosk' })
  const context = { allowed_company_ids: [company] }
  const fields = ['journal_id', 'company_id', 'invoice_journal_id']
  const defaults = (await till.ask('pos.config/default_get', { fields, context })) as Row
  assert.deepEqual([defaults.company_id, defaults.journal_id ?? false], [company, false])
  const [id] = await till.ask<number[]>('pos.config/create', {
    vals_list: [{ name: 'Kiosk', journal_id: false }],
    context: { allowed_company_ids: [company, 1] },
  })
  const [row] = await till.ask<Row[]>('pos.config/read', {
    ids: [id],
    fields: ['journal_id'],
    context: { allowed_company_ids: [company, 1] },
  })
  assert.match(String(row?.journal_id), /Point of Sale/)
})
