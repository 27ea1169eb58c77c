// Forms and figures of several modules that clients call: values of attributes on products, activities for
// several records, reactions, devices, valuation at closing, orders that tills settle. Over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../test/support/office.ts'
import { sql } from '../sql/index.ts'

type Row = Record<string, unknown>
type Person = 'clerk' | 'keeper' | 'cashier' | 'admin'

let shop: Office<'clerk' | 'keeper' | 'cashier'>
before(async () => {
  shop = await openOffice(['stock_account', 'pos_sale'], {
    clerk: [],
    keeper: ['stock.group_stock_manager'],
    cashier: ['point_of_sale.group_pos_user', 'sales_team.group_sale_salesman_all_leads'],
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
const make = async (model: string, vals: object, person: Person = 'admin') =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }, person))[0] as number
async function values(model: string, id: number, fields: readonly string[]) {
  const [row] = await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null })
  return fields.map((name) => row?.[name])
}
const search = (model: string, domain: unknown[], fields: string[], person: Person = 'admin') =>
  ask<Row[]>(`${model}/search_read`, { domain, fields, order: 'id', load: null }, person)

test('update.product.attribute.value: a value comes to all products of its attribute, and its price', async () => {
  const attribute = await make('product.attribute', { name: 'Roast' })
  const [light, dark] = [
    await make('product.attribute.value', { name: 'Light', attribute_id: attribute }),
    await make('product.attribute.value', { name: 'Dark', attribute_id: attribute, default_extra_price: 2 }),
  ]
  const line = { attribute_id: attribute, value_ids: [[6, 0, [light]]] }
  const coffee = await make('product.template', { name: 'Coffee', attribute_line_ids: [[0, 0, line]] })
  const opened = await ask('product.attribute.value/action_add_to_products', { ids: [dark] })
  const model = 'update.product.attribute.value'
  assert.deepEqual([opened.res_model, (opened.context as Row).default_mode], [model, 'add'])
  const form = await make(model, { attribute_value_id: dark })
  assert.deepEqual(await values(model, form, ['mode', 'product_count']), ['add', 1])
  await ask(`${model}/action_confirm`, { ids: [form] })
  assert.deepEqual(await values(model, form, ['product_count']), [0])
  const variants = (await values('product.template', coffee, ['product_variant_count']))[0]
  assert.equal(variants, 2)
  await ask('product.attribute.value/write', { ids: [dark], vals: { default_extra_price: 3 } })
  const prices = await make(model, { attribute_value_id: dark, mode: 'update_extra_price' })
  await ask(`${model}/action_confirm`, { ids: [prices] })
  const [onProduct] = await search(
    'product.template.attribute.value',
    [
      ['product_attribute_value_id', '=', dark],
      ['product_tmpl_id', '=', coffee],
    ],
    ['price_extra'],
  )
  assert.equal(onProduct?.price_extra, 3)
  assert.equal(await statusOf('clerk', `${model}/action_confirm`, { ids: [form] }), 403)
})

test('mail.activity.schedule: plans an activity for several records, or notes one that was done', async () => {
  const model = 'mail.activity.schedule'
  const contacts = [await make('res.partner', { name: 'One' }), await make('res.partner', { name: 'Two' })]
  const form = await make(model, {
    res_model: 'res.partner',
    res_ids: JSON.stringify(contacts),
    summary: 'Call back',
    date_deadline: '2030-05-01',
  })
  assert.deepEqual(await values(model, form, ['is_batch_mode']), [true])
  await ask(`${model}/action_schedule_activities`, { ids: [form] })
  const place = [
    ['res_model', '=', 'res.partner'],
    ['res_id', 'in', contacts],
  ]
  const planned = await search('mail.activity', place, ['summary', 'date_deadline', 'res_id', 'automated'])
  assert.deepEqual(
    planned.map(({ id, ...row }) => row),
    contacts.map((res_id) => ({
      summary: 'Call back',
      date_deadline: '2030-05-01',
      res_id,
      automated: false,
    })),
  )
  await ask(`${model}/action_schedule_activities_done`, { ids: [form] })
  assert.equal((await search('mail.activity', place, [])).length, 2)
  const notes = await search(
    'mail.message',
    [
      ['model', '=', 'res.partner'],
      ['res_id', 'in', contacts],
      ['mail_activity_type_id', '!=', false],
    ],
    [],
  )
  assert.equal(notes.length, 2)
  const options = await ask<[string, string][]>(`${model}/get_model_options`, {}, 'clerk')
  const names = options.map(([name]) => name)
  assert.ok(names.includes('res.partner') && !names.includes('account.move'))
  const nowhere = await make(model, { res_model: 'res.country', res_ids: '[1]' })
  assert.equal(await statusOf('admin', `${model}/action_schedule_activities`, { ids: [nowhere] }), 422)
  // People plan nothing for records that they may not write, nor by forms of others.
  const other = await make(model, { res_model: 'res.partner', res_ids: JSON.stringify(contacts) }, 'clerk')
  assert.equal(await statusOf('clerk', `${model}/action_schedule_activities`, { ids: [other] }), 403)
  assert.equal(await statusOf('clerk', `${model}/action_schedule_activities`, { ids: [form] }), 403)
})

