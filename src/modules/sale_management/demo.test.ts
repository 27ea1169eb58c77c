// The demo shop holds what it promises: products, customers, pricelists in use, orders in all states
// with correct sums. With odd records added, its lists are read in few statements, and PostgreSQL
// computes what the functions compute.
// Begins first: it takes 9 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { bothForms } from '../../../test/support/both-forms.ts'
import { makeOddRecords, readingAs } from '../../../test/support/demo-shop.ts'
import { recordStatements } from '../../../test/support/statements.ts'
import '../../../test/support/patience.ts'
import { type TakenDataDir, takeDataDir } from '../../../test/support/shared-server.ts'
import { Databases } from '../../databases/index.ts'
import { modules } from '../../main.ts'
import { createKey } from '../../services/admin.ts'
import { call } from '../../services/call.ts'

let temp: TakenDataDir
let databases: Databases
before(async () => {
  temp = await takeDataDir('demo')
  databases = await Databases.open({ dataDir: temp.path, modules, durable: false })
  await databases.create('shop', {
    modules: modules.map(({ name }) => name),
    demo: true,
    login: 'admin',
    password: 'admin',
  })
})
after(async () => {
  if (databases) await temp.release(databases)
  await databases?.close()
  temp?.remove()
})

test('vendors with offers, and their orders in all states', async () => {
  const database = await databases.database('shop')
  await database.system(async (env) => {
    const rows = await (await env.model('purchase.order').search([])).load([
      'state',
      'amount_total',
      'order_line',
    ])
    assert.deepEqual([...new Set(rows.map((row) => row.state))].sort(), [
      'cancel',
      'draft',
      'purchase',
      'sent',
    ])
    assert.ok(rows.length === 18 && rows.every((row) => row.amount_total > 0 && row.order_line.length === 3))
  })
})

test('two points of sale sell at once, each with a drawer of its own; one of them is open from the start', async () => {
  const database = await databases.database('shop')
  await database.system(async (env) => {
    const configs = await env.model('pos.config').search([])
    const [open, ...others] = await (await env.model('pos.session').search([])).load([
      'state',
      'config_id.name',
      'order_ids.state',
    ])
    assert.deepEqual(
      [open?.state, open?.config_id.name, open?.order_ids.map(({ state }) => state), others],
      ['opened', 'Kiosk', ['paid', 'paid', 'paid'], []],
    )
    for (const id of configs.ids) await env.model('pos.config').browse([id]).open_ui()
    const rows = await configs.load(['name', 'has_active_session', 'payment_method_ids.is_cash_count'])
    assert.deepEqual(
      rows.map((row) => [
        row.name,
        row.has_active_session,
        row.payment_method_ids.map((method) => method.is_cash_count).sort(),
      ]),
      ['Shop', 'Kiosk'].map((name) => [name, true, [false, false, true]]),
    )
  })
})

test('goods are counted, delivered, received, returned and billed, in all states', async () => {
  const database = await databases.database('shop')
  await database.system(async (env) => {
    const pickings = await (await env.model('stock.picking').search([])).load([
      'state',
      'picking_type_id.code',
      'backorder_id',
      'return_id',
    ])
    const states = new Set(pickings.map((picking) => `${picking.picking_type_id.code} ${picking.state}`))
    for (const state of [
      'outgoing done',
      'outgoing assigned',
      'outgoing confirmed',
      'incoming done',
      'incoming assigned',
      'internal done',
      'internal assigned',
      'internal draft',
    ])
      assert.ok(states.has(state), `${state}: ${[...states]}`)
    assert.ok(
      pickings.some((picking) => picking.backorder_id) && pickings.some((picking) => picking.return_id),
    )
    assert.ok((await env.model('product.product').searchCount([['qty_available', '>', 0]])) > 50)
    assert.equal(await env.model('stock.warehouse.orderpoint').searchCount([]), 12)
    const bills = await (await env.model('account.move').search([['move_type', '=', 'in_invoice']])).load([
      'state',
    ])
    assert.deepEqual([...new Set(bills.map((bill) => bill.state))].sort(), ['draft', 'posted'])
  })
})

