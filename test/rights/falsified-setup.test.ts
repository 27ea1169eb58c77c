// Attempts by what stands around documents, such as defaults and units, and by what a till sends: amounts
// that count for nothing, change of no cash.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Row, type Till } from '../support/till.ts'
import { assertRefused } from './attempts.ts'

let till: Till
let product = 0
let n = 0

before(async () => {
  till = await openTill(['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock'])
  product = await till.make('product.product', { name: 'Thing', available_in_pos: true, list_price: 10 })
})
after(() => till?.close())

const first = async (model: string, domain: readonly unknown[]) =>
  (await till.ask<number[]>(`${model}/search`, { domain, limit: 1 }))[0] as number

test('set-up: personal defaults and filters stay those of their user', async () => {
  const user = (login: string) => first('res.users', [['login', '=', login]])
  const [clerk, biller] = [await user('clerk'), await user('biller')]
  const field_id = await first('ir.model.fields', [
    ['model', '=', 'account.move'],
    ['name', '=', 'narration'],
  ])
  const preset = { field_id, json_value: '"Pay to me"', user_id: clerk }
  const ids = [await till.make('ir.default', preset, 'clerk')]
  for (const user_id of [false, biller])
    await assertRefused(till, 'clerk', 'ir.default/write', { ids, vals: { user_id } })
  await till.ask('ir.default/write', { ids, vals: { json_value: '"Mine"' } }, 'clerk')
  const [{ user_id } = { user_id: 0 }] = await till.ask<{ user_id: number }[]>('ir.default/read', {
    ...{ ids, fields: ['user_id'], load: null },
  })
  assert.equal(user_id, clerk)
  const filter = await till.make('ir.filters', { name: 'F', model_id: 'res.partner' }, 'clerk')
  const vals = { user_ids: [[6, 0, [biller]]], is_default: true }
  await assertRefused(till, 'clerk', 'ir.filters/write', { ids: [filter], vals })
  await till.ask('ir.filters/write', { ids: [filter], vals: { user_ids: [[6, 0, [clerk]]] } }, 'clerk')
})

test('set-up: files of a posted vendor bill are unchanged', async () => {
  const bill = { move_type: 'in_invoice', partner_id: 1, invoice_date: '2026-05-05' }
  const lines = { invoice_line_ids: [[0, 0, { price_unit: 5 }]] }
  const [id, other] = [
    await till.make('account.move', { ...bill, ...lines }, 'biller'),
    await till.make('account.move', bill, 'biller'),
  ]
  const place = { res_model: 'account.move', res_id: id }
  const file = await till.make('ir.attachment', { name: 'bill.pdf', raw: 'Owed: 5', ...place }, 'biller')
  await till.ask('ir.attachment/write', { ids: [file], vals: { name: 'Bill 5.pdf' } }, 'biller')
  await till.ask('account.move/action_post', { ids: [id] }, 'biller')
  for (const vals of [
    { raw: 'Owed: 50' },
    { datas: 'eA==' },
    { mimetype: 'text/html' },
    { name: 'x' },
    { res_id: other },
    { public: true },
  ])
    for (const person of ['biller', 'admin'] as const)
      await assertRefused(till, person, 'ir.attachment/write', { ids: [file], vals })
  await assertRefused(till, 'biller', 'ir.attachment/unlink', { ids: [file] })
  await till.make('ir.attachment', { name: 'reminder.pdf', raw: 'Owed: 6', ...place }, 'biller')
  await till.ask('account.move/button_draft', { ids: [id] }, 'biller')
  await till.ask('ir.attachment/unlink', { ids: [file] }, 'biller')
})

