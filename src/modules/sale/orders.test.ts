// Orders over a real server: what they take from customers, copies with combos, discounts under taxes,
// companies, rights, and how many statements they take.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openSelling, type Selling } from '../../../test/support/selling.ts'
import { recordStatements, statementsOf } from '../../../test/support/statements.ts'

let shop: Selling
before(async () => {
  shop = await openSelling()
})
after(() => shop?.close())

type Row = Record<string, unknown>
const make = async (model: string, vals: object, person?: Parameters<Selling['ask']>[2]): Promise<number> =>
  ((await shop.ask<number[]>(`${model}/create`, { vals_list: [vals] }, person)) as [number])[0]
const makeAll = (model: string, vals_list: readonly object[]) =>
  shop.ask<number[]>(`${model}/create`, { vals_list })
const read = async (model: string, id: number, fields: readonly string[]): Promise<Row> =>
  (await shop.ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row
const linesOf = (order: number, fields: readonly string[]) =>
  shop.ask<Row[]>('sale.order.line/search_read', { domain: [['order_id', '=', order]], fields, load: null })
const statusOf = async (person: Parameters<Selling['call']>[0], path: string, body: object) =>
  (await shop.call(person, path, body)).status
const product = (name: string, list_price: number, more: object = {}) =>
  make('product.product', { name, list_price, taxes_id: [[5]], ...more })
const order = (vals: object, person?: Parameters<Selling['ask']>[2]) => make('sale.order', vals, person)

test('an order of 100 lines takes at most 40 statements, confirming 100 orders at most 100', async () => {
  const list = Array.from({ length: 100 }, (_, n) => ({ name: `Thing ${n}`, list_price: n + 1 }))
  const products = await makeAll('product.product', list)
  const [partner_id] = await makeAll('res.partner', [
    { name: 'Much', country_id: await shop.run((env) => env.ref('base.nz')) },
  ])
  const order_line = products.map((product_id, n) => [0, 0, { product_id, product_uom_qty: 1 + (n % 7) }])
  for (const person of ['admin', 'own'] as const) {
    // The first call reads the caller's rights.
    await order({ partner_id, order_line: order_line.slice(0, 1) }, person)
    const sent = await statementsOf(() => order({ partner_id, order_line }, person))
    assert.ok(sent.length <= 40, `${sent.length} statements`)
  }
  const orders = await makeAll(
    'sale.order',
    products.map((product_id) => ({ partner_id, order_line: [[0, 0, { product_id }]] })),
  )
  assert.equal(new Set(orders).size, 100)
  const sent = await statementsOf(() => shop.ask('sale.order/action_confirm', { ids: orders }))
  assert.ok(sent.length <= 100, `${sent.length} statements`)
  const last = await read('sale.order', orders[99] as number, ['state', 'amount_untaxed', 'invoice_status'])
  assert.deepEqual([last.state, last.amount_untaxed, last.invoice_status], ['sale', 100, 'to invoice'])
})

test('a small order: what creating and confirming send, and how often they wait; whoever adds to it changes this knowingly', async () => {
  const list = Array.from({ length: 6 }, (_, n) => ({ name: `Small ${n}`, list_price: n + 1 }))
  const products = await makeAll('product.product', list)
  const partner_id = await make('res.partner', { name: 'Small' })
  const recorder = recordStatements()
  const sent = async (work: () => Promise<unknown>) => {
    recorder.forget()
    await work()
    return { statements: recorder.statements.length, trips: recorder.trips() }
  }
  const once = async (n: number) => {
    const order_line = products
      .slice(n, n + 3)
      .map((product_id) => [0, 0, { product_id, product_uom_qty: 2 }])
    let made = 0
    const created = await sent(async () => {
      made = await order({ partner_id, order_line })
    })
    return { created, confirmed: await sent(() => shop.ask('sale.order/action_confirm', { ids: [made] })) }
  }
  try {
    // The first calls read rights and whatever else stays in memory.
    await once(0)
    await once(1)
    // Now and then the server has something of its own to write down in between: the least counts.
    const runs = [await once(2), await once(2), await once(2)]
    const least = (step: 'created' | 'confirmed') =>
      runs.map((run) => run[step]).reduce((a, b) => (b.statements < a.statements ? b : a))
    assert.deepEqual(
      { created: least('created'), confirmed: least('confirmed') },
      { created: { statements: 32, trips: 21 }, confirmed: { statements: 28, trips: 18 } },
    )
  } finally {
    recorder.stop()
  }
})

test('orders made together have names of their own, in a row', async () => {
  const partner_id = await make('res.partner', { name: 'Twice' })
  const made = await makeAll('sale.order', [{ partner_id }, { partner_id, name: 'MINE' }, { partner_id }])
  const names = (await shop.ask<Row[]>('sale.order/read', { ids: made, fields: ['name'] })).map((row) =>
    String(row.name),
  )
  assert.match(names[0] as string, /^S\d{5}$/)
  assert.equal(names[1], 'MINE')
  assert.equal(Number(names[2]?.slice(1)), Number(names[0]?.slice(1)) + 1)
})

test('typed values stay until what they follow changes', async () => {
  const [soap, brush] = [await product('Soap', 4, { description_sale: 'Mild' }), await product('Brush', 9)]
  const [buyer, other] = await makeAll('res.partner', [{ name: 'Buyer' }, { name: 'Other' }])
  const id = await order({
    partner_id: buyer,
    partner_invoice_id: other,
    order_line: [[0, 0, { product_id: soap, name: 'Typed' }]],
  })
  const [line] = (await linesOf(id, ['name', 'price_unit'])) as [Row]
  assert.deepEqual([line.name, line.price_unit], ['Typed', 4])
  assert.equal((await read('sale.order', id, ['partner_invoice_id'])).partner_invoice_id, other)
  await shop.ask('sale.order/write', {
    ids: [id],
    vals: { order_line: [[1, line.id, { product_uom_qty: 3 }]] },
  })
  assert.equal((await linesOf(id, ['name']))[0]?.name, 'Typed')
  await shop.ask('sale.order.line/write', { ids: [line.id], vals: { product_id: brush } })
  const [changed] = (await linesOf(id, ['name', 'price_unit', 'price_total'])) as [Row]
  assert.deepEqual([changed.name, changed.price_unit, changed.price_total], ['Brush', 9, 27])
  await shop.ask('sale.order/write', { ids: [id], vals: { partner_id: other } })
  const moved = await read('sale.order', id, ['partner_invoice_id', 'partner_shipping_id'])
  assert.deepEqual([moved.partner_invoice_id, moved.partner_shipping_id], [other, other])
})

test('a line speaks the language of its customer', async () => {
  await shop.run(async (env) => {
    const langs = await env
      .withContext({ active_test: false })
      .model('res.lang')
      .search([['code', '=', 'fr_FR']])
    await langs.write({ active: true })
  })
  const bread = await product('Bread', 2)
  await shop.ask('product.product/write', {
    ids: [bread],
    vals: { name: 'Pain' },
    context: { lang: 'fr_FR' },
  })
  const [here, there] = await makeAll('res.partner', [{ name: 'Ann' }, { name: 'Anne', lang: 'fr_FR' }])
  const texts = []
  for (const partner_id of [here, there]) {
    const id = await order({ partner_id, order_line: [[0, 0, { product_id: bread }]] })
    texts.push((await linesOf(id, ['name']))[0]?.name)
  }
  assert.deepEqual(texts, ['Bread', 'Pain'])
})

test('a combo goes along when its order is copied, and refuses what is none of its choices', async () => {
  const [tea, cake, water] = [await product('Tea', 3), await product('Cake', 6), await product('Water', 1)]
  const choices = await makeAll('product.combo', [
    { name: 'Drink', combo_item_ids: [[0, 0, { product_id: tea }]] },
    { name: 'Bite', combo_item_ids: [[0, 0, { product_id: cake, extra_price: 0.5 }]] },
  ])
  const menu = await product('Menu', 8, { type: 'combo', combo_ids: [[6, 0, choices]] })
  const items = await shop.ask<Row[]>('product.combo.item/search_read', {
    domain: [['combo_id', 'in', choices]],
    fields: ['product_id'],
    load: null,
  })
  const item = (of: number) => items.find((one) => one.product_id === of)?.id
  const id = await order({
    partner_id: await make('res.partner', { name: 'Guest' }),
    order_line: [[0, 0, { product_id: menu, sequence: 1 }]],
  })
  const [top] = (await linesOf(id, ['price_unit'])) as [Row]
  const part = (product_id: number, combo: unknown) => ({
    order_id: id,
    product_id,
    combo_item_id: combo,
    linked_line_id: top.id,
    sequence: 2,
  })
  await makeAll('sale.order.line', [part(tea, item(tea)), part(cake, item(cake))])
  assert.equal(
    await statusOf('admin', 'sale.order.line/create', { vals_list: [part(water, item(tea))] }),
    422,
  )
  const shown = ['product_id', 'price_unit', 'combo_item_id']
  const before = (await linesOf(id, shown)).map(({ id: _, ...row }) => row)
  assert.deepEqual(
    before.map((row) => row.price_unit),
    [0, 2.67, 5.83],
  )
  const copy = (await shop.ask<number[]>('sale.order/copy', { ids: [id] }))[0] as number
  const after = await linesOf(copy, [...shown, 'linked_line_id'])
  assert.deepEqual(
    after.map(({ id: _, linked_line_id: __, ...row }) => row),
    before,
  )
  assert.deepEqual(
    after.map((row) => row.linked_line_id),
    [false, after[0]?.id, after[0]?.id],
  )
})

test('a copy for another customer asks anew where it goes', async () => {
  const term = await shop.run((env) => env.ref('account.account_payment_term_30days'))
  const [first, second] = await makeAll('res.partner', [
    { name: 'First', property_payment_term_id: term },
    { name: 'Second' },
  ])
  const id = await order({ partner_id: first })
  const copy = (
    await shop.ask<number[]>('sale.order/copy', { ids: [id], default: { partner_id: second } })
  )[0] as number
  const row = await read('sale.order', copy, ['partner_invoice_id', 'payment_term_id'])
  assert.deepEqual([row.partner_invoice_id, row.payment_term_id], [second, false])
})

test('a share off is an exact decimal', async () => {
  const product_id = await product('Fan', 12)
  const id = await order({
    partner_id: await make('res.partner', { name: 'Sharer' }),
    order_line: [[0, 0, { product_id }]],
  })
  const wizard = await make('sale.order.discount', {
    sale_order_id: id,
    discount_type: 'so_discount',
    discount_percentage: 0.1,
  })
  await shop.ask('sale.order.discount/action_apply_discount', { ids: [wizard] })
  // In binary fractions it would be 1.2000000000000002.
  assert.deepEqual(
    (await linesOf(id, ['price_unit'])).map((row) => row.price_unit),
    [12, -1.2],
  )
})

test('a sum off leaves exactly what was asked, also where prices hold their taxes', async () => {
  const [net, gross] = await makeAll('account.tax', [
    { name: 'On top', amount: 7 },
    { name: 'Held', amount: 19, price_include_override: 'tax_included' },
  ])
  const partner_id = await make('res.partner', { name: 'Haggler' })
  for (const [tax, price, quantity] of [
    [gross, 33.33, 3],
    [net, 0.57, 7],
  ] as const) {
    const id = await order({
      partner_id,
      order_line: [
        [
          0,
          0,
          {
            product_id: await product('Piece', price, { taxes_id: [[6, 0, [tax]]] }),
            product_uom_qty: quantity,
          },
        ],
        [0, 0, { product_id: await product('Free of tax', 10) }],
      ],
    })
    const before = (await read('sale.order', id, ['amount_total'])).amount_total as number
    const wizard = await make('sale.order.discount', {
      sale_order_id: id,
      discount_type: 'amount',
      discount_amount: 5,
    })
    await shop.ask('sale.order.discount/action_apply_discount', { ids: [wizard] })
    assert.equal(
      (await read('sale.order', id, ['amount_total'])).amount_total,
      Number((before - 5).toFixed(2)),
    )
    const [discount] = (await linesOf(id, ['product_id', 'price_unit', 'name'])).filter(
      (row) => (row.price_unit as number) < 0,
    ) as [Row]
    // Its price was made for the order: a quantity does not turn it into the product's.
    await shop.ask('sale.order.line/write', { ids: [discount.id], vals: { product_uom_qty: 2 } })
    assert.equal(
      (await linesOf(id, ['price_unit'])).find((row) => row.id === discount.id)?.price_unit,
      discount.price_unit,
    )
  }
})

test('what a locked order keeps, and the feature that locks', async () => {
  const id = await order({
    partner_id: await make('res.partner', { name: 'Late' }),
    order_line: [[0, 0, { product_id: await product('Box', 5) }]],
  })
  const settings = (on: boolean) =>
    shop.run(async (env) =>
      (await env.model('res.config.settings').create([{ group_auto_done_setting: on }])).execute(),
    )
  await settings(true)
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await settings(false)
  assert.equal((await read('sale.order', id, ['locked'])).locked, true)
  for (const method of ['action_update_prices', 'action_update_taxes', 'action_cancel']) {
    const answer = await shop.call('admin', `sale.order/${method}`, { ids: [id] })
    assert.equal(answer.status, 422, method)
    assert.match(JSON.stringify(answer.body), /odoo\.exceptions\.UserError/)
  }
  assert.equal((await read('sale.order', id, ['state'])).state, 'sale')
})

test('own documents, all documents, other companies', async () => {
  const partner_id = await make('res.partner', { name: 'Shared' })
  const mine = await order({ partner_id }, 'own')
  const seen = (person: Parameters<Selling['call']>[0], id = mine) =>
    statusOf(person, 'sale.order/read', { ids: [id], fields: ['name'] })
  assert.deepEqual(
    await Promise.all((['own', 'mate', 'lead', 'boss', 'clerk', 'biller'] as const).map((who) => seen(who))),
    [200, 403, 200, 200, 403, 200],
  )
  for (const method of [
    'action_confirm',
    'action_cancel',
    'action_lock',
    'action_update_prices',
    'action_open_discount_wizard',
    'copy',
  ])
    assert.equal(await statusOf('mate', `sale.order/${method}`, { ids: [mine] }), 403, method)
  const wizard = await make('sale.order.discount', { sale_order_id: mine, discount_percentage: 0.5 }, 'mate')
  assert.equal(await statusOf('mate', 'sale.order.discount/action_apply_discount', { ids: [wizard] }), 403)
  assert.equal(await statusOf('own', 'sale.order/write', { ids: [mine], vals: { user_id: 1 } }), 403)
  assert.equal(await statusOf('own', 'sale.order/unlink', { ids: [mine] }), 403)
  // Who may not delete an order does not learn whether it was sent.
  await shop.ask('sale.order/action_quotation_sent', { ids: [mine] })
  for (const person of ['mate', 'own'] as const)
    assert.equal(await statusOf(person, 'sale.order/unlink', { ids: [mine] }), 403)
  const [line] = await shop.ask<[number]>(
    'sale.order.line/create',
    { vals_list: [{ order_id: mine, name: 'Kept' }] },
    'own',
  )
  await shop.ask('sale.order/action_lock', { ids: [mine] }, 'own')
  const rename = (person: 'own' | 'mate') =>
    statusOf(person, 'sale.order.line/write', { ids: [line], vals: { name: 'Changed' } })
  assert.deepEqual([await rename('own'), await rename('mate')], [422, 403])
  // Lines do not go over to the order of somebody else either.
  const theirs = await order({ partner_id }, 'mate')
  const [moving] = await linesOf(
    await order({ partner_id, order_line: [[0, 0, { name: 'Moving' }]] }, 'own'),
    ['name'],
  )
  const move = { ids: [moving?.id], vals: { order_id: theirs } }
  assert.deepEqual(
    [await statusOf('own', 'sale.order.line/write', move), (await linesOf(theirs, ['name'])).length],
    [403, 0],
  )
  const company = await make('res.company', { name: 'Elsewhere' })
  const context = { allowed_company_ids: [company] }
  const far = (
    (await shop.ask<number[]>('sale.order/create', { vals_list: [{ partner_id }], context })) as [number]
  )[0]
  assert.equal(await seen('lead', far), 403)
  assert.equal(
    await statusOf('admin', 'sale.order/read', {
      ids: [far],
      fields: ['name'],
      context: { allowed_company_ids: [1] },
    }),
    403,
  )
  const owned = await make('res.partner', { name: 'Of the first', company_id: 1 })
  assert.equal(
    await statusOf('admin', 'sale.order/create', { vals_list: [{ partner_id: owned }], context }),
    422,
  )
})

test('a form learns what a save would make of it, and nothing is stored', async () => {
  const tax = await make('account.tax', { name: 'Form', amount: 20 })
  const [ink, pen] = [await product('Ink', 10, { taxes_id: [[6, 0, [tax]]] }), await product('Pen', 25)]
  const hotel = await make('res.partner', { name: 'Hotel', is_company: true })
  const desk = await make('res.partner', { name: 'Desk', parent_id: hotel, type: 'invoice' })
  const before = await order({ partner_id: hotel })
  const counts = () =>
    Promise.all(
      ['sale.order', 'sale.order.line'].map((model) => shop.ask(`${model}/search_count`, { domain: [] })),
    )
  const stored = await counts()
  type Changes = { value?: Row }
  const ask = (model: string, body: object, person?: Parameters<Selling['ask']>[2]) =>
    shop.ask<Changes>(`${model}/onchange`, body, person).then(({ value }) => value)
  const fields_spec = {
    name: {},
    partner_invoice_id: { fields: { display_name: {} } },
    user_id: {},
    amount_total: {},
    order_line: { fields: { name: {}, product_uom_qty: {}, price_unit: {}, tax_ids: {}, price_total: {} } },
  }
  // A customer: addresses and salesperson follow; empty boxes of the form are no wishes.
  const chosen = await ask('sale.order', {
    values: { partner_id: hotel, partner_invoice_id: false },
    field_names: ['partner_id'],
    fields_spec,
  })
  assert.deepEqual(chosen?.partner_invoice_id, { id: desk, display_name: 'Hotel, Desk' })
  assert.ok(chosen?.user_id)
  // Lines that are not there yet keep the names that the form gave them.
  const order_line = [
    [0, 'virtual_1', { product_id: ink, product_uom_qty: 3 }],
    [0, 'virtual_2', { product_id: pen, price_unit: 20 }],
  ]
  const lines = await ask('sale.order', {
    values: { partner_id: hotel, order_line },
    field_names: ['order_line'],
    fields_spec,
  })
  assert.deepEqual(lines, {
    amount_total: 56,
    order_line: [
      [1, 'virtual_1', { name: 'Ink', price_unit: 10, tax_ids: [[6, 0, [tax]]], price_total: 36 }],
      [1, 'virtual_2', { name: 'Pen', product_uom_qty: 1, price_total: 20 }],
    ],
  })
  // A line on its own; a typed price stays when the quantity changes.
  const lineSpec = { name: {}, price_unit: {}, price_total: {}, order_id: {} }
  const line = { order_id: before, product_id: pen, product_uom_qty: 4 }
  assert.deepEqual(
    await ask('sale.order.line', { values: line, field_names: ['product_id'], fields_spec: lineSpec }),
    {
      name: 'Pen',
      price_unit: 25,
      price_total: 100,
    },
  )
  const typed = { ...line, name: 'Pen', price_unit: 5, technical_price_unit: 25 }
  assert.deepEqual(
    await ask('sale.order.line', { values: typed, field_names: ['product_uom_qty'], fields_spec: lineSpec }),
    {
      price_total: 20,
    },
  )
  // An order that is there.
  const added = await ask('sale.order', {
    ids: [before],
    values: { order_line: order_line.slice(1) },
    field_names: ['order_line'],
    fields_spec,
  })
  assert.equal(added?.amount_total, 20)
  // What only the server says may be sent as anything.
  const odd = { client_order_ref: 'Odd', duplicated_order_ids: [null, 7, { id: 'x' }] }
  const asked = { values: odd, field_names: ['client_order_ref'], fields_spec: { duplicated_order_ids: {} } }
  assert.deepEqual(await ask('sale.order', { ids: [before], ...asked }), {
    duplicated_order_ids: [[6, 0, []]],
  })
  // What could not be saved has no answer; who may not read has none either.
  assert.equal(
    await ask('sale.order', { values: { order_line }, field_names: ['order_line'], fields_spec }),
    undefined,
  )
  assert.equal(
    await statusOf('clerk', 'sale.order/onchange', { values: {}, field_names: ['partner_id'], fields_spec }),
    403,
  )
  assert.equal(
    await statusOf('admin', 'sale.order/onchange', {
      ids: [9 ** 9],
      values: {},
      field_names: ['note'],
      fields_spec,
    }),
    404,
  )
  assert.equal(
    await statusOf('mate', 'sale.order/onchange', {
      ids: [before],
      values: { note: 'x' },
      field_names: ['note'],
      fields_spec,
    }),
    403,
  )
  assert.deepEqual(await counts(), stored)
  const number = async (id: number) => Number(String((await read('sale.order', id, ['name'])).name).slice(1))
  assert.equal(await number(await order({ partner_id: hotel })), (await number(before)) + 1)
  // Products: what is made together with the form does not show.
  const template = { values: { name: 'Quill', list_price: 3 }, field_names: ['name'] }
  const shown = await ask('product.template', {
    ...template,
    fields_spec: { display_name: {}, product_variant_id: {}, product_variant_ids: { fields: { name: {} } } },
  })
  assert.deepEqual(shown, { display_name: 'Quill' })
})

test('a quotation that goes over to another company takes its taxes', async () => {
  const company_id = await make('res.company', { name: 'Taxed elsewhere' })
  const context = { allowed_company_ids: [1, company_id] }
  const [tax, group] = [await make('account.tax', { name: 'Here', amount: 10 }), 'account.tax.group']
  const [own] = await shop.ask<[number]>(`${group}/create`, {
    vals_list: [{ name: 'There', company_id }],
    context,
  })
  const there = {
    name: 'There',
    amount: 30,
    company_id,
    tax_group_id: own,
    country_id: await shop.run((env) => env.ref('base.us')),
  }
  const [other] = await shop.ask<[number]>('account.tax/create', { vals_list: [there], context })
  const product_id = await product('Wanderer', 100, { taxes_id: [[6, 0, [tax, other]]] })
  const id = await order({
    partner_id: await make('res.partner', { name: 'Both' }),
    order_line: [[0, 0, { product_id }]],
  })
  assert.equal((await read('sale.order', id, ['amount_tax'])).amount_tax, 10)
  await shop.ask('sale.order/write', { ids: [id], vals: { company_id }, context })
  const [moved] = await shop.ask<Row[]>('sale.order/read', {
    ids: [id],
    fields: ['amount_tax', 'company_id'],
    load: null,
    context,
  })
  assert.deepEqual(moved, { id, amount_tax: 30, company_id })
})

test('customers of the portal read what was sent to their company, and change nothing', async () => {
  const [guest] = await shop.ask<Row[]>('res.users/search_read', {
    domain: [['login', '=', 'guest']],
    fields: ['partner_id'],
    load: null,
  })
  const company = await make('res.partner', { name: 'Guests & Co', is_company: true })
  await shop.ask('res.partner/write', { ids: [guest?.partner_id], vals: { parent_id: company } })
  const order_line = [[0, 0, { product_id: await product('Room', 80) }]]
  const [theirs, draft, strange] = [
    await order({ partner_id: company, order_line }),
    await order({ partner_id: guest?.partner_id, order_line }),
    await order({ partner_id: await make('res.partner', { name: 'Stranger' }), order_line }),
  ]
  await shop.ask('sale.order/action_quotation_sent', { ids: [theirs, strange] })
  const seen = await shop.ask<Row[]>(
    'sale.order/search_read',
    { domain: [], fields: ['amount_total'] },
    'guest',
  )
  assert.deepEqual(seen, [{ id: theirs, amount_total: 80 }])
  const lines = await shop.ask<Row[]>(
    'sale.order.line/search_read',
    { domain: [], fields: ['name', 'order_id'], load: null },
    'guest',
  )
  assert.deepEqual(
    lines.map((row) => [row.name, row.order_id]),
    [['Room', theirs]],
  )
  for (const id of [draft, strange])
    assert.equal(await statusOf('guest', 'sale.order/read', { ids: [id], fields: ['name'] }), 403)
  assert.equal(
    await statusOf('guest', 'sale.order/write', { ids: [theirs], vals: { note: 'Cheaper?' } }),
    403,
  )
  for (const method of ['action_confirm', 'action_cancel', 'copy', 'unlink'])
    assert.equal(await statusOf('guest', `sale.order/${method}`, { ids: [theirs] }), 403, method)
})

test('lines of a confirmed order do not leave it for another one', async () => {
  const partner_id = await make('res.partner', { name: 'Mover' })
  const id = await order({
    partner_id,
    order_line: [
      [0, 0, { product_id: await product('Piano', 900) }],
      [0, 0, { display_type: 'line_note', name: 'Heavy' }],
    ],
  })
  const [piano, note] = (await linesOf(id, ['name'])).map((row) => row.id) as [number, number]
  const other = await order({ partner_id })
  const move = (line: number, to: number) =>
    statusOf('admin', 'sale.order.line/write', { ids: [line], vals: { order_id: to } })
  assert.deepEqual([await move(piano, other), await move(piano, id)], [200, 200])
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  assert.equal(await move(piano, other), 422)
  assert.equal(
    await statusOf('admin', 'sale.order/write', { ids: [other], vals: { order_line: [[4, piano]] } }),
    422,
  )
  assert.equal(await move(note, other), 200)
  assert.equal((await read('sale.order', id, ['amount_untaxed'])).amount_untaxed, 900)
})

test('a product that was sold keeps its unit where others were used, and its company', async () => {
  const [unit, dozen, kilo] = await Promise.all(
    ['uom.product_uom_unit', 'uom.product_uom_dozen', 'uom.product_uom_kgm'].map((name) =>
      shop.run((env) => env.ref(name)),
    ),
  )
  const [nail, screw] = [await product('Nail', 3), await product('Screw', 5)]
  const partner_id = await make('res.partner', { name: 'Builder' })
  const id = await order({
    partner_id,
    order_line: [
      [0, 0, { product_id: nail, product_uom_qty: 4 }],
      [0, 0, { product_id: screw, product_uom_id: dozen, product_uom_qty: 2 }],
    ],
  })
  const set = (product: number, vals: object) =>
    statusOf('admin', 'product.product/write', { ids: [product], vals })
  assert.deepEqual([await set(screw, { uom_id: unit }), await set(screw, { uom_id: kilo })], [200, 422])
  assert.equal(await set(nail, { uom_id: kilo }), 200)
  const lines = await linesOf(id, ['product_uom_id', 'product_uom_qty', 'price_unit'])
  assert.deepEqual(lines[0], { id: lines[0]?.id, product_uom_id: kilo, product_uom_qty: 4, price_unit: 3 })
  const elsewhere = await make('res.company', { name: 'Ironmonger' })
  const branch = await make('res.company', { name: 'Branch of the first', parent_id: 1 })
  assert.deepEqual(
    [
      await set(nail, { company_id: elsewhere }),
      await set(nail, { company_id: branch }),
      await set(nail, { company_id: 1 }),
    ],
    [422, 422, 200],
  )
})

test('nonsense is refused with a reason and leaves nothing', async () => {
  const partner_id = await make('res.partner', { name: 'Careless' })
  const bad = [
    { partner_id, date_order: 'soon' },
    { partner_id, order_line: 'all' },
    { partner_id, order_line: [[0, 0, { product_id: 99_999_999 }]] },
    { partner_id: 99_999_999 },
    { partner_id, company_id: 99_999_999 },
    { partner_id, order_line: [[0, 0, { name: 'x', tax_ids: [[6, 0, [99_999_999]]] }]] },
    { partner_id, pricelist_id: 'cheap' },
    { partner_id, order_line: [[0, 0, { display_type: 'line_note', name: 'x', price_unit: 1 }]] },
    7,
  ]
  const count = () =>
    shop.ask<number>('sale.order/search_count', { domain: [['partner_id', '=', partner_id]] })
  for (const vals of bad) {
    const { status, body } = await shop.call('admin', 'sale.order/create', { vals_list: [vals] })
    assert.ok(
      status >= 400 && status < 500,
      `${JSON.stringify(vals)}: ${status} ${JSON.stringify(body).slice(0, 300)}`,
    )
  }
  assert.equal(await count(), 0)
  const id = await order({ partner_id })
  for (const method of [
    'action_confirm',
    'action_lock',
    'action_cancel',
    'action_quotation_sent',
    'action_update_prices',
    'action_update_taxes',
  ])
    assert.equal(await statusOf('admin', `sale.order/${method}`, { ids: [id, 99_999_999] }), 404, method)
  assert.equal((await read('sale.order', id, ['state'])).state, 'draft')
})

test('a price that is given with a line stands, whatever attribute values come along in the same call', async () => {
  const attribute = await make('product.attribute', { name: 'Engraving', create_variant: 'no_variant' })
  const values = await makeAll('product.attribute.value', [
    { name: 'None', attribute_id: attribute },
    { name: 'Name', attribute_id: attribute, is_custom: true },
  ])
  const template = await make('product.template', {
    name: 'Ring',
    list_price: 100,
    taxes_id: [[5]],
    attribute_line_ids: [[0, 0, { attribute_id: attribute, value_ids: [[6, 0, values]] }]],
  })
  const [none, name] = await shop.ask<number[]>('product.template.attribute.value/search', {
    domain: [['product_tmpl_id', '=', template]],
    order: 'id',
  })
  await shop.ask('product.template.attribute.value/write', { ids: [name], vals: { price_extra: 10 } })
  const [product_id] = await shop.ask<number[]>('product.product/search', {
    domain: [['product_tmpl_id', '=', template]],
  })
  const partner_id = await make('res.partner', { name: 'Engraved' })
  const engraved = {
    product_no_variant_attribute_value_ids: [[6, 0, [name]]],
    product_custom_attribute_value_ids: [
      [0, 0, { custom_product_template_attribute_value_id: name, custom_value: 'Ann' }],
    ],
  }
  const prices = (id: number) =>
    linesOf(id, ['price_unit']).then((lines) => lines.map((line) => line.price_unit))
  const made = await order({
    partner_id,
    order_line: [
      [0, 0, { product_id, ...engraved }],
      [0, 0, { product_id, price_unit: 100, ...engraved }],
      [0, 0, { product_id, price_unit: 7, ...engraved }],
      [0, 0, { product_id, price_unit: 0, ...engraved }],
    ],
  })
  assert.deepEqual(await prices(made), [110, 100, 7, 0])
  const plain = await order({ partner_id, order_line: [1, 2, 3].map(() => [0, 0, { product_id }]) })
  const [one, two, three] = (await linesOf(plain, [])).map(({ id }) => id as number)
  assert.deepEqual(await prices(plain), [100, 100, 100])
  await shop.ask('sale.order.line/write', { ids: [one], vals: { ...engraved, price_unit: 100 } })
  await shop.ask('sale.order.line/write', {
    ids: [two],
    vals: { price_unit: 55, product_no_variant_attribute_value_ids: [[6, 0, [name]]] },
  })
  await shop.ask('sale.order.line/write', {
    ids: [three],
    vals: { product_no_variant_attribute_value_ids: [[6, 0, [name]]] },
  })
  assert.deepEqual(await prices(plain), [100, 55, 110])
  await shop.ask('sale.order/write', {
    ids: [plain],
    vals: {
      order_line: [[1, three, { price_unit: 110, product_no_variant_attribute_value_ids: [[6, 0, [none]]] }]],
    },
  })
  assert.deepEqual(await prices(plain), [100, 55, 110])
})

test('quantities that change: a typed price stays and gets the discount of the rule, a line without a product has no price to stay', async () => {
  const settings = await make('res.config.settings', { group_discount_per_so_line: true })
  await shop.ask('res.config.settings/execute', { ids: [settings] })
  const list = {
    name: 'By the dozen',
    item_ids: [[0, 0, { compute_price: 'percentage', percent_price: 20, min_quantity: 12 }]],
  }
  const pricelist_id = await make('product.pricelist', list)
  const partner_id = await make('res.partner', { name: 'Many' })
  const product_id = await product('Tile', 5)
  const order_line = [
    [0, 0, { product_id, product_uom_qty: 1 }],
    [0, 0, { name: 'Typed with the line', product_uom_qty: 1, price_unit: 7 }],
    [0, 0, { name: 'Typed later', product_uom_qty: 1, price_unit: 7 }],
  ]
  const id = await order({ partner_id, pricelist_id, order_line })
  const lines = (await linesOf(id, ['id'])).map((one) => one.id as number)
  await shop.ask('sale.order.line/write', { ids: [lines[0], lines[2]], vals: { price_unit: 6 } })
  await shop.ask('sale.order.line/write', { ids: lines, vals: { product_uom_qty: 12 } })
  const now = await linesOf(id, ['price_unit', 'discount'])
  assert.deepEqual(
    now.map((one) => [one.price_unit, one.discount]),
    [
      [6, 20],
      [0, 0],
      [6, 0],
    ],
  )
})

test('taxes brought up to date: lines without a product lose theirs; the discount of every line is that of headings too', async () => {
  const partner_id = await make('res.partner', { name: 'Taxed' })
  const tax = await make('account.tax', { name: 'Typed tax', amount: 4 })
  const order_line = [
    [0, 0, { display_type: 'line_section', name: 'Heading' }],
    [0, 0, { name: 'Only a name', price_unit: 7, tax_ids: [[6, 0, [tax]]] }],
  ]
  const id = await order({ partner_id, order_line })
  await shop.ask('sale.order/action_update_taxes', { ids: [id] })
  const form = await make('sale.order.discount', {
    sale_order_id: id,
    discount_type: 'sol_discount',
    discount_percentage: 0.1,
  })
  await shop.ask('sale.order.discount/action_apply_discount', { ids: [form] })
  const now = await linesOf(id, ['tax_ids', 'discount'])
  assert.deepEqual(
    now.map((one) => [one.tax_ids, one.discount]),
    [
      [[], 10],
      [[], 10],
    ],
  )
})