test('200 products, 100 customers, 50 orders in all states', async () => {
  const database = await databases.database('shop')
  await database.system(async (env) => {
    const demoIds = async (prefix: string) =>
      (
        await env.model('ir.model.data').search([
          ['module', '=', 'sale_management'],
          ['name', '=like', `${prefix}%`],
        ])
      ).length
    assert.deepEqual(
      [await demoIds('demo_product_'), await demoIds('demo_customer_'), await demoIds('demo_order_')],
      [200, 100, 50],
    )
    assert.ok((await env.model('product.product').searchCount([])) > 250)
    const orders = await (await env.model('sale.order').search([])).load([
      'state',
      'locked',
      'amount_total',
      'pricelist_id',
      'order_line.discount',
      'date_order',
    ])
    const states = new Set(orders.map((order) => `${order.state}${order.locked ? ' locked' : ''}`))
    assert.deepEqual([...states].sort(), ['cancel', 'draft', 'sale', 'sale locked', 'sent'])
    assert.ok(orders.every((order) => order.amount_total > 0 && order.pricelist_id))
    assert.ok(orders.some((order) => order.order_line.some((line) => line.discount > 0)))
    assert.ok(new Set(orders.map((order) => order.date_order?.slice(0, 10))).size > 20)
  })
})

test('invoices in all states, and payments', async () => {
  const database = await databases.database('shop')
  await database.system(async (env) => {
    const rows = await (
      await env.model('account.move').search([['move_type', 'in', ['out_invoice', 'out_refund']]])
    ).load(['state', 'payment_state', 'move_type'])
    const states = new Set(rows.map((row) => `${row.state} ${row.payment_state}`))
    for (const state of [
      'draft not_paid',
      'posted not_paid',
      'posted paid',
      'posted partial',
      'posted reversed',
      'cancel not_paid',
    ])
      assert.ok(states.has(state), state)
    assert.ok((await env.model('account.payment').searchCount([])) > 3)
  })
})

test('with odd records added to the demo', async () => {
  const database = await databases.database('shop')
  await makeOddRecords(database)
  await database.system(async (env) => {
    assert.ok((await env.model('product.product').search([['active', '=', false]])).length > 2)
  })
})

/** Computed by PostgreSQL alone, from the caller's rights: their functions are never called. */
const ofCaller = [
  'ir.model.data.readable',
  'ir.attachment.readable',
  'ir.attachment.writable',
  'mail.message.readable',
  'mail.message.writable',
  'mail.followers.readable',
  'mail.notification.readable',
  'mail.tracking.value.readable',
  'mail.activity.readable',
  'mail.activity.can_write',
  'mail.activity.placeable',
]

const stored = (env: Environment) => [...env.unit.registry.models.values()].filter((model) => model.hasTable)

for (const [login, context] of [
  ['admin', { tz: 'Pacific/Kiritimati' }],
  ['admin', { lang: 'fr_FR', active_test: false }],
  ['seller', { lang: 'fr_FR', company: 'Elsewhere', display_default_code: false }],
  [
    'clerk',
    {
      active_test: false,
      show_attribute: false,
      hierarchical_naming: false,
      show_address: true,
      date: '2024-02-29',
    },
  ],
] as const)
  test(`PostgreSQL and code compute the same for ${login} in ${JSON.stringify(context)}`, async () => {
    const database = await databases.database('shop')
    const { company, ...rest } = { company: null, ...context }
    const allowed_company_ids = company
      ? await database.system(
          async (env) => (await env.model('res.company').search([['name', '=', company]])).ids,
        )
      : undefined
    await readingAs(
      database,
      login,
      { ...rest, ...(allowed_company_ids ? { allowed_company_ids } : {}) },
      async (env) => {
        const all = new Set<string>()
        for (const model of stored(env)) {
          const { compared, different } = await bothForms(env, model, ofCaller)
          for (const name of compared) all.add(name)
          assert.deepEqual(different, [])
        }
        for (const name of [
          'product.template.barcode',
          'res.currency.rate',
          'sale.order.line.product_updatable',
          'product.pricelist.item.name',
          'res.users.display_name',
        ])
          assert.ok(all.has(name), `${name} was not compared`)
        assert.ok(all.size > 80, `${all.size} fields were compared`)
      },
    )
  })

/**
 * Views, reports and menus of modules are named by a field each. Prices are made list by list, what is
 * forecast by how it is asked for, invoices of contacts, methods of journals, matches of entries and goods of
 * orders by some fields, names of both links of a field to others: bounded, though more than once.
 */
const MOST: Readonly<Record<string, number>> = {
  'account.journal': 2,
  'account.move': 3,
  'ir.model.fields': 2,
  'ir.module.module': 3,
  'res.partner': 2,
  'sale.order': 2,
  'sale.order.line': 6,
  'stock.move': 2,
  'stock.picking': 2,
}

