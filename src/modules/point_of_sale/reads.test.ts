// Data that tills load, changes since, and reports of a day, over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bothForms } from '../../../test/support/both-forms.ts'
import { pngOf } from '../../../test/support/png.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { openTill, type Row, type Till } from '../../../test/support/till.ts'

let till: Till
before(async () => {
  till = await openTill(['sales_team', 'sale', 'sale_stock', 'pos_sale'])
})
after(() => till?.close())

interface Changes {
  readonly version: string
  readonly complete: boolean
  readonly unchanged: boolean
  readonly models: Readonly<Record<string, Row[]>>
  readonly gone: Readonly<Record<string, number[]>>
}

test('load_changes: reports changed rows, links, lines and removals since the version, and nothing without changes', async () => {
  const tax = await till.make('account.tax', { name: 'Seven', amount: 7 })
  const tag = await till.make('product.tag', { name: 'Green' })
  const [tea, milk, jam] = (await till.ask<number[]>('product.template/create', {
    vals_list: ['Tea', 'Milk', 'Jam'].map((name) => ({ name, available_in_pos: true })),
  })) as [number, number, number]
  const models_to_load = ['product.template', 'product.product', 'product.tag']
  const changes = (version: string | false) =>
    till.ask<Changes>('pos.session/load_changes', { ids: [till.session], models_to_load, version }, 'cashier')
  const ids = (response: Changes, model: string) => (response.models[model] ?? []).map(({ id }) => id)
  const first = await changes(false)
  assert.ok(first.complete && ids(first, 'product.template').includes(tea))
  const still = await changes(first.version)
  assert.deepEqual([still.complete, still.unchanged, still.models['product.template']], [false, true, []])
  await till.ask('product.template/write', { ids: [tea], vals: { list_price: 7, taxes_id: [[4, tax]] } })
  await till.ask('product.template/write', { ids: [milk], vals: { active: false } })
  await till.ask('product.tag/unlink', { ids: [tag] })
  const second = await changes(still.version)
  assert.deepEqual(
    [second.complete, second.unchanged, ids(second, 'product.template')],
    [false, false, [tea]],
  )
  const [row] = second.models['product.template'] as [Row]
  assert.deepEqual([row.list_price, (row.taxes_id as number[]).includes(tax)], [7, true])
  assert.deepEqual(
    second.models['product.product']?.map(({ lst_price }) => lst_price),
    [7],
  )
  assert.deepEqual([second.gone['product.template'], second.gone['product.tag']], [[milk], [tag]])
  // Values that follow a row of another table, without a change of their own.
  const variants = await till.ask<number[]>('product.product/search', {
    domain: [['product_tmpl_id', '=', jam]],
  })
  await till.ask('product.product/write', { ids: variants, vals: { barcode: 'JAM' } })
  const third = await changes(second.version)
  assert.deepEqual([ids(third, 'product.template'), ids(third, 'product.product')], [[jam], variants])
  await till.ask('product.template/write', { ids: [jam], vals: { available_in_pos: false } })
  const fourth = await changes(third.version)
  assert.deepEqual(fourth.gone, { 'product.template': [jam], 'product.product': variants })
  // A product that is no longer sold loses its attribute lines too, and an archived tax is not reported.
  const config = [till.config]
  const categ = await till.make('pos.category', { name: 'Only these' })
  const only = { limit_categories: true, iface_available_categ_ids: [[6, 0, [categ]]] }
  await till.ask('pos.config/write', { ids: config, vals: only })
  assert.equal((await changes(fourth.version)).complete, true, 'what is sold follows the point of sale')
  await till.ask('pos.config/write', { ids: config, vals: { limit_categories: false } })
  await till.ask('account.tax/write', { ids: [tax], vals: { active: false } })
  const fifth = await changes(fourth.version)
  const untaxed = fifth.models['product.template']?.find(({ id }) => id === tea) as Row
  assert.deepEqual([fifth.complete, (untaxed.taxes_id as number[]).includes(tax)], [false, false])
  const elsewhere = fourth.version.replace(/[0-9a-f]{12}(?=\.[^.]+\.[^.]+$)/, '000000000000')
  assert.equal((await changes(elsewhere)).complete, true)
  const wrong = { ids: [till.session], models_to_load: [], version: 'x' }
  assert.equal((await till.call('cashier', 'pos.session/load_changes', wrong)).status, 422)
})

