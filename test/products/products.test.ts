// Products, pricelists and settings as clients meet them: who may do what, calls at the same time; and the
// modules leaving again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AccessError, MissingError, ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { createKey, uninstallModules } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
const keys = new Map<string, string>()
const sample = { mug: 0, hidden: 0, list: 0, hiddenList: 0 }

before(async () => {
  db = await openTestDatabase(
    modules.filter((module) => ['base', 'mail', 'uom', 'product'].includes(module.name)),
  )
  await db.run(async (env) => {
    const groups = async (...names: string[]) => [
      [6, 0, await Promise.all(names.map((name) => env.ref(name)))],
    ]
    const users = [
      { name: 'Reader', login: 'reader', group_ids: await groups('base.group_user') },
      {
        name: 'Maker',
        login: 'maker',
        group_ids: await groups('base.group_user', 'product.group_product_manager'),
      },
      { name: 'Guest', login: 'guest', group_ids: await groups('base.group_portal') },
    ]
    await env.model('res.users').create(users as never)
    const company_id = (await env.model('res.company').create([{ name: 'Elsewhere' }])).ensureOne()
    const products = await env.model('product.product').create([
      { name: 'Mug', list_price: 3 },
      { name: 'Hidden', company_id },
    ] as never)
    const lists = await env
      .model('product.pricelist')
      .create([{ name: 'Shown' }, { name: 'Hidden', company_id }])
    ;[sample.mug, sample.hidden] = products.ids as [number, number]
    ;[sample.list, sample.hiddenList] = lists.ids as [number, number]
  })
  for (const login of ['admin', 'reader', 'maker', 'guest'])
    keys.set(login, await createKey(db.databases, 'test', login, { scope: null, name: 'test', days: 1 }))
})
after(() => db?.close())

async function ask(
  login: string,
  model: string,
  method: string,
  body: { ids?: number[]; context?: object; named?: Record<string, unknown> },
) {
  const credential = { kind: 'key', key: keys.get(login) ?? '' } as const
  const { json } = await call(db.databases, {
    database: 'test',
    credential,
    model,
    method,
    body: () => body,
    remote: '127.0.0.1',
    requestId: 'test',
  })
  return JSON.parse(json) as unknown
}
const price = (login: string, id: number, context = {}) =>
  ask(login, 'product.product', 'get_contextual_price', { ids: [id], context })

test('products: a named precision sets the decimals of its fields from the next call on', async () => {
  const [weight] = (await ask('admin', 'decimal.precision', 'search', {
    named: { domain: [['name', '=', 'Stock Weight']] },
  })) as [number]
  const weigh = async (value: number, domain: unknown[] = []) => {
    await ask('admin', 'product.product', 'write', { ids: [sample.mug], named: { vals: { weight: value } } })
    const rows = await ask('admin', 'product.product', 'search_read', {
      named: { domain: [['id', '=', sample.mug], ...domain], fields: ['weight'] },
    })
    const described = await ask('admin', 'product.product', 'fields_get', {
      named: { allfields: ['weight', 'volume'], attributes: ['digits'] },
    })
    return [(rows as { weight: number }[]).map((row) => row.weight), described]
  }
  const digits = (n: number) => ({ weight: { digits: [16, n] }, volume: { digits: [16, 2] } })
  assert.deepEqual(await weigh(0.12345), [[0.12], digits(2)])
  await ask('admin', 'decimal.precision', 'write', { ids: [weight], named: { vals: { digits: 4 } } })
  assert.deepEqual(await weigh(0.12345, [['weight', '=', 0.12349]]), [[0.1235], digits(4)])
  const [template] = (await ask('admin', 'product.product', 'read', {
    ids: [sample.mug],
    named: { fields: ['product_tmpl_id'], load: null },
  })) as [{ product_tmpl_id: number }]
  assert.deepEqual(
    await ask('admin', 'product.template', 'read', {
      ids: [template.product_tmpl_id],
      named: { fields: ['weight'] },
    }),
    [{ id: template.product_tmpl_id, weight: 0.1235 }],
  )
  await ask('admin', 'decimal.precision', 'unlink', { ids: [weight] })
  assert.deepEqual(await weigh(1.005), [[1.01], digits(2)])
})