test('mail.message.reaction: people answer messages that they may read, in their own name', async () => {
  const contact = await make('res.partner', { name: 'Reader' })
  const [message] = await ask<[number]>('res.partner/message_post', { ids: [contact], body: 'New price' })
  const model = 'mail.message.reaction'
  const reaction = await make(model, { message_id: message, content: '👍' }, 'clerk')
  const [clerk] = await search('res.users', [['login', '=', 'clerk']], ['partner_id'])
  assert.deepEqual(await values('mail.message', message, ['reaction_ids']), [[reaction]])
  assert.deepEqual(await values(model, reaction, ['content', 'partner_id']), ['👍', clerk?.partner_id])
  const again = { message_id: message, content: '👍' }
  assert.equal(await statusOf('clerk', `${model}/create`, { vals_list: [again] }), 422)
  const forged = { message_id: message, content: '👎', partner_id: contact }
  assert.equal(await statusOf('clerk', `${model}/create`, { vals_list: [forged] }), 403)
  assert.equal(await statusOf('keeper', `${model}/unlink`, { ids: [reaction] }), 403)
  assert.equal(await statusOf('clerk', `${model}/write`, { ids: [reaction], vals: { content: 'x' } }), 403)
  const long = { message_id: message, content: 'x'.repeat(33) }
  assert.equal(await statusOf('clerk', `${model}/create`, { vals_list: [long] }), 422)
  const invoice = await make('account.move', { move_type: 'entry' })
  const [secret] = await ask<[number]>('account.move/message_post', { ids: [invoice], body: 'Loss' })
  const onSecret = { message_id: secret, content: '👍' }
  assert.equal(await statusOf('clerk', `${model}/create`, { vals_list: [onSecret] }), 403)
  await ask(`${model}/unlink`, { ids: [reaction] }, 'clerk')
  assert.deepEqual(await values('mail.message', message, ['reaction_ids']), [[]])
})

test('res.device: users see where they are signed in, and no other sessions', async () => {
  const [clerk] = await search('res.users', [['login', '=', 'clerk']], ['id'])
  const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1'
  await shop.tamper(
    `INSERT INTO browser_session (token_hash, user_id, owner_id, password, made, used, address, agent)
     SELECT sha256('session of the clerk'), id, id, password, now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC', '192.0.2.7', '${agent}' FROM res_users WHERE id = ${clerk?.id}`,
  )
  const fields = ['user_id', 'platform', 'browser', 'device_type', 'ip_address', 'is_current', 'revoked']
  const [device] = await search('res.device', [], fields, 'clerk')
  assert.deepEqual(
    { ...device, id: 0 },
    {
      id: 0,
      user_id: clerk?.id,
      platform: 'ios',
      browser: 'safari',
      device_type: 'mobile',
      ip_address: '192.0.2.7',
      is_current: false,
      revoked: false,
    },
  )
  const [mine] = await ask<Row[]>('res.users/read', { ids: [clerk?.id], fields: ['device_ids'] }, 'clerk')
  assert.deepEqual(mine?.device_ids, [device?.id])
  const [sessions] = [await ask<Row[]>('res.users/sessions', { ids: [] }, 'clerk')]
  const [identified] = await search('res.device', [], ['session_identifier'], 'clerk')
  assert.deepEqual(
    sessions?.map(({ id }) => id),
    [identified?.session_identifier],
  )
  assert.deepEqual(await search('res.device', [['user_id', '=', clerk?.id]], [], 'keeper'), [])
  const [seen] = await ask<Row[]>('res.users/read', { ids: [clerk?.id], fields: ['device_ids'] })
  assert.deepEqual(seen?.device_ids, [])
  assert.equal(await statusOf('admin', 'res.device/unlink', { ids: [device?.id] }), 403)
})