test('every field of many records is read in the statements that two take', async () => {
  const database = await databases.database('shop')
  const models = await readingAs(database, 'admin', {}, async (env) =>
    stored(env).filter((model) => env.unit.rights.mayModel(env.user, model, 'read')),
  )
  const recorder = recordStatements()
  const read = (name: string, limit: number) =>
    readingAs(database, 'admin', { active_test: false }, async (env) => {
      const records = await env.model(name as 'res.partner').search([], { limit })
      recorder.forget()
      await records.read()
      return Map.groupBy(recorder.statements, ({ text }) => text)
    })
  try {
    for (const { name } of models) {
      const few = await read(name, 2)
      for (const [text, sent] of await read(name, 80))
        assert.ok(
          sent.length <= Math.max(few.get(text)?.length ?? 0, MOST[name] ?? 1),
          `${name}, ${sent.length} times: ${text}`,
        )
    }
    assert.ok(models.length > 50)
  } finally {
    recorder.stop()
  }
})

test('the rule of an order line is the same among the lines of all orders as by itself', async () => {
  const database = await databases.database('shop')
  await readingAs(database, 'admin', {}, async (env) => {
    const lines = await env.model('sale.order.line').search([])
    const together = await lines.load(['pricelist_item_id'])
    assert.ok(new Set(together.map((line) => line.pricelist_item_id?.id)).size > 3)
    for (const line of together.slice(0, 60)) {
      const alone = await readingAs(database, 'admin', {}, (other) =>
        other.model('sale.order.line').browse([line.id]).one(['pricelist_item_id']),
      )
      assert.deepEqual(alone.pricelist_item_id, line.pricelist_item_id)
    }
  })
})

/** Columns that lists show. */
const lists = {
  'sale.order': [
    'name',
    'date_order',
    'partner_id',
    'user_id',
    'team_id',
    'amount_total',
    'currency_id',
    'state',
    'invoice_status',
    'type_name',
  ],
  'sale.order.line': [
    'display_name',
    'order_id',
    'product_id',
    'product_uom_qty',
    'price_unit',
    'price_subtotal',
    'product_updatable',
    'tax_ids',
  ],
  'product.template': [
    'display_name',
    'default_code',
    'barcode',
    'list_price',
    'standard_price',
    'categ_id',
    'uom_id',
    'product_variant_count',
  ],
  'product.product': [
    'display_name',
    'lst_price',
    'standard_price',
    'product_template_attribute_value_ids',
    'currency_id',
    'categ_id',
  ],
  'product.pricelist.item': [
    'display_name',
    'pricelist_id',
    'product_tmpl_id',
    'fixed_price',
    'min_quantity',
  ],
  'res.partner': [
    'complete_name',
    'display_name',
    'email',
    'phone',
    'country_id',
    'category_id',
    'company_type',
    'parent_id',
    'vat_label',
  ],
  'res.users': ['name', 'login', 'lang', 'company_id', 'companies_count', 'share'],
} as const

for (const [model, fields] of Object.entries(lists))
  test(`a list of ${model} with ${fields.length} columns is one statement and the check of the key`, async () => {
    const key = await createKey(databases, 'shop', 'admin', { scope: null, name: `list ${model}`, days: 1 })
    const shown = (name: string) =>
      name.endsWith('_id') || name.endsWith('_ids') ? { fields: { display_name: {} } } : {}
    const named = {
      domain: [],
      limit: 80,
      specification: Object.fromEntries(fields.map((name) => [name, shown(name)])),
    }
    const ask = () =>
      call(databases, {
        database: 'shop',
        credential: { kind: 'key', key },
        model,
        method: 'web_search_read',
        body: () => ({ named }),
        remote: '127.0.0.1',
        requestId: 'test',
      })
    await ask()
    const recorder = recordStatements()
    try {
      await ask()
      assert.deepEqual([recorder.statements.length, recorder.trips()], [2, 1])
    } finally {
      recorder.stop()
    }
  })

test('rules of pricelists and texts of customers are found by the names that they are shown by', async () => {
  const database = await databases.database('shop')
  await readingAs(database, 'admin', {}, async (env) => {
    const idsOf = async (model: 'product.pricelist.item' | 'product.attribute.custom.value', name: string) =>
      ((await env.model(model).invoke('name_search', { name })) as [number, string][]).map(
        ([, shown]) => shown,
      )
    assert.deepEqual(await idsOf('product.pricelist.item', 'variant: [m-1]'), ['Variant: [M-1] Mug'])
    assert.equal((await idsOf('product.attribute.custom.value', 'Ann')).length, 1)
    assert.deepEqual(await idsOf('product.pricelist.item', 'nothing of that name'), [])
  })
})
