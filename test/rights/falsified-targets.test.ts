// Attempts to read records of other companies by links that the caller sets: forms and documents show values
// of what they name.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'
import { type Row, type Till, tillOver } from '../support/till.ts'

const people = {
  cashier: ['point_of_sale.group_pos_user'],
  boss: ['point_of_sale.group_pos_manager'],
  biller: ['account.group_account_invoice'],
  clerk: ['base.group_partner_manager'],
  stocker: ['stock.group_stock_user'],
  buyer: ['purchase.group_purchase_user'],
} as const

let office: Office<keyof typeof people>
let till: Till
let elsewhere = 0
let move = 0
let hiddenPartner = 0
before(async () => {
  office = await openOffice(
    ['base', 'mail', 'uom', 'product', 'account', 'stock', 'point_of_sale', 'sale', 'purchase_stock'],
    people,
  )
  till = await tillOver(office)
  elsewhere = await till.make('res.company', { name: 'Elsewhere' })
  await office.run(async (env) => {
    const [admin] = (await env.model('res.users').search([['login', '=', 'admin']])).ids
    await env
      .model('res.users')
      .browse([admin as number])
      .write({ company_ids: [[4, elsewhere]] })
  })
  const thing = await till.make('product.product', { name: 'Secret', company_id: elsewhere })
  const places = await till.ask<number[]>('stock.location/search', {
    domain: [
      ['company_id', '=', elsewhere],
      ['usage', '=', 'internal'],
    ],
    context: { allowed_company_ids: [elsewhere] },
  })
  const lost = await till.ask<number[]>('stock.location/search', { domain: [['usage', '=', 'supplier']] })
  const [moveId = 0] = await till.ask<number[]>('stock.move/create', {
    vals_list: [
      {
        product_id: thing,
        product_uom_qty: 7,
        location_id: lost[0],
        location_dest_id: places[0],
        company_id: elsewhere,
      },
    ],
    context: { allowed_company_ids: [elsewhere] },
  })
  move = moveId
  hiddenPartner = await till.make('res.partner', {
    name: 'Hidden buyer',
    company_id: elsewhere,
    city: 'Nowhere',
  })
})
after(() => office?.close())

const respond = async (person: keyof typeof people | 'admin', path: string, body: object) => {
  const { status, body: answer } = await office.call(person, path, body)
  return { status, words: JSON.stringify(answer) }
}

test('links of forms: a line about a move of another company is refused, in lists and changes too', async () => {
  const product = await till.make('product.product', { name: 'Thing' })
  const line = { move_id: move, product_id: product }
  const create = (model: string, vals: Row) => respond('stocker', `${model}/create`, { vals_list: [vals] })
  assert.equal((await create('stock.return.picking.line', line)).status, 403)
  assert.equal(
    (
      await respond('stocker', 'stock.return.picking.line/create', {
        vals_list: [{ product_id: product }],
        context: { default_move_id: move },
      })
    ).status,
    403,
  )
  const [ids] = [
    await office.call('stocker', 'stock.return.picking.line/create', {
      vals_list: [{ product_id: product }],
    }),
  ]
  assert.equal(ids.status, 200, JSON.stringify(ids.body))
  const write = { ids: ids.body, vals: { move_id: move } }
  assert.equal((await respond('stocker', 'stock.return.picking.line/write', write)).status, 403)
  const changed = await respond('stocker', 'stock.return.picking.line/onchange', {
    ids: ids.body,
    values: { move_id: move },
    field_names: ['move_id'],
    fields_spec: { uom_id: { fields: { display_name: {} } }, move_quantity: {} },
  })
  assert.equal(changed.status, 403)
  const rows = { fields: ['product_id/.id', 'move_id/.id'], data: [[String(product), String(move)]] }
  const loaded = await office.call('stocker', 'stock.return.picking.line/load', rows)
  assert.equal((loaded.body as { ids?: unknown }).ids ?? false, false, JSON.stringify(loaded.body))
})

test('links of documents: a contact of another company is no parent, whose address a contact would show', async () => {
  const vals = { name: 'Child', parent_id: hiddenPartner, type: 'contact' }
  assert.equal((await respond('clerk', 'res.partner/create', { vals_list: [vals] })).status, 403)
  const partner = await till.make('res.partner', { name: 'Somebody' }, 'clerk')
  const write = { ids: [partner], vals: { parent_id: hiddenPartner } }
  assert.equal((await respond('clerk', 'res.partner/write', write)).status, 403)
  await till.ask('res.partner/write', write)
  assert.equal((await respond('clerk', 'res.partner/write', write)).status, 200, 'it is no change')
})