test('res.company: goods are worth what the books say once the valuation was closed', async () => {
  const [company, account, stock] = await shop.run(async (env) => [
    env.companyId,
    await env.ref('account.1_stock_valuation'),
    await env.ref('stock.stock_location_stock'),
  ])
  const product = await make('product.product', { name: 'Barrel', is_storable: true, standard_price: 12.5 })
  const quant = await make('stock.quant', { product_id: product, location_id: stock, inventory_quantity: 8 })
  await ask('stock.quant/action_apply_inventory', { ids: [quant] })
  const figure = (name: string, more: object = {}, person: Person = 'admin') =>
    ask(`res.company/${name}`, { ids: [company], ...more }, person)
  assert.deepEqual(await figure('stock_value'), { [account]: 100 })
  assert.deepEqual(await figure('stock_accounting_value'), { [account]: 0 })
  assert.deepEqual(await figure('stock_value', { at_date: '2020-01-01' }), { [account]: 0 })
  const other = await make('account.account', {
    name: 'Barrels',
    code: '110777',
    account_type: 'asset_current',
  })
  assert.deepEqual(await figure('stock_value', { accounts_by_product: { [product]: other } }), {
    [other]: 100,
  })
  const close = 'res.company/action_close_stock_valuation'
  const draft = await figure('action_close_stock_valuation')
  assert.deepEqual(
    [draft.res_model, await values('account.move', draft.res_id as number, ['state', 'amount_total'])],
    ['account.move', ['draft', 100]],
  )
  // A second entry would book the same once more.
  assert.equal(await statusOf('admin', close, { ids: [company] }), 422)
  await ask('account.move/action_post', { ids: [draft.res_id] })
  assert.deepEqual(await figure('stock_accounting_value'), { [account]: 100 })
  assert.equal(await statusOf('admin', close, { ids: [company] }), 422)
  await ask('product.product/write', { ids: [product], vals: { standard_price: 10.01 } })
  const posted = await figure('action_close_stock_valuation', { auto_post: true })
  assert.deepEqual(await values('account.move', posted.res_id as number, ['state', 'amount_total']), [
    'posted',
    19.92,
  ])
  assert.deepEqual(await figure('stock_accounting_value'), { [account]: 80.08 })
  for (const odd of [{ at_date: 'soon' }, { accounts_by_product: [1] }, { accounts_by_product: { x: 1 } }])
    assert.equal(await statusOf('admin', 'res.company/stock_value', { ids: [company], ...odd }), 422)
  assert.equal(await statusOf('clerk', 'res.company/stock_value', { ids: [company] }), 403)
  // A stock manager sees what goods are worth, and not the books.
  assert.deepEqual(await figure('stock_value', {}, 'keeper'), { [account]: 80.08 })
  assert.equal(await statusOf('keeper', 'res.company/stock_accounting_value', { ids: [company] }), 403)
  assert.equal(await statusOf('keeper', close, { ids: [company] }), 403)
})

test('res.company: closings at once make one entry, and accounts that their goods left are emptied', async () => {
  const [company, account, stock] = await shop.run(async (env) => [
    env.companyId,
    await env.ref('account.1_stock_valuation'),
    await env.ref('stock.stock_location_stock'),
  ])
  const body = { ids: [company] }
  const close = 'res.company/action_close_stock_valuation'
  const vals = { name: 'Keg', is_storable: true, standard_price: 3 }
  const product = await make('product.product', vals)
  const quant = await make('stock.quant', { product_id: product, location_id: stock, inventory_quantity: 7 })
  await ask('stock.quant/action_apply_inventory', { ids: [quant] })
  const answers = await Promise.all([1, 2, 3, 4].map(() => shop.call('admin', close, body)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422, 422, 422])
  assert.equal(await statusOf('admin', close, { ...body, at_date: '2999-01-01' }), 422)
  const draft = answers.find(({ status }) => status === 200)?.body as Row
  await ask('account.move/action_post', { ids: [draft.res_id] })
  const worth = (await ask('res.company/stock_accounting_value', body))[account] as number
  const apart = await make('account.account', {
    name: 'Kegs',
    code: '110778',
    account_type: 'asset_current',
  })
  const categ_id = await make('product.category', {
    name: 'Kegs',
    property_stock_valuation_account_id: apart,
  })
  const goods = await search('product.product', [['is_storable', '=', true]], [])
  await ask('product.product/write', { ids: goods.map(({ id }) => id), vals: { categ_id } })
  assert.deepEqual(await ask('res.company/stock_value', body), { [apart]: worth })
  const posted = await ask(close, { ...body, auto_post: true })
  const items = await search(
    'account.move.line',
    [['move_id', '=', posted.res_id]],
    ['account_id', 'balance'],
  )
  const balanceOf = (id: number) =>
    items.filter((item) => item.account_id === id).reduce((sum, item) => sum + (item.balance as number), 0)
  assert.deepEqual([balanceOf(apart), balanceOf(account)], [worth, -worth])
  assert.equal(await statusOf('admin', close, body), 422)
})

