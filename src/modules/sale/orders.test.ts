// Statements of creating and confirming orders, names of orders, values from customers, forms and
// copies.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordering, type Row } from '../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../test/support/selling.ts'
import { recordStatements, statementsOf } from '../../../test/support/statements.ts'

let shop: Selling
before(async () => {
  shop = await openSelling()
})
after(() => shop?.close())

const { linesOf, make, makeAll, order, product, read, statusOf } = ordering(() => shop)

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

test('sale.order: statements and round trips of creating and confirming a small order', async () => {
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
    let createdTrips = 0
    const created = await sent(async () => {
      createdTrips = await order({ partner_id, order_line })
    })
    return {
      created,
      confirmed: await sent(() => shop.ask('sale.order/action_confirm', { ids: [createdTrips] })),
    }
  }
  try {
    // The first calls read rights and whatever else stays in memory.
    await once(0)
    await once(1)
    // Now and then the server has something of its own to write down in between: the least counts.
    const runs = [await once(2), await once(2), await once(2)]
    const least = (step: 'created' | 'confirmed') =>
      runs.map((run) => run[step]).reduce((a, b) => (b.statements < a.statements ? b : a))
    const created = least('created')
    // Confirming notes the change of state in the thread of the order.
    assert.deepEqual([created.statements, least('confirmed')], [15, { statements: 18, trips: 3 }])
    // Reads that run at the same time may share a round trip.
    assert.ok(created.trips <= 4, `${created.trips} trips`)
  } finally {
    recorder.stop()
  }
})

test('what is known of new lines is what a read gives: their order, their taxes, companies that do not fit', async () => {
  const company_id = await make('res.company', { name: 'Apart' })
  const [tax, hidden, away] = await shop.run(async (env) => {
    const vals = { amount: 10, company_id: 1 }
    const createdTaxes = await env.model('account.tax').create([
      { ...vals, name: 'Late', sequence: 9 },
      { ...vals, name: 'Gone', active: false },
      { ...vals, name: 'Early', sequence: 2 },
    ])
    return createdTaxes.ids as [number, number, number]
  })
  const product_id = await product('Known', 10, { taxes_id: [[6, 0, [tax, hidden, away]]] })
  const partner_id = await make('res.partner', { name: 'Known' })
  const sequences = [30, 10, 20, 10]
  const order_line = sequences.map((sequence) => [0, 0, { product_id, sequence }] as const)
  const id = await shop.run(async (env) => {
    const createdOrder = await env.model('sale.order').create([{ partner_id, order_line } as never])
    const orderRow = await createdOrder.one(['order_line.sequence', 'order_line.tax_ids', 'amount_tax'])
    assert.deepEqual(
      orderRow.order_line.map((line) => line.sequence),
      [10, 10, 20, 30],
    )
    assert.deepEqual(
      orderRow.order_line.map((line) => line.tax_ids.map((tax) => tax.id)),
      sequences.map(() => [away, tax]),
    )
    assert.equal(orderRow.amount_tax, 8)
    return createdOrder.ids[0] as number
  })
  const stored = await linesOf(id, ['sequence', 'tax_ids'])
  assert.deepEqual(
    stored.map((line) => line.tax_ids),
    sequences.map(() => [away, tax]),
  )
  // Nothing fits by being known: another company's product, customer and tax are refused.
  const theirs = {
    product: await product('Theirs', 1, { company_id }),
    partner: await make('res.partner', { name: 'Theirs', company_id }),
  }
  for (const vals of [
    { partner_id, order_line: [[0, 0, { product_id: theirs.product }]] },
    { partner_id: theirs.partner, order_line },
    { partner_id, partner_shipping_id: theirs.partner },
  ])
    assert.equal(await statusOf('admin', 'sale.order/create', { vals_list: [vals] }), 422)
})

test('orders made together have names of their own, in a row', async () => {
  const partner_id = await make('res.partner', { name: 'Twice' })
  const createdOrders = await makeAll('sale.order', [
    { partner_id },
    { partner_id, name: 'MINE' },
    { partner_id },
  ])
  const names = (await shop.ask<Row[]>('sale.order/read', { ids: createdOrders, fields: ['name'] })).map(
    (row) => String(row.name),
  )
  assert.match(names[0] as string, /^S\d{5}$/)
  assert.equal(names[1], 'MINE')
  assert.equal(Number(names[2]?.slice(1)), Number(names[0]?.slice(1)) + 1)
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
  const [ann, anne] = await makeAll('res.partner', [{ name: 'Ann' }, { name: 'Anne', lang: 'fr_FR' }])
  const texts = []
  for (const partner_id of [ann, anne]) {
    const id = await order({ partner_id, order_line: [[0, 0, { product_id: bread }]] })
    texts.push((await linesOf(id, ['name']))[0]?.name)
  }
  assert.deepEqual(texts, ['Bread', 'Pain'])
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
  // Read-only fields may be sent with any value.
  const odd = { client_order_ref: 'Odd', duplicated_order_ids: [null, 7, { id: 'x' }] }
  const request = {
    values: odd,
    field_names: ['client_order_ref'],
    fields_spec: { duplicated_order_ids: {} },
  }
  assert.deepEqual(await ask('sale.order', { ids: [before], ...request }), {
    duplicated_order_ids: [[6, 0, []]],
  })
  // Values that cannot be saved have no answer; users without read access get none either.
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
  const [taxGroup] = await shop.ask<[number]>(`${group}/create`, {
    vals_list: [{ name: 'There', company_id }],
    context,
  })
  const taxVals = {
    name: 'There',
    amount: 30,
    company_id,
    tax_group_id: taxGroup,
    country_id: await shop.run((env) => env.ref('base.us')),
  }
  const [other] = await shop.ask<[number]>('account.tax/create', { vals_list: [taxVals], context })
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