test('set-up: units and currencies of issued documents keep the values that figures depend on', async () => {
  const each = await till.run((env) => env.ref('uom.product_uom_unit'))
  const box = await till.make('uom.uom', { name: 'Box', relative_factor: 6, relative_uom_id: each })
  const crate = await till.make('uom.uom', { name: 'Crate', relative_factor: 4, relative_uom_id: box })
  const advice = await till.make('product.product', { name: 'Advice', type: 'service' })
  const line = { product_id: advice, product_uom_qty: 2, product_uom_id: crate }
  const order = await till.make('sale.order', { partner_id: 1, order_line: [[0, 0, line]] })
  await till.ask('uom.uom/write', { ids: [box], vals: { relative_factor: 8 } })
  await till.ask('sale.order/action_confirm', { ids: [order] })
  for (const vals of [{ relative_factor: 12 }, { relative_uom_id: false, relative_factor: 1 }])
    for (const unit of [box, crate])
      await assertRefused(till, 'admin', 'uom.uom/write', { ids: [unit], vals })
  await till.ask('uom.uom/write', { ids: [box], vals: { name: 'Big box', relative_factor: 8 } })
  const { currency_id } = await till.read('res.company', 1, ['currency_id'])
  const rounding = (factor: number) => ({ ids: [currency_id], vals: { rounding: factor } })
  await assertRefused(till, 'admin', 'res.currency/write', rounding(1))
  await assertRefused(till, 'admin', 'res.currency/write', { ids: [currency_id], vals: { name: 'XXX' } })
  await till.ask('res.currency/write', rounding(0.01))
})

test('set-up: journals, accounts and companies of posted entries keep the values that these depend on', async () => {
  const entry = { move_type: 'out_invoice', partner_id: 1, invoice_date: '2026-05-05' }
  const id = await till.make('account.move', { ...entry, invoice_line_ids: [[0, 0, { price_unit: 5 }]] })
  await till.ask('account.move/action_post', { ids: [id] })
  const { journal_id, line_ids } = await till.read('account.move', id, ['journal_id', 'line_ids'])
  const items = await till.ask<{ account_id: number }[]>('account.move.line/read', {
    ...{ ids: line_ids, fields: ['account_id'], load: null },
  })
  const other = await till.make('res.currency', { name: 'XTS', symbol: 'x' })
  const refused = (model: string, record: unknown, vals: object) =>
    assertRefused(till, 'admin', `${model}/write`, { ids: [record], vals })
  await refused('account.journal', journal_id, { type: 'general' })
  await refused('account.journal', journal_id, { currency_id: other })
  await till.ask('account.journal/write', { ids: [journal_id], vals: { name: 'Sales', type: 'sale' } })
  const accounts = items.map(({ account_id }) => account_id)
  const owed = await first('account.account', [
    ['id', 'in', accounts],
    ['account_type', '=', 'asset_receivable'],
  ])
  await refused('account.account', owed, { account_type: 'asset_current', reconcile: false })
  await refused('account.account', owed, { currency_id: other })
  const earned = accounts.find((account) => account !== owed)
  await refused('account.account', earned, { account_type: 'asset_receivable', reconcile: true })
  await till.ask('account.account/write', { ids: [earned], vals: { account_type: 'income_other' } })
  // Reconciliation can be switched on at any time. A change of the type switches it off, unless the
  // values switch it on.
  await till.ask('account.account/write', { ids: [earned], vals: { reconcile: true } })
  for (const vals of [{ reconcile: false }, { account_type: 'income' }])
    await refused('account.account', earned, vals)
  const goesOn = { account_type: 'income', reconcile: true }
  await till.ask('account.account/write', { ids: [earned], vals: goesOn })
  await refused('res.company', 1, { currency_id: other })
  const hidden = { ids: [owed], vals: { account_type: 'asset_current' } }
  assert.equal((await till.call('clerk', 'account.account/write', hidden)).status, 403)
})