test('load_data: answers 304 until goods, prices, allowed products or the session change', async () => {
  const load = (tag?: string, person: 'cashier' | 'boss' = 'cashier', context = {}) => {
    const body = { ids: [till.session], models_to_load: [], context }
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag }
    return till.call(person, 'pos.session/load_data', body, { headers })
  }
  const tagOf = ({ headers }: { headers: Headers }) => String(headers.get('etag'))
  const first = await load()
  const tag = tagOf(first)
  assert.match(tag, /^W\/"[\w.-]+"$/)
  const again = await load(`"other", ${tag}`)
  assert.deepEqual([again.status, tagOf(again).length > 0], [304, true])
  const few = await statementsOf(() => load(tag))
  assert.ok(few.length <= 30, `${few.length} statements to say that nothing changed`)
  for (const [person, context] of [
    ['boss', {}],
    ['cashier', { active_test: false }],
  ] as const)
    assert.equal((await load(tag, person, context)).status, 200, 'of somebody else, or asked otherwise')
  assert.equal(
    (
      await till.call(
        'clerk',
        'pos.session/load_data',
        { ids: [till.session], models_to_load: [] },
        { headers: { 'if-none-match': tag } },
      )
    ).status,
    403,
  )
  // Each of these changes what is loaded, some of them without a change of the rows that are.
  const categ = await till.make('pos.category', { name: 'Hot' })
  const tax = await till.make('account.tax', { name: 'Gone soon', amount: 3 })
  const ids = await till.ask<number[]>('product.template/create', {
    vals_list: [
      { name: 'Soup', available_in_pos: true, taxes_id: [[6, 0, [tax]]], pos_categ_ids: [[6, 0, [categ]]] },
    ],
  })
  const config = [till.config]
  const steps: readonly (readonly [string, object])[] = [
    ['product.template/write', { ids, vals: { list_price: 3 } }],
    ['account.tax/write', { ids: [tax], vals: { active: false } }],
    [
      'pos.category/write',
      { ids: [categ], vals: { image_128: pngOf(4, 4, () => [1, 2, 3]).toString('base64') } },
    ],
    [
      'pos.config/write',
      { ids: config, vals: { limit_categories: true, iface_available_categ_ids: [[6, 0, [categ]]] } },
    ],
    [
      'pos.config/write',
      { ids: config, vals: { limit_categories: false, iface_available_categ_ids: [[5]] } },
    ],
    ['pos.session/write', { ids: [till.session], vals: { opening_notes: 'Late' } }],
  ]
  let firstTag = tagOf(await load())
  for (const [path, body] of steps) {
    assert.equal((await load(firstTag)).status, 304, `before ${path}`)
    await till.ask(path, body)
    const answer = await load(firstTag)
    assert.equal(answer.status, 200, `${path} ${JSON.stringify(body)}`)
    firstTag = tagOf(answer)
  }
  const off = await till.call('cashier', 'pos.session/load_changes', {
    ids: [till.session],
    models_to_load: [],
    version: firstTag.slice(3, -1),
  })
  assert.equal((off.body as Changes).unchanged, true, 'the tag is a version to ask for changes with')
})

test('what a till loads takes as many statements for many products as for few, and names pictures by address', async () => {
  const body = { ids: [till.session], models_to_load: [] }
  const load = () => till.ask<Record<string, Row[]>>('pos.session/load_data', body, 'cashier')
  await load()
  // Scheduled statements of the server may come in between, but not twice.
  const counted = async () => Math.min((await statementsOf(load)).length, (await statementsOf(load)).length)
  const few = await counted()
  const vals_list = Array.from({ length: 60 }, (_, n) => ({ name: `Many ${n}`, available_in_pos: true }))
  const [pictured] = await till.ask<number[]>('product.template/create', { vals_list })
  const image_1920 = pngOf(4, 4, () => [9, 9, 9]).toString('base64')
  await till.ask('product.template/write', { ids: [pictured], vals: { image_1920 } })
  const many = await counted()
  assert.ok(many <= few && many <= 72, `${many} statements for many products, ${few} for few`)
  const templates = (await load())['product.template'] ?? []
  const address = String(templates.find((template) => template.id === pictured)?.image_128)
  assert.match(address, new RegExp(`^/web/image/product.template/${pictured}/image_128\\?unique=\\w+$`))
  assert.equal((await till.get('cashier', address)).headers.get('content-type'), 'image/png')
  assert.equal(templates.filter((template) => template.image_128).length, 1)
})