test('links of documents: an id that no record can have is refused by its name, as by other links', async () => {
  const partner = await till.make('res.partner', { name: 'Anybody' }, 'clerk')
  const vals = { parent_id: 99_999_999_999 }
  const refused = /The record 99999999999 given for res.partner.parent_id does not exist/
  for (const person of ['clerk', 'admin'] as const)
    assert.match((await respond(person, 'res.partner/write', { ids: [partner], vals })).words, refused)
  const id = 99_999_999_999
  const child = { name: 'Child', parent_id: id }
  for (const [model, values, link] of [
    ['res.partner', child, 'res.partner.parent_id'],
    ['res.partner', { ...child, parent_id: String(id) }, 'res.partner.parent_id'],
    ['res.partner', { name: 'Parent', child_ids: [[0, 0, child]] }, 'res.partner.parent_id'],
    ['res.partner', { name: 'Parent', child_ids: [[4, id]] }, 'res.partner.child_ids'],
    ['res.partner', { name: 'Tagged', category_id: [[6, 0, [id]]] }, 'res.partner.category_id'],
    ['res.partner.bank', { acc_number: '1', partner_id: id }, 'res.partner.bank.partner_id'],
  ] as const) {
    const { status, words } = await respond('clerk', `${model}/create`, { vals_list: [values] })
    assert.ok(status === 422 && words.includes(`The record ${id} given for ${link} does not exist`), words)
  }
})

test('links of documents: none shows the name or the address of a contact of another company', async () => {
  const somebody = await till.make('res.partner', { name: 'Anybody' })
  const product_id = await till.make('product.product', { name: 'Thing' })
  const places = await till.ask<number[]>('stock.location/search', {
    domain: [['usage', 'in', ['supplier', 'customer']]],
    limit: 2,
  })
  const [location_id, location_dest_id] = places
  const invoice = { move_type: 'out_invoice', partner_id: somebody }
  const moved = { product_id, product_uom_qty: 1, location_id, location_dest_id }
  const sums = { amount_total: 0, amount_tax: 0, amount_paid: 0, amount_return: 0 }
  for (const [person, model, vals, link] of [
    ['biller', 'account.move', invoice, 'partner_shipping_id'],
    ['stocker', 'stock.move', moved, 'partner_id'],
    ['cashier', 'pos.order', { session_id: till.session, ...sums }, 'partner_id'],
  ] as const) {
    const create = (values: Row) => respond(person, `${model}/create`, { vals_list: [values] })
    const refusal = await create({ ...vals, [link]: hiddenPartner })
    assert.equal(refusal.status, 403, `${model} ${refusal.words}`)
    const created = await create({ ...vals, [link]: somebody })
    assert.equal(created.status, 200, `${model} ${created.words}`)
    const write = { ids: JSON.parse(created.words), vals: { [link]: hiddenPartner } }
    assert.equal((await respond(person, `${model}/write`, write)).status, 403, model)
  }
})

test('lists of closed documents: commands that say what the list is are no change', async () => {
  const tax = await till.make('account.tax', { name: 'T', amount: 5 })
  const invoice = await till.make('account.move', {
    move_type: 'out_invoice',
    partner_id: 1,
    invoice_date: '2026-05-05',
    invoice_line_ids: [[0, 0, { name: 'x', price_unit: 5, tax_ids: [[6, 0, [tax]]] }]],
  })
  await till.ask('account.move/action_post', { ids: [invoice] })
  const { invoice_line_ids: ids } = await till.read('account.move', invoice, ['invoice_line_ids'])
  const write = (command: unknown[]) =>
    respond('biller', 'account.move.line/write', { ids, vals: { tax_ids: [command] } })
  for (const command of [
    [6, 0, [tax]],
    [4, tax],
  ])
    assert.equal((await write(command)).status, 200, JSON.stringify(command))
  for (const command of [
    [5],
    [3, tax],
    [6, 0, []],
    [1, tax, { amount: 1 }],
    [0, 0, { name: 'y', amount: 1 }],
  ])
    assert.ok([403, 422].includes((await write(command)).status), JSON.stringify(command))
})

const attempt = (person: keyof typeof people | 'admin', path: string, body: object) =>
  respond(person, path, body).then(({ status, words }) =>
    assert.ok(status === 403 || status === 422, `${path} ${JSON.stringify(body)}: ${status} ${words}`),
  )