test('set-up: taxes and tags of posted items stay on them, with what reports gather them by', async () => {
  const tag = await till.make('account.account.tag', { name: 'Grid', applicability: 'taxes' })
  const [rate, free] = [
    await till.make('account.tax', { name: 'Tenth', amount: 10, amount_type: 'percent' }),
    await till.make('account.tax', { name: 'Exempt', amount: 0, amount_type: 'percent' }),
  ]
  const [other] = [await till.make('account.tax', { name: 'Other', amount: 3, amount_type: 'percent' })]
  const { invoice_repartition_line_ids } = await till.read('account.tax', free, [
    'invoice_repartition_line_ids',
  ])
  const vals = { tag_ids: [[6, 0, [tag]]] }
  await till.ask('account.tax.repartition.line/write', { ids: invoice_repartition_line_ids, vals })
  const line = { price_unit: 5, tax_ids: [[6, 0, [rate, free]]] }
  const invoice = { move_type: 'out_invoice', partner_id: 1, invoice_date: '2026-05-05' }
  const id = await till.make('account.move', { ...invoice, invoice_line_ids: [[0, 0, line]] })
  await till.ask('account.move/action_post', { ids: [id] })
  const { line_ids } = await till.read('account.move', id, ['line_ids'])
  const items = () =>
    till.ask<Row[]>('account.move.line/read', {
      ...{ ids: line_ids, fields: ['tax_ids', 'tax_tag_ids', 'tax_repartition_line_id', 'tax_group_id'] },
      load: null,
    })
  const before = await items()
  const part = before.map((item) => item.tax_repartition_line_id).find(Boolean)
  const refused = (path: string, ids: readonly unknown[], more: Row = {}) =>
    assertRefused(till, 'admin', path, { ids, ...more })
  await refused('account.tax/unlink', [free])
  await refused('account.account.tag/unlink', [tag])
  for (const changed of [{ tax_id: other }, { document_type: 'refund' }, { repartition_type: 'base' }])
    await refused('account.tax.repartition.line/write', [part], { vals: changed })
  for (const tax of [rate, free])
    await refused('account.tax/write', [tax], { vals: { type_tax_use: 'purchase' } })
  const group = await till.make('account.tax.group', { name: 'Other' })
  await refused('account.tax/write', [rate], { vals: { tax_group_id: group } })
  await till.ask('account.tax/write', { ids: [rate, free], vals: { active: false, name: 'Old' } })
  await till.ask('account.tax/unlink', { ids: [other] })
  assert.deepEqual(await items(), before)
})

test('set-up: locations of moved goods keep their usage', async () => {
  const goods = await till.make('product.product', { name: 'Goods', is_storable: true })
  const stock = await till.run((env) => env.ref('stock.stock_location_stock'))
  const shelf = await till.make('stock.location', { name: 'Shelf', location_id: stock })
  await till.ask('stock.location/write', { ids: [shelf], vals: { usage: 'transit' } })
  await till.ask('stock.location/write', { ids: [shelf], vals: { usage: 'internal' } })
  const count = { product_id: goods, location_id: shelf, inventory_quantity: 5 }
  const quant = await till.make('stock.quant', count)
  await till.ask('stock.quant/action_apply_inventory', { ids: [quant] })
  for (const usage of ['customer', 'supplier', 'inventory', 'transit'])
    await assertRefused(till, 'admin', 'stock.location/write', { ids: [shelf], vals: { usage } })
  await till.ask('stock.location/write', { ids: [shelf], vals: { usage: 'internal', name: 'Rack' } })
})

test('set-up: stored values that follow from others are set by the server in every model', async () => {
  const other = await till.make('res.company', { name: 'Other' })
  const [partner, stranger] = [
    await till.make('res.partner', { name: 'Ann' }),
    await till.make('res.partner', { name: 'Shop', is_company: true }),
  ]
  const list = await till.make('product.pricelist', { name: 'P', company_id: 1 })
  const rule = { compute_price: 'fixed', fixed_price: 5, pricelist_id: list }
  const item = await till.make('product.pricelist.item', { ...rule, company_id: 1 })
  const euro = await till.make('res.currency', { name: 'XXB', symbol: 'x' })
  const unit = await till.make('uom.uom', { name: 'Tray' })
  const tax = await till.make('account.tax', { name: 'Thirds', amount: 3, amount_type: 'percent' })
  const { invoice_repartition_line_ids } = await till.read('account.tax', tax, [
    'invoice_repartition_line_ids',
  ])
  const [part] = invoice_repartition_line_ids as [number]
  const attempts: readonly (readonly [model: string, id: number, vals: Row])[] = [
    ['res.partner', partner, { commercial_partner_id: stranger }],
    ['product.pricelist.item', item, { company_id: other }],
    ['product.pricelist.item', item, { currency_id: euro }],
    ['res.currency', euro, { decimal_places: 0 }],
    ['uom.uom', unit, { factor: 12 }],
    ['account.tax.repartition.line', part, { company_id: other }],
  ]
  for (const [model, id, vals] of attempts) {
    await assertRefused(till, 'admin', `${model}/write`, { ids: [id], vals })
    const [name] = Object.keys(vals) as [string]
    const row = [String(id), String(vals[name])]
    const many2one = name.endsWith('_id') ? `${name}/.id` : name
    const loaded = await till.ask<{ ids: unknown }>(`${model}/load`, {
      fields: ['.id', many2one],
      data: [row],
    })
    assert.equal(loaded.ids, false, `${model}.${name} was loaded`)
    await till.ask(`${model}/write`, { ids: [id], vals: await till.read(model, id, [name]) })
  }
  const created = (model: string, vals: Row) =>
    assertRefused(till, 'admin', `${model}/create`, { vals_list: [vals] })
  await created('res.partner', { name: 'Bob', commercial_partner_id: stranger })
  await created('product.pricelist.item', { ...rule, company_id: other })
  const vals = { item_ids: [[1, item, { company_id: other }]] }
  await assertRefused(till, 'admin', 'product.pricelist/write', { ids: [list], vals })
  // Names are only shown.
  await till.ask('res.partner/write', { ids: [partner], vals: { complete_name: 'Annie' } })
})