test('products: internal users read and price, product creators change, guests see nothing', async () => {
  assert.equal(await price('reader', sample.mug, { pricelist: sample.list, quantity: 2 }), 3)
  await assert.rejects(price('guest', sample.mug), AccessError)
  await assert.rejects(
    ask('reader', 'product.product', 'create', { named: { vals_list: [{ name: 'No' }] } }),
    AccessError,
  )
  await assert.rejects(
    ask('reader', 'product.product', 'write', { ids: [sample.mug], named: { vals: { lst_price: 1 } } }),
    AccessError,
  )
  await assert.rejects(ask('reader', 'product.template.attribute.line', 'unlink', { ids: [1] }), AccessError)
  await ask('maker', 'product.product', 'write', {
    ids: [sample.mug],
    named: { vals: { lst_price: 4, default_code: 'MUG' } },
  })
  assert.equal(await price('reader', sample.mug), 4)
})

test('products: a user who may only create products creates variants, offers and rules with them', async () => {
  const attribute = (await ask('maker', 'product.attribute', 'create', {
    named: {
      vals_list: [
        {
          name: 'Size',
          value_ids: [
            [0, 0, { name: 'S' }],
            [0, 0, { name: 'L' }],
          ],
        },
      ],
    },
  })) as number[]
  const [{ value_ids }] = (await ask('maker', 'product.attribute', 'read', {
    ids: attribute,
    named: { fields: ['value_ids'] },
  })) as [{ value_ids: number[] }]
  const line = [0, 0, { attribute_id: attribute[0], value_ids: [[6, 0, value_ids]] }]
  const template = (await ask('maker', 'product.template', 'create', {
    named: { vals_list: [{ name: 'Shirt', attribute_line_ids: [line] }] },
  })) as number[]
  const count = () =>
    ask('reader', 'product.product', 'search_count', {
      named: { domain: [['product_tmpl_id', 'in', template]] },
    })
  assert.equal(await count(), 2)
  const [{ attribute_line_ids }] = (await ask('maker', 'product.template', 'read', {
    ids: template,
    named: { fields: ['attribute_line_ids'] },
  })) as [{ attribute_line_ids: number[] }]
  assert.equal(
    await ask('maker', 'product.template.attribute.line', 'unlink', { ids: attribute_line_ids }),
    true,
  )
  assert.equal(await count(), 1)
  assert.equal(await ask('maker', 'product.template', 'unlink', { ids: template }), true)
})

test('products: products and lists of other companies are hidden, also through prices', async () => {
  await assert.rejects(price('reader', sample.hidden), AccessError)
  await assert.rejects(price('reader', sample.mug, { pricelist: sample.hiddenList }), AccessError)
  await assert.rejects(price('reader', 99_999), MissingError)
  await assert.rejects(ask('maker', 'product.product', 'unlink', { ids: [sample.hidden] }), AccessError)
  assert.equal(
    await ask('maker', 'product.product', 'search_count', {
      named: { domain: [['id', '=', sample.hidden]] },
    }),
    0,
  )
})

test('products: of concurrent calls with one barcode, one succeeds', async () => {
  const give = (name: string) =>
    ask('maker', 'product.product', 'create', { named: { vals_list: [{ name, barcode: '4006381333931' }] } })
  const settled = await Promise.allSettled(['A', 'B', 'C', 'D'].map(give))
  assert.equal(settled.filter((result) => result.status === 'fulfilled').length, 1)
  for (const result of settled)
    if (result.status === 'rejected')
      assert.ok(result.reason instanceof ServiceError && result.reason.status < 500, String(result.reason))
  const bearers = await ask('maker', 'product.product', 'search_count', {
    named: { domain: [['barcode', '=', '4006381333931']] },
  })
  assert.equal(bearers, 1)
})

test('products: settings are for administrators', async () => {
  await assert.rejects(
    ask('maker', 'res.config.settings', 'create', { named: { vals_list: [{}] } }),
    AccessError,
  )
  const ids = (await ask('admin', 'res.config.settings', 'create', {
    named: { vals_list: [{ group_uom: true }] },
  })) as number[]
  await ask('admin', 'res.config.settings', 'execute', { ids })
  assert.equal(
    await ask('reader', 'res.users', 'has_group', { ids: [2], named: { group_ext_id: 'uom.group_uom' } }),
    true,
  )
  await assert.rejects(ask('admin', 'res.config.settings', 'set_values', { ids }), AccessError)
})

test('products: uninstalling modules removes what they installed', async () => {
  await uninstallModules(db.databases, 'test', ['product', 'uom'])
  const rows = await db.databases
    .database('test')
    .then((database) =>
      database.pool.use((connection) =>
        connection.query("SELECT relname FROM pg_class WHERE relname LIKE 'product%' OR relname LIKE 'uom%'"),
      ),
    )
  assert.deepEqual(rows, [])
  assert.deepEqual(
    await ask('reader', 'res.partner', 'search_count', { named: { domain: [['name', '=', 'Reader']] } }),
    1,
  )
})