test('Z report: a day as JSON and as PDF; sales are grouped by hour, product, cashier and method', async () => {
  const tax = await till.make('account.tax', { name: 'Ten', amount: 10 })
  const categ = await till.make('pos.category', { name: 'Drinks' })
  const product = await till.make('product.product', {
    name: 'Cola',
    standard_price: 4,
    available_in_pos: true,
    pos_categ_ids: [[6, 0, [categ]]],
  })
  const taxed = { tax_ids: [[6, 0, [tax]]], price_unit: 10 }
  const sold = (n: number, qty: number, method: number, more: Row = {}) =>
    till.order({
      n,
      method,
      lines: [{ product, qty, price: 11, more: { ...taxed, price_subtotal: 10 * qty } }],
      more: { amount_tax: qty, ...more },
    })
  const { body } = await till.sync([sold(1, 2, till.cash), sold(2, 1, till.card)])
  const [line] = (body as { 'pos.order.line': [{ id: number }] })['pos.order.line']
  const back = till.order({
    n: 3,
    lines: [
      {
        product,
        qty: -1,
        price: 11,
        more: { ...taxed, price_subtotal: -10, refunded_orderline_id: line.id },
      },
    ],
    more: { amount_tax: -1, date_order: '2026-05-05 12:30:00' },
  })
  assert.equal((await till.sync([back])).status, 200)
  const ids = [till.session]
  const ask = (person: 'cashier' | 'boss') =>
    till.ask<[Row]>('pos.session/get_z_report', { ids, context: { tz: 'Europe/Brussels' } }, person)
  const [seen] = await ask('cashier')
  assert.equal(seen.margin, false)
  const [answer] = await ask('boss')
  assert.deepEqual(
    [answer.orders, answer.refunds, answer.sold, answer.refunded, answer.total, answer.tax, answer.margin],
    [3, 1, 33, -11, 22, 2, 12],
  )
  assert.deepEqual(answer.taxes, [{ name: 'Ten', base: 20, tax: 2 }])
  assert.deepEqual(answer.payments, [
    { name: 'Cash', count: 2, total: 11 },
    { name: 'Card', count: 1, total: 11 },
  ])
  assert.deepEqual(answer.categories, [{ name: 'Drinks', count: 3, total: 22 }])
  assert.deepEqual(answer.cashiers, [{ name: 'cashier', count: 3, total: 22 }])
  assert.deepEqual(answer.hours, [
    { name: '12:00', count: 2, total: 33 },
    { name: '14:00', count: 1, total: -11 },
  ])
  assert.deepEqual(answer.cash, { opening: 0, paid: 11, moved: 0, expected: 11, counted: 0, difference: 0 })
  const paper = await till.get('cashier', `/report/pdf/point_of_sale.report_session/${till.session}`)
  assert.equal(paper.headers.get('content-type'), 'application/pdf')
  const page = await till.get('boss', `/report/html/point_of_sale.report_session/${till.session}`)
  assert.match(await page.text(), /Z report.*Ten.*Drinks/s)
  assert.equal(
    (await till.get('clerk', `/report/pdf/point_of_sale.report_session/${till.session}`)).status,
    403,
  )
  const groups = async (by: string) =>
    (
      await till.ask<Row[]>('report.pos.order/formatted_read_group', {
        domain: [['session_id', 'in', ids]],
        groupby: [by],
        aggregates: ['price_total:sum', 'margin:sum'],
      })
    ).map((row) => [row[by], row['price_total:sum'], row['margin:sum']])
  assert.deepEqual(await groups('order_hour'), [
    [10, 33, 18],
    [12, -11, -6],
  ])
  const named = (rows: unknown[][]) => rows.map(([of, ...rest]) => [(of as [number, string])[1], ...rest])
  assert.deepEqual(named(await groups('product_id')), [['Cola', 22, 12]])
  assert.deepEqual(named(await groups('user_id')), [['cashier', 22, 12]])
  assert.deepEqual(named(await groups('payment_method_id')), [
    ['Cash', 11, 6],
    ['Card', 11, 6],
  ])
})

