// Templates of quotations: what orders take from them, by themselves and in forms, and who may keep them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Row = Record<string, unknown>

let shop: Office<'seller' | 'manager'>
let product: number
let template: number
before(async () => {
  shop = await openOffice(['base', 'uom', 'product', 'account', 'sales_team', 'sale', 'sale_management'], {
    seller: ['sales_team.group_sale_salesman'],
    manager: ['sales_team.group_sale_manager'],
  })
  product = await make('product.product', { name: 'Float', list_price: 20 }, 'admin')
  template = await make('sale.order.template', {
    name: 'Parade',
    number_of_days: 12,
    require_signature: false,
    note: '<p>Rain or shine</p>',
    sale_order_template_line_ids: [
      [0, 0, { display_type: 'line_section', name: 'March' }],
      [0, 0, { product_id: product, product_uom_qty: 2 }],
      [0, 0, { product_id: product, product_uom_qty: 10, name: 'Flags', is_optional: true }],
    ],
  })
})
after(() => shop?.close())

async function ask<T = Row>(path: string, body: object, person: 'admin' | 'seller' | 'manager' = 'manager') {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const make = async (model: string, vals: object, person?: 'admin' | 'seller' | 'manager') =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }, person))[0] as number
const order = async (vals: object) =>
  make('sale.order', { partner_id: await make('res.partner', { name: 'Band' }), ...vals })
const values = async (id: number, fields: readonly string[]) => {
  const [row] = await ask<Row[]>('sale.order/read', { ids: [id], fields, load: null })
  return fields.map((name) => row?.[name])
}
const terms = ['sale_order_template_id', 'require_signature', 'note'] as const
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test('sale.order.template: an order takes days, terms and note of its template, and no lines', async () => {
  const plain = await order({})
  assert.deepEqual(await values(plain, terms), [false, true, false])
  const id = await order({ sale_order_template_id: template })
  assert.deepEqual(await values(id, [...terms, 'order_line']), [template, false, '<p>Rain or shine</p>', []])
  const [until] = await values(id, ['validity_date'])
  assert.ok([inDays(11), inDays(12), inDays(13)].includes(String(until)))
  await ask('sale.order/write', { ids: [plain], vals: { sale_order_template_id: template } })
  assert.deepEqual(await values(plain, terms), [template, false, '<p>Rain or shine</p>'])
  const typed = await order({
    sale_order_template_id: template,
    note: '<p>Mine</p>',
    require_signature: true,
  })
  assert.deepEqual(await values(typed, terms), [template, true, '<p>Mine</p>'])
})

test('sale.order.template: a form that chooses it takes over its lines', async () => {
  const fields_spec = {
    sale_order_template_id: {},
    order_line: { fields: { name: {}, product_uom_qty: {}, display_type: {}, price_unit: {} } },
  }
  const { value } = await ask<{ value: { order_line: [number, unknown, Row][] } }>('sale.order/onchange', {
    ids: [],
    values: { partner_id: await make('res.partner', { name: 'Band' }), sale_order_template_id: template },
    field_names: ['sale_order_template_id'],
    fields_spec,
  })
  const lines = value.order_line.filter(([command]) => command === 0).map(([, , line]) => line)
  assert.deepEqual(
    lines.map((line) => [line.display_type || false, line.name, line.product_uom_qty]),
    [
      ['line_section', 'March', 0],
      [false, 'Float', 2],
      [false, 'Flags', 10],
    ],
  )
})

test('sale.order.template: the template of the company is that of new quotations, while it is in use', async () => {
  const [{ company_id: company }] = (await ask<Row[]>('sale.order.template/read', {
    ids: [template],
    fields: ['company_id'],
    load: null,
  })) as [Row]
  const write = (model: string, id: unknown, vals: object) =>
    ask(`${model}/write`, { ids: [id], vals }, 'admin')
  const before = await order({})
  await write('res.company', company, { sale_order_template_id: template })
  assert.deepEqual(await values(before, terms), [false, true, false])
  assert.deepEqual(await values(await order({}), terms), [template, false, '<p>Rain or shine</p>'])
  await write('sale.order.template', template, { active: false })
  assert.deepEqual(await values(await order({}), terms), [false, true, false])
  await write('sale.order.template', template, { active: true })
  await write('res.company', company, { sale_order_template_id: false })
})

test('sale.order.template: sellers use it, their managers keep it, and a section holds no product', async () => {
  const denied = await shop.call('seller', 'sale.order.template/create', { vals_list: [{ name: 'Mine' }] })
  assert.equal(denied.status, 403)
  const named = await ask<Row[]>('sale.order.template/read', { ids: [template], fields: ['name'] }, 'seller')
  assert.equal(named[0]?.name, 'Parade')
  const line = { sale_order_template_id: template, display_type: 'line_note', product_id: product }
  const { status } = await shop.call('manager', 'sale.order.template.line/create', { vals_list: [line] })
  assert.equal(status, 422)
})

test('sale.order.template: the mail of the template goes to the customer when the order is confirmed', async () => {
  const [model_id] = await ask<number[]>(
    'ir.model/search',
    { domain: [['model', '=', 'sale.order']] },
    'admin',
  )
  const mail = { name: 'Thanks', model_id, subject: 'Order {{ object.name }}', body_html: '<p>Thank you</p>' }
  const mail_template_id = await make('mail.template', mail, 'admin')
  const sale_order_template_id = await make('sale.order.template', { name: 'With mail', mail_template_id })
  const id = await order({ sale_order_template_id, order_line: [[0, 0, { product_id: product }]] })
  await ask('sale.order/action_confirm', { ids: [id] })
  const [name] = await values(id, ['name'])
  const domain = [
    ['model', '=', 'sale.order'],
    ['res_id', '=', id],
    ['subject', '=', `Order ${name}`],
  ]
  assert.equal(await ask('mail.message/search_count', { domain }, 'admin'), 1)
})