test('falsified setup: delivered and received quantities of goods follow their transfers', async () => {
  const goods = await till.make('product.product', { name: 'Goods', is_storable: true })
  const advice = await till.make('product.product', { name: 'Hour', type: 'service' })
  const both = (more: Row) => [goods, advice].map((product_id) => [0, 0, { product_id, ...more }])
  const [sale, purchase] = [
    await till.make('sale.order', { partner_id: 1, order_line: both({ product_uom_qty: 5 }) }),
    await till.make('purchase.order', { partner_id: 1, order_line: both({ product_qty: 5, price_unit: 1 }) }),
  ]
  await till.ask('sale.order/action_confirm', { ids: [sale] })
  await till.ask('purchase.order/button_confirm', { ids: [purchase] })
  for (const [model, order, quantity] of [
    ['sale.order', sale, 'qty_delivered'],
    ['purchase.order', purchase, 'qty_received'],
  ] as const) {
    const { order_line } = await till.read(model, order, ['order_line'])
    const [moved, typed] = order_line as [number, number]
    const refused = (method: string, body: Row) =>
      assertRefused(till, 'admin', `${method.includes('/') ? '' : `${model}.line/`}${method}`, body)
    await refused('write', { ids: [moved], vals: { [quantity]: 3 } })
    await refused('write', { ids: [moved, typed], vals: { [quantity]: 3 } })
    await refused(`${model}/write`, { ids: [order], vals: { order_line: [[1, moved, { [quantity]: 3 }]] } })
    await refused('create', { vals_list: [{ order_id: order, product_id: goods, [quantity]: 3 }] })
    await refused(`${model}/create`, { vals_list: [{ partner_id: 1, order_line: both({ [quantity]: 3 }) }] })
    await till.ask(`${model}.line/write`, { ids: [moved], vals: { [quantity]: 0 } })
    await till.ask(`${model}.line/write`, { ids: [typed], vals: { [quantity]: 3 } })
  }
  const { order_line } = await till.read('sale.order', sale, ['order_line'])
  const [moved] = order_line as [number]
  const vals = { is_expense: true, qty_delivered: 3 }
  await assertRefused(till, 'admin', 'sale.order.line/write', { ids: [moved], vals })
  await assertRefused(till, 'admin', 'sale.order.line/write', { ids: [moved], vals: { is_expense: true } })
})

const pay = (payment_method_id: number, amount: unknown) => {
  n++
  return [0, 0, { uuid: `by-${n}`, payment_method_id, amount }]
}
function order(more: Row, line: Row = {}): Row {
  n++
  return till.order({ n, lines: [{ product, price: 10, more: line }], more })
}
const sync = (sent: Row) => assertRefused(till, 'cashier', 'pos.order/sync_from_ui', { orders: [sent] })
const draft = async () => {
  const { body } = await till.sync([order({ state: 'draft', payment_ids: [], amount_paid: 0 })])
  return (body as { 'pos.order': [{ id: number }] })['pos.order'][0].id
}

test('set-up: amounts and quantities of orders must be numbers, because texts would bypass checks', async () => {
  for (const amount of ['-100', '500', true, [1], { a: 1 }])
    await sync(order({ payment_ids: [pay(till.cash, 10), pay(till.cash, amount)] }))
  await sync(order({ payment_ids: [pay(till.cash, '-500')], amount_total: 0, amount_paid: 0 }))
  for (const [name, value] of [
    ['qty', '-3'],
    ['price_unit', '-3'],
    ['discount', '100'],
  ] as const)
    await sync(order({}, { [name]: value }))
})

