// Contacts and goods that two companies share: users of one see nothing of what the other does with them,
// whatever field they read.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { type Office, openOffice } from '../support/office.ts'

const people = {
  chief: [
    'account.group_account_manager',
    'sales_team.group_sale_manager',
    'purchase.group_purchase_manager',
    'stock.group_stock_manager',
    'point_of_sale.group_pos_manager',
  ],
} as const

type Row = Record<string, unknown>

let office: Office<keyof typeof people>
before(async () => {
  office = await openOffice(
    modules.map(({ name }) => name),
    people,
  )
})
after(() => office?.close())

async function ask<T>(path: string, body: Row): Promise<T> {
  const { status, body: answer } = await office.call('chief', path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}

/** Written by any change of the record itself. */
const automatic = ['write_date', 'write_uid']

/** Every field of a record, as the chief reads it. */
async function seen(model: string, id: number): Promise<Row> {
  const fields = await ask<Readonly<Record<string, { type: string }>>>(`${model}/fields_get`, {
    attributes: ['type'],
  })
  const names = Object.keys(fields).filter((name) => !automatic.includes(name))
  const [row] = await ask<[Row]>(`${model}/read`, { ids: [id], fields: names, load: null })
  return row
}

const create = (model: string, vals: Row) =>
  office.run(async (env) => {
    const records = await env.model(model as 'res.partner').create([vals as never])
    return records.ids[0] as number
  })

test('other companies: their orders, counts, rules and duplicates change no field of shared records', async () => {
  const [partner, goods] = [
    await create('res.partner', {
      name: 'Shared',
      vat: 'BE0477472701',
      company_registry: '12',
      is_company: true,
    }),
    await create('product.product', { name: 'Shared', is_storable: true, list_price: 5 }),
  ]
  const template = Number((await seen('product.product', goods)).product_tmpl_id)
  await create('res.partner.bank', { acc_number: 'BE68539007547034', partner_id: partner })
  const shared = [
    ['res.partner', partner],
    ['product.product', goods],
    ['product.template', template],
  ] as const
  const all = () => Promise.all(shared.map(([model, id]) => seen(model, id)))
  const before = await all()

  const company_id = await create('res.company', { name: 'Other' })
  const twin = { name: 'Twin', company_id, vat: 'BE0477472701', company_registry: '12', is_company: true }
  const hidden = await create('res.partner', twin)
  await create('res.partner.bank', { acc_number: 'BE68539007547034', partner_id: hidden })
  await create('res.partner', { name: 'Contact', parent_id: partner, company_id })
  await create('sale.order', { partner_id: partner, company_id, order_line: [[0, 0, { product_id: goods }]] })
  const bought = { product_id: goods, product_qty: 3, price_unit: 7 }
  await create('purchase.order', { partner_id: partner, company_id, order_line: [[0, 0, bought]] })
  const [warehouse_id, depot] = await office.run(async (env) => {
    const warehouses = await env.model('stock.warehouse').search([['company_id', '=', company_id]])
    const [row] = await warehouses.load(['lot_stock_id'])
    return [row?.id, row?.lot_stock_id?.id]
  })
  const rule = { product_id: goods, warehouse_id, location_id: depot, company_id }
  await create('stock.warehouse.orderpoint', { ...rule, product_min_qty: 2, product_max_qty: 4 })
  await create('stock.quant', { product_id: goods, location_id: depot, quantity: 9 })
  await create('product.supplierinfo', {
    partner_id: partner,
    product_tmpl_id: template,
    price: 1,
    company_id,
  })
  await create('product.pricelist', { name: 'Other', company_id })
  assert.deepEqual(await all(), before)
})

test('other companies: no record is moved to a company that its user does not have', async () => {
  const [other, partner] = [
    await create('res.company', { name: 'Third' }),
    await create('res.partner', { name: 'P' }),
  ]
  const goods = await create('product.template', { name: 'G' })
  const euro = await office.run((env) => env.ref('base.EUR'))
  const movable: readonly (readonly [string, Row])[] = [
    ['product.pricelist', { name: 'Low prices', sequence: 0 }],
    ['res.currency.rate', { currency_id: euro, name: '2026-05-05', rate: 9, company_id: 1 }],
    ['stock.route', { name: 'Detour', company_id: 1 }],
    ['stock.location', { name: 'Shed' }],
    ['account.reconcile.model', { name: 'Fees' }],
    ['account.journal.group', { name: 'Books' }],
    ['product.supplierinfo', { partner_id: partner, product_tmpl_id: goods, company_id: 1 }],
  ]
  for (const [model, vals] of movable) {
    const [id] = await ask<[number]>(`${model}/create`, { vals_list: [vals] })
    const moved = await office.call('chief', `${model}/write`, { ids: [id], vals: { company_id: other } })
    assert.equal(moved.status, 403, `${model}: ${JSON.stringify(moved.body)}`)
    await ask(`${model}/write`, { ids: [id], vals: { company_id: 1 } })
  }
})

test('other companies: settings lead to no record of another company', async () => {
  const [warehouse] = await ask<[number]>('stock.warehouse/search', { domain: [], limit: 1 })
  const theirs = await office.run(async (env) => {
    const other = await env.model('res.company').create([{ name: 'Fourth' } as never])
    const [row] = await env
      .model('stock.warehouse')
      .search([['company_id', '=', other.ensureOne()]] as never)
      .then((warehouses) =>
        warehouses.read(['mto_pull_id', 'buy_pull_id', 'reception_route_id', 'in_type_id'], null),
      )
    return row as Row
  })
  for (const name of ['mto_pull_id', 'buy_pull_id', 'reception_route_id', 'in_type_id']) {
    assert.ok(theirs[name], name)
    const vals = { [name]: theirs[name] }
    const { status, body } = await office.call('chief', 'stock.warehouse/write', { ids: [warehouse], vals })
    assert.ok(status === 403 || status === 422, `${name}: ${status} ${JSON.stringify(body)}`)
  }
})

test('other companies: an import reports hidden records as it reports missing ones', async () => {
  const company_id = await create('res.company', { name: 'Fifth' })
  const res_id = await create('res.partner', { name: 'Hidden', company_id })
  await create('ir.model.data', { module: 'hid', name: 'den', model: 'res.partner', res_id })
  const imported = async (fields: string[], row: string[]) => {
    const body = { fields, data: [row] }
    const answer = await office.call('chief', 'sale.order/load', body)
    return { status: answer.status, text: JSON.stringify(answer.body).replaceAll(row[0] ?? '', 'X') }
  }
  const hidden = await imported(['partner_id/id'], ['hid.den'])
  assert.deepEqual(hidden, await imported(['partner_id/id'], ['hid.none']))
  assert.match(hidden.text, /No matching record found for external id/)
})

/** Links of set-up, with the models that they lead to. */
const setupLinks: readonly (readonly [string, string, string])[] = [
  ['account.tax.repartition.line', 'account_id', 'account.account'],
  ['account.tax', 'children_tax_ids', 'account.tax'],
  ['account.tax', 'fiscal_position_ids', 'account.fiscal.position'],
  ['account.tax.group', 'tax_payable_account_id', 'account.account'],
  ['account.journal', 'default_account_id', 'account.account'],
  ['account.payment.method.line', 'payment_account_id', 'account.account'],
  ['res.company', 'income_account_id', 'account.account'],
  ['res.company', 'currency_exchange_journal_id', 'account.journal'],
  ['stock.location', 'valuation_account_id', 'account.account'],
  ['res.partner', 'property_account_receivable_id', 'account.account'],
  ['res.partner', 'property_account_position_id', 'account.fiscal.position'],
  ['res.partner', 'property_payment_term_id', 'account.payment.term'],
  ['res.partner', 'specific_property_product_pricelist', 'product.pricelist'],
  ['res.partner', 'property_stock_customer', 'stock.location'],
  ['product.category', 'property_account_income_categ_id', 'account.account'],
  ['product.category', 'property_stock_journal', 'account.journal'],
  ['product.template', 'property_account_expense_id', 'account.account'],
  ['pos.config', 'default_fiscal_position_id', 'account.fiscal.position'],
  ['pos.config', 'payment_method_ids', 'pos.payment.method'],
  ['pos.payment.method', 'receivable_account_id', 'account.account'],
]

test('other companies: set-up leads to no record of another company, in values by company either', async () => {
  const company_id = await create('res.company', { name: 'Sixth' })
  await office.run(async (env) => {
    const admin = env.model('res.users').browse([await env.ref('base.user_admin')])
    await admin.write({ company_ids: [[4, company_id]] })
  })
  const inSixth = async (model: string, vals: Row) =>
    office.run(async (env) => {
      const records = await env
        .withCompany(company_id)
        .model(model as 'res.partner')
        .create([vals as never])
      return records.ids[0] as number
    })
  await office.run((env) =>
    env
      .withCompany(company_id)
      .model('account.chart.template')
      .invoke('try_loading', { template_code: 'generic_coa', company: company_id }),
  )
  const account = await inSixth('account.account', {
    code: '990001',
    name: 'T',
    account_type: 'asset_current',
  })
  const journal = await inSixth('account.journal', { name: 'T', code: 'THEIR', type: 'general' })
  const theirs: Readonly<Record<string, number>> = {
    'account.account': account,
    'account.journal': journal,
    'account.tax': await inSixth('account.tax', { name: 'T', amount: 5 }),
    'account.fiscal.position': await inSixth('account.fiscal.position', { name: 'T' }),
    'account.payment.term': await inSixth('account.payment.term', { name: 'T', company_id }),
    'product.pricelist': await inSixth('product.pricelist', { name: 'T', company_id }),
    'stock.location': await inSixth('stock.location', { name: 'T', usage: 'customer', company_id }),
    'pos.payment.method': await inSixth('pos.payment.method', { name: 'T', company_id }),
  }
  const shared: Readonly<Record<string, number>> = {
    'res.company': 1,
    'res.partner': await create('res.partner', { name: 'Shared' }),
    'product.template': await create('product.template', { name: 'Shared' }),
    'product.category': await create('product.category', { name: 'Shared' }),
  }
  const ofFirst = [['company_id', '=', 1]]
  for (const [model, name, target] of setupLinks) {
    const id = shared[model] ?? (await ask<number[]>(`${model}/search`, { domain: ofFirst, limit: 1 }))[0]
    assert.ok(id, model)
    const value = name.endsWith('_ids') ? [[4, theirs[target]]] : theirs[target]
    const { status, body } = await office.call('admin', `${model}/write`, {
      ids: [id],
      vals: { [name]: value },
      context: { allowed_company_ids: [1, company_id] },
    })
    assert.equal(status, 422, `${model}.${name}: ${status} ${JSON.stringify(body)}`)
    assert.match(JSON.stringify(body), /Incompatible companies/, `${model}.${name}`)
  }
  // Values by company are judged by the company that they are set for.
  const answer = await office.call('admin', 'res.partner/write', {
    ids: [shared['res.partner']],
    vals: { property_account_receivable_id: account },
    context: { allowed_company_ids: [company_id] },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
})

test('other companies: no link shows the name of a hidden record', async () => {
  const company_id = await create('res.company', { name: 'Seventh' })
  const goods = await create('product.product', { name: 'Hidden', company_id })
  const theirs = {
    partner: await create('res.partner', { name: 'Hidden', company_id }),
    list: await create('product.pricelist', { name: 'Hidden', company_id }),
    term: await create('account.payment.term', { name: 'Hidden', company_id }),
    warehouse: await create('stock.warehouse', { name: 'Hidden', code: 'HID', company_id }),
    place: await create('stock.location', { name: 'Hidden', company_id }),
  }
  const links: readonly (readonly [string, Row])[] = [
    ['product.label.layout', { pricelist_id: theirs.list }],
    ['account.payment.term.line', { payment_id: theirs.term }],
    ['stock.route', { name: 'R', supplier_wh_id: theirs.warehouse }],
    ['stock.quant.relocate', { dest_location_id: theirs.place }],
    ['stock.package.destination', { location_dest_id: theirs.place }],
    ['stock.return.picking.line', { product_id: goods }],
    ['bill.to.po.wizard', { partner_id: theirs.partner }],
  ]
  for (const [model, vals] of links) {
    const { status, body } = await office.call('chief', `${model}/create`, { vals_list: [vals] })
    assert.equal(status, 403, `${model} ${Object.keys(vals)}: ${JSON.stringify(body)}`)
  }
})

test('other companies: parts of their records are hidden with these', async () => {
  const company_id = await create('res.company', { name: 'Eighth' })
  const goods = await create('product.product', { name: 'Hidden', company_id })
  const combo = { name: 'Hidden', company_id, combo_item_ids: [[0, 0, { product_id: goods }]] }
  const journal = { name: 'Hidden', code: 'HID', type: 'bank', company_id }
  await create('product.combo', combo)
  await create('account.journal', journal)
  await create('account.payment.term', { name: 'Hidden', company_id })
  const parts: readonly (readonly [string, string])[] = [
    ['product.combo.item', 'company_id'],
    ['account.payment.method.line', 'journal_id.company_id'],
    ['account.payment.term.line', 'payment_id.company_id'],
  ]
  for (const [model, path] of parts) {
    const rows = await ask<unknown[]>(`${model}/search`, { domain: [[path, '=', company_id]] })
    assert.deepEqual(rows, [], model)
    assert.ok(
      await office.run((env) =>
        env
          .model(model as 'res.partner')
          .search([[path as 'id', '=', company_id]])
          .then(({ ids }) => ids.length),
      ),
      model,
    )
  }
})

test('other companies: an account stays with the company whose items are on it', async () => {
  const company_id = await create('res.company', { name: 'Ninth' })
  const account = { name: 'Shared', code: '765432', account_type: 'income', company_ids: [[6, 0, [1]]] }
  const id = await create('account.account', account)
  const entry = { move_type: 'out_invoice', partner_id: 1, invoice_date: '2026-05-05', company_id: 1 }
  await create('account.move', { ...entry, invoice_line_ids: [[0, 0, { price_unit: 5, account_id: id }]] })
  const move = (companies: readonly number[]) =>
    office.run((env) =>
      env
        .model('account.account')
        .browse([id])
        .write({ company_ids: [[6, 0, companies]] }),
    )
  await assert.rejects(move([company_id]), /The company of Account cannot change/)
  await move([1, company_id])
})
