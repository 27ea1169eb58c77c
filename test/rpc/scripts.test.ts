// Calls of scripts written over the years: ranks of contacts, lists of reports, ids as texts, prices
// with attributes, keys in a dry run.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires()
})
after(() => wires.close())

/** The result of a JSON-2 call, which must succeed. */
async function ask<T>(path: string, body: object): Promise<T> {
  const { result, error } = await wires.json2(path, body)
  assert.equal(error, undefined, `${path}: ${error?.message}`)
  return result as T
}
const make = async (model: string, vals: object) =>
  (await ask<[number]>(`${model}/create`, { vals_list: [vals] }))[0]
const names = (id: number) =>
  ask<{ id: number; name: string }[]>('product.template.attribute.value/search_read', {
    domain: [['product_tmpl_id', '=', id]],
    fields: ['name'],
    order: 'id',
  })

test('scripts: ranks of contacts are whole numbers, 0 by default, and are not copied', async () => {
  const ranks = async (id: number) => {
    const [row] = await ask<object[]>('res.partner/read', {
      ids: [id],
      fields: ['customer_rank', 'supplier_rank'],
    })
    return row
  }
  const customer = await make('res.partner', { name: 'Customer', customer_rank: 1 })
  assert.deepEqual(await ranks(customer), { id: customer, customer_rank: 1, supplier_rank: 0 })
  assert.deepEqual(await ask('res.partner/search', { domain: [['customer_rank', '>', 0]] }), [customer])
  const [copy] = await ask<[number]>('res.partner/copy', { ids: [customer] })
  assert.deepEqual(await ranks(copy), { id: copy, customer_rank: 0, supplier_rank: 0 })
})

test('scripts: list reports by name, model, template and type', async () => {
  const fields = ['name', 'model', 'report_name', 'report_type']
  const rows = await ask<Record<string, unknown>[]>('ir.actions.report/search_read', { domain: [], fields })
  assert.ok(rows.length > 0)
  for (const row of rows)
    for (const field of fields)
      assert.ok(row[field] && typeof row[field] === 'string', `${field} of ${row.id}`)
  assert.deepEqual(await ask('ir.actions.report/search_count', { domain: [['model', '=', 'sale.order']] }), 1)
})

test('scripts: ids as texts are rejected', async () => {
  for (const ids of ['1', ['1']]) {
    assert.match(
      String((await wires.kw('res.partner', 'read', [ids, ['name']])).error?.message),
      /ids must be/,
    )
    assert.equal((await wires.json2('res.partner/read', { ids, fields: ['name'] })).error?.status, 422)
  }
})

test('scripts: a unit price sent with attribute values in the same call is kept, and is computed without', async () => {
  const attribute = await make('product.attribute', {
    name: 'Gift',
    create_variant: 'no_variant',
    value_ids: [
      [0, 0, { name: 'Wrapped', default_extra_price: 5 }],
      [0, 0, { name: 'Plain' }],
      [0, 0, { name: 'Own words', is_custom: true }],
    ],
  })
  const [{ value_ids }] = await ask<[{ value_ids: number[] }]>('product.attribute/read', {
    ids: [attribute],
    fields: ['value_ids'],
  })
  const lines = [[0, 0, { attribute_id: attribute, value_ids: [[6, 0, value_ids]] }]]
  const mug = await make('product.template', {
    name: 'Mug',
    list_price: 10,
    taxes_id: [],
    attribute_line_ids: lines,
  })
  const [{ product_variant_id: variant }] = await ask<[{ product_variant_id: [number, string] }]>(
    'product.template/read',
    {
      ids: [mug],
      fields: ['product_variant_id'],
    },
  )
  const [wrapped = 0, plain = 0, ownValue = 0] = (await names(mug)).map(({ id }) => id)
  const values = (...ids: number[]) => ({ product_no_variant_attribute_value_ids: [[6, 0, ids]] })
  const words = {
    product_custom_attribute_value_ids: [
      [0, 0, { custom_product_template_attribute_value_id: ownValue, custom_value: 'Hi' }],
    ],
  }
  const line = (vals: object) => [
    0,
    0,
    { product_id: variant[0], product_uom_qty: 2, ...values(wrapped), ...vals },
  ]
  const order = await make('sale.order', {
    partner_id: 1,
    order_line: [line({}), line({ price_unit: 3.5 }), line({ price_unit: 4, ...words })],
  })
  const prices = async () => {
    const rows = await ask<{ id: number; price_unit: number }[]>('sale.order.line/search_read', {
      domain: [['order_id', '=', order]],
      fields: ['price_unit'],
      order: 'id',
    })
    return { ids: rows.map(({ id }) => id), units: rows.map(({ price_unit }) => price_unit) }
  }
  const { ids, units } = await prices()
  assert.deepEqual(units, [15, 3.5, 4])
  await ask('sale.order.line/write', { ids: [ids[0]], vals: { price_unit: 7, ...values(plain) } })
  await ask('sale.order/write', {
    ids: [order],
    vals: { order_line: [[1, ids[2], { price_unit: 9, product_uom_qty: 5, ...values(plain) }]] },
  })
  assert.deepEqual((await prices()).units, [7, 3.5, 9])
})

test('scripts: a key works in the neutralized copy of its database', async () => {
  await wires.databases.duplicate('test', 'rehearsal', { neutralize: true })
  const answer = await fetch(`${wires.server.url}/json/2/res.users/context_get`, {
    method: 'POST',
    headers: {
      authorization: `bearer ${wires.key}`,
      'content-type': 'application/json',
      'x-service-database': 'rehearsal',
    },
    body: '{}',
  })
  assert.equal(answer.status, 200)
  assert.equal(((await answer.json()) as { uid: number }).uid, 2)
})
