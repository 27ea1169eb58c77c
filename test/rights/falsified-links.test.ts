// Attempts of dishonest people by links and lists: within orders that tills send, to records of other
// companies, and on what has no document of its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Person, type Row, type Till } from '../support/till.ts'
import { assertRefused } from './attempts.ts'

let till: Till
let product = 0
let number = 0
let company = 0
before(async () => {
  till = await openTill(['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock', 'pos_sale'])
  product = await till.make('product.product', { name: 'Thing', available_in_pos: true, taxes_id: [[5]] })
  company = await till.make('res.company', { name: 'Elsewhere' })
})
after(() => till?.close())

const first = async (model: string, domain: unknown[]) =>
  (await till.ask<number[]>(`${model}/search`, { domain, limit: 1 }))[0] ?? 0
const order = (line: Row, more: Row = {}) =>
  till.order({ n: ++number, lines: [{ product, price: 10, more: line }], more })
const refused = (person: Person, path: string, body: object) => assertRefused(till, person, path, body)
const unsold = (sent: Row) => refused('cashier', 'pos.order/sync_from_ui', { orders: [sent] })

async function synced(sent: Row): Promise<number> {
  const answer = await till.sync([sent])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return (answer.body as { 'pos.order': [{ id: number }] })['pos.order'][0].id
}

test('till orders: link taxes, but neither create nor change them', async () => {
  const tax = await first('account.tax', [
    ['type_tax_use', '=', 'sale'],
    ['company_id', '!=', company],
  ])
  for (const command of [
    [0, 0, { name: 'Nothing', amount: 0 }],
    [1, tax, { amount: 0 }],
    [2, tax, 0],
  ])
    await unsold(order({ tax_ids: [command] }))
  await synced(order({ tax_ids: [[4, tax, 0]] }))
})

test('till orders: add lots, but take none from another order', async () => {
  const sold = await synced(order({ pack_lot_ids: [[0, 0, { lot_name: 'A' }]] }))
  const lot = await first('pos.pack.operation.lot', [['pos_order_line_id.order_id', '=', sold]])
  for (const command of [
    [1, lot, { lot_name: 'B' }],
    [2, lot, 0],
    [4, lot, 0],
    [6, 0, [lot]],
  ]) {
    await unsold(order({ pack_lot_ids: [command] }))
    const draft = order({}, { state: 'draft', payment_ids: [], amount_paid: 0 })
    await synced(draft)
    const [[, , line]] = draft.lines as [[number, number, Row]]
    await unsold({ ...draft, lines: [[0, 0, { ...line, pack_lot_ids: [command] }]] })
  }
})

test('till orders: are not linked to entries by the till', async () => {
  const entry = await till.make('account.move', { move_type: 'entry' })
  for (const command of [
    [0, 0, { move_type: 'entry' }],
    [4, entry, 0],
    [1, entry, { ref: 'x' }],
  ])
    await unsold(order({}, { reversed_move_ids: [command] }))
})

test('companies: a record keeps its company while documents of the company refer to it', async () => {
  const thing = { name: 'Tracked', is_storable: true, tracking: 'lot' }
  const tracked = await till.make('product.product', thing)
  const place = await first('stock.location', [
    ['usage', '=', 'internal'],
    ['company_id', '!=', company],
  ])
  const lot = await till.make('stock.lot', { name: 'L', product_id: tracked })
  const pack = await till.make('stock.package', { name: 'P' })
  const journal = await first('account.journal', [
    ['type', '=', 'sale'],
    ['company_id', '!=', company],
  ])
  const tax = await first('account.tax', [['type_tax_use', '=', 'sale']])
  const partner = await till.make('res.partner', { name: 'Somebody' })
  const entry = await till.make('account.move', {
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_date: '2026-05-05',
    invoice_line_ids: [[0, 0, { product_id: tracked, price_unit: 5, tax_ids: [[6, 0, [tax]]] }]],
  })
  await till.ask('account.move/action_post', { ids: [entry] })
  const counted = { product_id: tracked, location_id: place, lot_id: lot, package_id: pack }
  const quant = await till.make('stock.quant', { ...counted, inventory_quantity: 5 })
  await till.ask('stock.quant/action_apply_inventory', { ids: [quant] })
  for (const [model, id] of [
    ['account.journal', journal],
    ['account.tax', tax],
    ['stock.lot', lot],
    ['stock.package', pack],
    ['stock.location', place],
    ['product.product', tracked],
    ['product.template', (await till.read('product.product', tracked, ['product_tmpl_id'])).product_tmpl_id],
  ] as const)
    await refused('admin', `${model}/write`, { ids: [id], vals: { company_id: company } })
})