test('a quotation settled at a till is confirmed, its delivery cut; what comes back there counts, and deposits are taken off the invoice', async () => {
  const customer = await till.make('res.partner', { name: 'Ann' })
  const product = await till.make('product.product', {
    name: 'Desk',
    list_price: 100,
    is_storable: true,
    invoice_policy: 'order',
    available_in_pos: true,
    taxes_id: [[5]],
  })
  const quote = (qty: number) =>
    till.make('sale.order', {
      partner_id: customer,
      order_line: [[0, 0, { product_id: product, product_uom_qty: qty, price_unit: 100, tax_ids: [[5]] }]],
    })
  const lineOf = async (id: number) =>
    ((await till.read('sale.order', id, ['order_line'])).order_line as number[])[0] as number
  const sync = async (n: number, line: object, qty: number, price: number, of = product) => {
    const lines = [{ product: of, qty, price, more: line }]
    const answer = await till.sync([till.order({ n, lines, more: { partner_id: customer } })])
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.body as { 'pos.order.line': [{ id: number }] })['pos.order.line'].at(-1)?.id
  }
  const settled = await quote(5)
  const line = await lineOf(settled)
  const origin = { sale_order_origin_id: settled, sale_order_line_id: line }
  const stands = async () => {
    const order = await till.read('sale.order', settled, ['state', 'amount_unpaid'])
    const { qty_delivered, qty_invoiced } = await till.read('sale.order.line', line, [
      'qty_delivered',
      'qty_invoiced',
    ])
    return [order.state, order.amount_unpaid, qty_delivered, qty_invoiced]
  }
  const sold = await sync(10, origin, 3, 100)
  assert.deepEqual(await stands(), ['sale', 200, 3, 3])
  const [waiting] = await till.ask<Row[]>('stock.move/search_read', {
    domain: [
      ['sale_line_id', '=', line],
      ['state', 'not in', ['done', 'cancel']],
    ],
    fields: ['product_uom_qty'],
  })
  assert.equal(waiting?.product_uom_qty, 2)
  await sync(11, { ...origin, refunded_orderline_id: sold }, -1, 100)
  assert.deepEqual(await stands(), ['sale', 300, 2, 2])
  const deposit = await till.run((env) => env.ref('pos_sale.default_downpayment_product'))
  await till.ask('pos.config/write', { ids: [till.config], vals: { down_payment_product_id: deposit } })
  const later = await quote(1)
  await sync(12, { sale_order_origin_id: later }, 1, 30, deposit)
  assert.deepEqual(await till.read('sale.order', later, ['state', 'amount_unpaid']), {
    id: later,
    state: 'sale',
    amount_unpaid: 70,
  })
  const context = { active_model: 'sale.order', active_ids: [later], active_id: later }
  const [form] = await till.ask<[number]>('sale.advance.payment.inv/create', {
    vals_list: [{ advance_payment_method: 'delivered' }],
    context,
  })
  await till.ask('sale.advance.payment.inv/create_invoices', { ids: [form], context })
  const { invoice_ids } = await till.read('sale.order', later, ['invoice_ids'])
  const [invoice] = invoice_ids as [number]
  assert.equal((await till.read('account.move', invoice, ['amount_total'])).amount_total, 70)
})

test('pos.order: the fields that a till gets are the same by SQL and by code', async () => {
  const { compared, different } = await till.run((env) => bothForms(env, env.def('pos.order')))
  assert.deepEqual(different, [])
  for (const name of [
    'margin',
    'margin_percent',
    'refund_orders_count',
    'has_refundable_lines',
    'picking_count',
  ])
    assert.ok(compared.includes(`pos.order.${name}`), `${name} was not compared`)
})