test('set-up: change is given only from paid cash, however an order is paid', async () => {
  const paid = (payment_ids: readonly unknown[]) =>
    order({ payment_ids, amount_paid: 1010, amount_return: -1000 })
  await sync(paid([pay(till.card, 1010)]))
  await sync(paid([pay(till.account, 1010)]))
  await sync(paid([pay(till.cash, 1), pay(till.card, 1009)]))
  const id = await draft()
  for (const payment of [
    { amount: 1010, payment_method_id: till.card },
    { amount: -1000, payment_method_id: till.cash, is_change: true },
  ])
    await till.ask('pos.order/add_payment', { ids: [id], data: payment }, 'cashier')
  await assertRefused(till, 'cashier', 'pos.order/action_pos_order_paid', { ids: [id] })
  const answer = await till.sync([
    order({ payment_ids: [pay(till.cash, 50)], amount_paid: 50, amount_return: -40 }),
  ])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
})

test('set-up: till orders have the years that entries allow', async () => {
  for (const date_order of ['0001-01-01 00:00:00', '1899-12-31 23:59:59', '9999-12-31 23:59:59'])
    await sync(order({ date_order }))
})

test('set-up: numbers written as texts are numbers for modules too, also in lines', async () => {
  const accounts = await till.ask<number[]>('account.account/search', { domain: [], limit: 2 })
  const sides = [{ debit: '100' }, { credit: '100' }]
  const line_ids = sides.map((side, i) => [0, 0, { account_id: accounts[i], ...side }])
  const entry = await till.make('account.move', { move_type: 'entry', line_ids }, 'biller')
  const items = await till.ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', entry]],
    fields: ['debit', 'credit', 'balance'],
    order: 'debit desc',
  })
  assert.deepEqual(
    items.map(({ id: _, ...amounts }) => amounts),
    [
      { debit: 100, credit: 0, balance: 100 },
      { debit: 0, credit: 100, balance: -100 },
    ],
  )
  const single = [[0, 0, { account_id: accounts[0], debit: '100' }]]
  const vals = { move_type: 'entry', line_ids: single }
  const { status, body } = await till.call('biller', 'account.move/create', { vals_list: [vals] })
  const posted =
    status === 200 && (await till.call('biller', 'account.move/action_post', { ids: body as number[] }))
  assert.ok(!posted || posted.status === 422, 'an entry with one side was posted')
  const bill = { move_type: 'in_invoice', partner_id: 1, invoice_date: '2026-05-05' }
  const id = await till.make('account.move', { ...bill, invoice_line_ids: [[0, 0, { price_unit: '50' }]] })
  await till.ask('account.move/action_post', { ids: [id] })
  const context = { active_model: 'account.move', active_ids: [id] }
  const form = await till.ask<number[]>('account.payment.register/create', {
    ...{ vals_list: [{ amount: '5' }], context },
  })
  await till.ask('account.payment.register/action_create_payments', { ids: form })
  assert.equal((await till.read('account.move', id, ['amount_residual'])).amount_residual, 45)
  await assertRefused(till, 'admin', 'account.payment.register/create', {
    ...{ vals_list: [{ amount: 'NaN' }], context },
  })
})

test('set-up: a line of an invoice or a bill is on no account for what its partner owes', async () => {
  const account = (account_type: string) => first('account.account', [['account_type', '=', account_type]])
  const kinds = [
    ['out_invoice', 'asset_receivable'],
    ['in_refund', 'liability_payable'],
  ] as const
  for (const [move_type, kind] of kinds) {
    const [account_id, other] = [await account(kind), await account('expense')]
    const drafted = async (vals: object) => {
      const header = { move_type, partner_id: 1, invoice_date: '2026-05-05' }
      const lines = { invoice_line_ids: [[0, 0, { name: 'L', price_unit: 5, tax_ids: [[5]], ...vals }]] }
      return till.make('account.move', { ...header, ...lines }, 'biller')
    }
    const draft = await drafted({ account_id })
    await assertRefused(till, 'biller', 'account.move/action_post', { ids: [draft] })
    const id = await drafted({ account_id: other })
    await till.ask('account.move/action_post', { ids: [id] }, 'biller')
    const line = await first('account.move.line', [
      ['move_id', '=', id],
      ['display_type', '=', 'product'],
    ])
    const command = { invoice_line_ids: [[1, line, { account_id }]] }
    await assertRefused(till, 'biller', 'account.move.line/write', { ids: [line], vals: { account_id } })
    await assertRefused(till, 'admin', 'account.move/write', { ids: [id], vals: command })
    assert.equal((await till.read('account.move', id, ['payment_state'])).payment_state, 'not_paid')
  }
})