test('companies: an unreferenced record may move to another company', async () => {
  const place = await till.make('stock.location', { name: 'New', usage: 'internal' })
  await till.ask('stock.location/write', { ids: [place], vals: { company_id: company } })
  assert.equal((await till.read('stock.location', place, ['company_id'])).company_id, company)
})

test('journal items: are matched by reconciliation only', async () => {
  const [debit, credit] = [
    await first('account.move.line', [['debit', '>', 0]]),
    await first('account.move.line', [['credit', '>', 0]]),
  ]
  const match = { debit_move_id: debit, credit_move_id: credit, amount: 5 }
  const invoice = { move_type: 'out_invoice', invoice_date: '2026-05-05', partner_id: 1 }
  const again = await till.make('account.move', { ...invoice, invoice_line_ids: [[0, 0, { price_unit: 5 }]] })
  await till.ask('account.move/action_post', { ids: [again] })
  const [credited = 0] = await till.ask<number[]>('account.move.reversal/create', {
    vals_list: [
      {
        move_ids: [[6, 0, [again]]],
        journal_id: (await till.read('account.move', again, ['journal_id'])).journal_id,
      },
    ],
    context: { active_model: 'account.move', active_ids: [again] },
  })
  await till.ask('account.move.reversal/modify_moves', { ids: [credited] })
  const partial = await first('account.partial.reconcile', [])
  assert.ok(partial, 'nothing was matched')
  for (const person of ['biller', 'admin'] as const) {
    await refused(person, 'account.partial.reconcile/create', { vals_list: [match] })
    for (const vals of [{ amount: 1 }, { debit_move_id: credit }, { max_date: '2020-01-01' }])
      await refused(person, 'account.partial.reconcile/write', { ids: [partial], vals })
  }
})

test('scrap: stays done, and needs a scrap location', async () => {
  const [stock, lost, customers] = [
    await first('stock.location', [
      ['usage', '=', 'internal'],
      ['company_id', '!=', company],
    ]),
    await first('stock.location', [
      ['usage', '=', 'inventory'],
      ['company_id', '!=', company],
    ]),
    await first('stock.location', [['usage', '=', 'customer']]),
  ]
  const goods = { product_id: product, scrap_qty: 1 }
  const scrap = await till.make('stock.scrap', { ...goods, location_id: stock, scrap_location_id: lost })
  await till.ask('stock.scrap/do_scrap', { ids: [scrap] })
  for (const vals of [
    { scrap_qty: 5 },
    { state: 'draft' },
    { product_id: 1 },
    { location_id: customers },
    { company_id: company },
    { date_done: '2020-01-01 00:00:00' },
    { origin: 'x' },
  ])
    await refused('admin', 'stock.scrap/write', { ids: [scrap], vals })
  await refused('admin', 'stock.scrap/unlink', { ids: [scrap] })
  await refused('admin', 'stock.scrap/create', { vals_list: [{ ...goods, state: 'done' }] })
  const back = { ...goods, location_id: customers, scrap_location_id: stock }
  const wrong = await till.make('stock.scrap', back)
  await refused('admin', 'stock.scrap/do_scrap', { ids: [wrong] })
  await refused('admin', 'stock.scrap/action_validate', { ids: [wrong] })
})

test('stock moves: one added to a done transfer does not reopen it', async () => {
  const [type, from, to] = [
    await first('stock.picking.type', [
      ['code', '=', 'incoming'],
      ['company_id', '!=', company],
    ]),
    await first('stock.location', [['usage', '=', 'supplier']]),
    await first('stock.location', [
      ['usage', '=', 'internal'],
      ['company_id', '!=', company],
    ]),
  ]
  const move = { product_id: product, product_uom_qty: 2, location_id: from, location_dest_id: to }
  const places = { picking_type_id: type, location_id: from, location_dest_id: to }
  const picking = await till.make('stock.picking', { ...places, move_ids: [[0, 0, move]] })
  await till.ask('stock.picking/action_confirm', { ids: [picking] })
  const { move_ids } = await till.read('stock.picking', picking, ['move_ids'])
  await till.ask('stock.move/write', { ids: move_ids, vals: { quantity: 2, picked: true } })
  await till.ask('stock.picking/button_validate', { ids: [picking] })
  await till.make('stock.move', { ...move, picking_id: picking })
  for (const vals of [
    { partner_id: 1 },
    { location_dest_id: from },
    { origin: 'x' },
    { scheduled_date: '2020-01-01 00:00:00' },
    { picking_type_id: type + 1 },
  ])
    await refused('admin', 'stock.picking/write', { ids: [picking], vals })
  await refused('admin', 'stock.picking/unlink', { ids: [picking] })
})