test('orders of others: a bill names no order to another vendor, by lines, copies or another contact', async () => {
  const [ours, theirs] = [
    await till.make('res.partner', { name: 'Ours' }),
    await till.make('res.partner', { name: 'Theirs' }),
  ]
  const product = await till.make('product.product', { name: 'Advice', type: 'service' })
  const order = await till.make('purchase.order', {
    partner_id: theirs,
    order_line: [[0, 0, { product_id: product, product_qty: 5, price_unit: 9 }]],
  })
  await till.ask('purchase.order/button_confirm', { ids: [order] })
  const { order_line } = await till.read('purchase.order', order, ['order_line'])
  const [purchase_line_id] = order_line as [number]
  const line = { product_id: product, quantity: 5, price_unit: 1, purchase_line_id }
  const bill = { move_type: 'in_invoice', invoice_date: '2026-05-05' }
  const row = { ...bill, partner_id: ours }
  await attempt('admin', 'account.move/create', {
    vals_list: [{ ...row, invoice_line_ids: [[0, 0, line]] }],
  })
  const right = { ...bill, partner_id: theirs, invoice_line_ids: [[0, 0, line]] }
  const billed = await till.make('account.move', right)
  await attempt('admin', 'account.move/write', { ids: [billed], vals: { partner_id: ours } })
  const loose = await till.make('account.move', {
    ...row,
    invoice_line_ids: [[0, 0, { ...line, purchase_line_id: false }]],
  })
  const { invoice_line_ids: ids } = await till.read('account.move', loose, ['invoice_line_ids'])
  await attempt('admin', 'account.move.line/write', { ids, vals: { purchase_line_id } })
})

test('orders of others: an invoice is for orders of its customer, from both ends of the link', async () => {
  const [ours, theirs] = [
    await till.make('res.partner', { name: 'Ours' }),
    await till.make('res.partner', { name: 'Theirs' }),
  ]
  const product = await till.make('product.product', { name: 'Hour', type: 'service' })
  const order = await till.make('sale.order', {
    partner_id: theirs,
    order_line: [[0, 0, { product_id: product, product_uom_qty: 5 }]],
  })
  await till.ask('sale.order/action_confirm', { ids: [order] })
  const { order_line: lines } = await till.read('sale.order', order, ['order_line'])
  const [sold] = lines as [number]
  const line = { product_id: product, quantity: 1, price_unit: 1 }
  const invoice = { move_type: 'out_invoice', invoice_date: '2026-05-05' }
  const naming = { ...line, sale_line_ids: [[6, 0, [sold]]] }
  await attempt('admin', 'account.move/create', {
    vals_list: [{ ...invoice, partner_id: ours, invoice_line_ids: [[0, 0, naming]] }],
  })
  const right = { ...invoice, partner_id: theirs, invoice_line_ids: [[0, 0, naming]] }
  const billed = await till.make('account.move', right)
  await attempt('admin', 'account.move/write', { ids: [billed], vals: { partner_id: ours } })
  const loose = await till.make('account.move', {
    ...invoice,
    partner_id: ours,
    invoice_line_ids: [[0, 0, line]],
  })
  const { invoice_line_ids: items } = await till.read('account.move', loose, ['invoice_line_ids'])
  const vals = { invoice_lines: [[4, (items as [number])[0]]] }
  await attempt('admin', 'sale.order.line/write', { ids: [sold], vals })
})

test('saved searches: what lists of everybody begin with is set by administrators', async () => {
  const filter = { name: 'F', model_id: 'res.partner' }
  const create = (vals: Row) => ({ vals_list: [{ ...filter, ...vals }] })
  await attempt('clerk', 'ir.filters/create', create({ is_default: true }))
  await attempt('clerk', 'ir.filters/create_filter', { vals: { ...filter, is_default: true, user_ids: [] } })
  const shared = await till.make('ir.filters', { ...filter, name: 'Shared' }, 'clerk')
  await attempt('clerk', 'ir.filters/write', { ids: [shared], vals: { is_default: true } })
  const first = await till.make('ir.filters', { ...filter, name: 'First', is_default: true })
  await attempt('clerk', 'ir.filters/write', { ids: [first], vals: { domain: "[['id', '=', 0]]" } })
  await attempt('clerk', 'ir.filters/unlink', { ids: [first] })
  const [me] = await till.ask<number[]>('res.users/search', { domain: [['login', '=', 'clerk']] })
  await till.make('ir.filters', { ...filter, is_default: true, user_ids: [[6, 0, [me]]] }, 'clerk')
})