test('res.company: a closing empties an account that held goods and that no category names any more', async () => {
  const [company, stock] = await shop.run(async (env) => [
    env.companyId,
    await env.ref('stock.stock_location_stock'),
  ])
  const account = (name: string, code: string) =>
    make('account.account', { name, code, account_type: 'asset_current' })
  const [first, next] = [await account('Casks', '110780'), await account('Casks 2', '110781')]
  const categ_id = await make('product.category', {
    name: 'Casks',
    property_stock_valuation_account_id: first,
  })
  const vals = { name: 'Cask', is_storable: true, standard_price: 6, categ_id }
  const product = await make('product.product', vals)
  const quant = await make('stock.quant', { product_id: product, location_id: stock, inventory_quantity: 5 })
  await ask('stock.quant/action_apply_inventory', { ids: [quant] })
  const closing = { ids: [company], auto_post: true }
  const close = 'res.company/action_close_stock_valuation'
  await ask(close, closing)
  const accounts_by_product = { [product]: first, [product + 1]: next }
  const booked = () => ask('res.company/stock_accounting_value', { ids: [company], accounts_by_product })
  assert.deepEqual(await booked(), { [first]: 30, [next]: 0 })
  await ask('product.category/write', {
    ids: [categ_id],
    vals: { property_stock_valuation_account_id: next },
  })
  await ask(close, closing)
  assert.deepEqual(await booked(), { [first]: 0, [next]: 30 })
  assert.equal(await statusOf('admin', close, closing), 422)
})

test('res.company: a day of a valuation ends with the day of the caller', async () => {
  const [company, account, stock] = await shop.run(async (env) => [
    env.companyId,
    await env.ref('account.1_stock_valuation'),
    await env.ref('stock.stock_location_stock'),
  ])
  const product = await make('product.product', { name: 'Churn', is_storable: true, standard_price: 4 })
  const quant = await make('stock.quant', { product_id: product, location_id: stock, inventory_quantity: 2 })
  await ask('stock.quant/action_apply_inventory', { ids: [quant] })
  await shop.run((env) =>
    env.execute(sql`UPDATE stock_move SET date = '2026-01-11 02:00:00' WHERE product_id = ${product}::int`, {
      reads: ['stock.move'],
    }),
  )
  const worth = async (at_date: string, tz: string) =>
    (
      await ask('res.company/stock_value', {
        ids: [company],
        at_date,
        accounts_by_product: { [product]: account },
        context: { tz },
      })
    )[account]
  assert.deepEqual(await Promise.all(['2026-01-10', '2026-01-11'].map((day) => worth(day, 'UTC'))), [0, 8])
  assert.equal(await worth('2026-01-10', 'America/New_York'), 8)
  assert.equal(await worth('2026-01-09', 'America/New_York'), 0)
})

test('sale.order/load_sale_order_from_pos: a till loads the order that it settles, of its company', async () => {
  const [config] = await search('pos.config', [], ['company_id'])
  const partner = await make('res.partner', { name: 'Diner' })
  const product = await make('product.product', { name: 'Feast', list_price: 30, taxes_id: [] })
  const order = await make('sale.order', {
    partner_id: partner,
    order_line: [[0, 0, { product_id: product, product_uom_qty: 2 }]],
  })
  const load = 'sale.order/load_sale_order_from_pos'
  const body = { ids: [order], config_id: config?.id }
  const answer = await ask<Record<string, Row[]>>(load, body, 'cashier')
  const [loaded] = answer['sale.order'] as [Row]
  assert.deepEqual([loaded.id, loaded.partner_id, loaded.amount_total], [order, partner, 60])
  assert.deepEqual(
    answer['sale.order.line']?.map((line) => [line.product_id, line.product_uom_qty]),
    [[product, 2]],
  )
  assert.deepEqual(
    answer['product.product']?.map(({ id }) => id),
    [product],
  )
  assert.deepEqual(
    answer['res.partner']?.map(({ id }) => id),
    [partner],
  )
  assert.equal(await statusOf('clerk', load, body), 403)
  assert.equal(await statusOf('admin', load, { ...body, config_id: 999_999 }), 404)
  assert.equal(await statusOf('admin', load, { ...body, ids: [999_999] }), 404)
})