test('falsified links: a form is read, changed and executed by its user only', async () => {
  const invoice = await first('account.move', [
    ['move_type', '=', 'out_invoice'],
    ['payment_state', '=', 'not_paid'],
  ])
  const [form = 0] = await till.ask<number[]>(
    'account.payment.register/create',
    { vals_list: [{}], context: { active_model: 'account.move', active_ids: [invoice] } },
    'biller',
  )
  await refused('admin', 'account.payment.register/write', { ids: [form], vals: { amount: 1 } })
  await refused('admin', 'account.payment.register/read', { ids: [form], fields: ['amount'] })
  await refused('admin', 'account.payment.register/action_create_payments', { ids: [form] })
  await refused('admin', 'account.payment.register/unlink', { ids: [form] })
  await till.ask('account.payment.register/action_create_payments', { ids: [form] }, 'biller')
})

test('journal entries: one with a year outside the range of numbers is not posted', async () => {
  for (const day of ['0001-01-01', '9999-12-31']) {
    const entry = { move_type: 'out_invoice', partner_id: 1, invoice_date: day, date: day }
    const id = await till.make('account.move', { ...entry, invoice_line_ids: [[0, 0, { price_unit: 5 }]] })
    await refused('biller', 'account.move/action_post', { ids: [id] })
  }
})

test('purchase orders: a confirmed one does not grow past the approval limit', async () => {
  const limit = { po_double_validation: 'two_step', po_double_validation_amount: 100 }
  await till.ask('res.company/write', { ids: [1], vals: limit })
  await till.ask('res.users/write', {
    ids: [await first('res.users', [['login', '=', 'clerk']])],
    vals: { group_ids: [[4, await till.run((env) => env.ref('purchase.group_purchase_user')), 0]] },
  })
  const line = { product_id: product, product_qty: 1, price_unit: 5 }
  const id = await till.make('purchase.order', { partner_id: 1, order_line: [[0, 0, line]] }, 'clerk')
  await till.ask('purchase.order/button_confirm', { ids: [id] }, 'clerk')
  const { order_line, state } = await till.read('purchase.order', id, ['order_line', 'state'])
  assert.equal(state, 'purchase')
  const [agreed] = order_line as [number]
  await refused('clerk', 'purchase.order.line/write', { ids: [agreed], vals: { price_unit: 500 } })
  await refused('clerk', 'purchase.order/write', {
    ids: [id],
    vals: { order_line: [[1, agreed, { product_qty: 100 }]] },
  })
  await refused('clerk', 'purchase.order.line/create', {
    vals_list: [{ ...line, order_id: id, price_unit: 500 }],
  })
  const position = await till.make('account.fiscal.position', { name: 'Abroad' })
  const tax = (name: string, amount: number, more = {}) =>
    till.make('account.tax', { name, amount, type_tax_use: 'purchase', ...more })
  const home = await tax('Home 0', 0)
  await tax('Abroad 900', 900, {
    fiscal_position_ids: [[6, 0, [position]]],
    original_tax_ids: [[6, 0, [home]]],
  })
  const goods = await till.make('product.product', { name: 'Taxed', supplier_taxes_id: [[6, 0, [home]]] })
  const taxed = await till.make(
    'purchase.order',
    { partner_id: 1, order_line: [[0, 0, { product_id: goods, price_unit: 50 }]] },
    'clerk',
  )
  await till.ask('purchase.order/button_confirm', { ids: [taxed] }, 'clerk')
  await refused('clerk', 'purchase.order/write', {
    ids: [taxed],
    vals: { fiscal_position_id: position },
  })
  const many = { ...line, product_qty: 100 }
  const draft = await till.make('purchase.order', { partner_id: 1, order_line: [[0, 0, many]] }, 'clerk')
  const { order_line: drafted } = await till.read('purchase.order', draft, ['order_line'])
  await refused('clerk', 'purchase.order.line/write', { ids: drafted, vals: { order_id: id } })
  await till.ask('purchase.order.line/write', { ids: [agreed], vals: { price_unit: 50 } }, 'clerk')
  await till.ask('purchase.order.line/write', { ids: [agreed], vals: { price_unit: 500 } })
  await till.ask('purchase.order.line/write', { ids: [agreed], vals: { price_unit: 400 } }, 'clerk')
})