test('numbers of entries: long texts are refused, as each entry that follows would repeat them', async () => {
  const name = `X/${'0'.repeat(10_000)}1`
  await attempt('admin', 'account.move/create', { vals_list: [{ move_type: 'entry', name }] })
  const entry = await till.make('account.move', { move_type: 'entry', date: '2026-05-05' })
  await attempt('admin', 'account.move/write', { ids: [entry], vals: { name } })
  const [form = 0] = await till.ask<number[]>('account.resequence.wizard/create', {
    vals_list: [{ move_ids: [[4, entry]], first_name: name }],
  })
  await attempt('admin', 'account.resequence.wizard/resequence', { ids: [form] })
})

test('returns: a form takes back moves of its transfer alone, once they are done', async () => {
  const product = await till.make('product.product', { name: 'Moved', is_storable: true })
  const [from] = await till.ask<number[]>('stock.location/search', { domain: [['usage', '=', 'supplier']] })
  const [to] = await till.ask<number[]>('stock.location/search', {
    domain: [
      ['usage', '=', 'internal'],
      ['company_id', '!=', elsewhere],
    ],
    limit: 1,
  })
  const [type] = await till.ask<number[]>('stock.picking.type/search', {
    domain: [
      ['code', '=', 'incoming'],
      ['company_id', '!=', elsewhere],
    ],
    limit: 1,
  })
  const places = { location_id: from, location_dest_id: to }
  const transfer = async () => {
    const line = { product_id: product, product_uom_qty: 2, ...places }
    const picking = await till.make('stock.picking', {
      ...places,
      picking_type_id: type,
      move_ids: [[0, 0, line]],
    })
    await till.ask('stock.picking/action_confirm', { ids: [picking] })
    const { move_ids } = await till.read('stock.picking', picking, ['move_ids'])
    return { picking, move: (move_ids as [number])[0] }
  }
  const [done, open] = [await transfer(), await transfer()]
  await till.ask('stock.picking/button_validate', { ids: [done.picking] })
  const line = (of: number) => [0, 0, { product_id: product, move_id: of, quantity: 2 }]
  const form = async (of: number) => {
    const vals = { picking_id: done.picking, product_return_moves: [line(of)] }
    const { body } = await office.call('stocker', 'stock.return.picking/create', { vals_list: [vals] })
    return (body as [number])[0]
  }
  for (const action of ['action_create_returns', 'action_create_returns_all', 'action_create_exchanges'])
    await attempt('stocker', `stock.return.picking/${action}`, { ids: [await form(open.move)] })
  const ids = [await form(done.move)]
  assert.equal((await respond('stocker', 'stock.return.picking/action_create_returns', { ids })).status, 200)
})

test('amounts: numbers that are too large, and their texts, are refused before code counts with them', async () => {
  for (const debit of ['1e400', JSON.rawJSON('1e400'), JSON.rawJSON('-1e400')]) {
    const item = { name: 'x', debit }
    await attempt('admin', 'account.move.line/create', { vals_list: [item] })
    const entry = { move_type: 'entry', line_ids: [[0, 0, item]] }
    await attempt('admin', 'account.move/create', { vals_list: [entry] })
    const { status } = await respond('biller', 'account.move.line/onchange', {
      values: item,
      field_names: ['debit'],
      fields_spec: { display_name: {} },
    })
    assert.ok(status < 500)
  }
})

test('links of documents: a transfer names no order whose model its writer may not read', async () => {
  const order = await till.make('sale.order', {
    partner_id: await till.make('res.partner', { name: 'Buyer' }),
  })
  const [type] = await till.ask<[number]>('stock.picking.type/search', {
    domain: [['code', '=', 'outgoing']],
  })
  const transfer = { picking_type_id: type }
  for (const person of ['cashier', 'buyer', 'biller', 'stocker'] as const) {
    const give = (vals: object) =>
      office.call(person, 'stock.picking/create', { vals_list: [{ ...transfer, ...vals }] })
    const reads = await office.call(person, 'sale.order/has_access', { ids: [], operation: 'read' })
    assert.equal((await give({ sale_id: order })).status, reads.body ? 200 : 403, person)
    const { status, body } = await give({})
    assert.equal(status, 200, person)
    const change = { ids: body, vals: { sale_id: order } }
    const changed = await office.call(person, 'stock.picking/write', change)
    assert.equal(changed.status, reads.body ? 200 : 403, person)
  }
})
