// Pricelists over a real database: thousands of prices at once, who has which list, the feature and its
// switch, and rules out of an export.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { ValidationError } from '../../errors.ts'
import { base } from '../base/index.ts'
import { mail } from '../mail/index.ts'
import { uomModule } from '../uom/index.ts'
import { pricesOf, product } from './index.ts'
import { chooseList } from './pricelist-choice.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base, mail, uomModule, product])
})
after(() => database?.close())

const execute = async (env: Environment, vals: object) =>
  (await env.model('res.config.settings').create([vals])).execute({})

test('a thousand prices take as many statements as thirty, and are those of one by one', () =>
  database.run(async (env) => {
    const category = (await env.model('product.category').create([{ name: 'Many' }])).ensureOne()
    const createdProducts = await env.model('product.product').create(
      Array.from({ length: 1000 }, (_, i) => ({
        name: `P${i}`,
        list_price: i / 100,
        standard_price: i / 200,
        ...(i % 2 ? { categ_id: category } : {}),
      })) as never,
    )
    const [retail, list] = (
      await env.model('product.pricelist').create([{ name: 'Retail' }, { name: 'Resale' }])
    ).ids as [number, number]
    await env.model('product.pricelist.item').create([
      { pricelist_id: retail, categ_id: category, compute_price: 'percentage', percent_price: 10 },
      {
        pricelist_id: list,
        compute_price: 'formula',
        base: 'pricelist',
        base_pricelist_id: retail,
        price_surcharge: 1,
        min_quantity: 2,
      },
      ...createdProducts.ids
        .slice(0, 300)
        .map((id, i) => ({ pricelist_id: list, product_id: id, fixed_price: i, min_quantity: 5 })),
    ])
    const ask = (id: number, i: number) => ({ product: id, quantity: (i % 7) + 1 })
    const count = async (ids: readonly number[]) => {
      env.unit.cache.clear()
      const start = env.unit.usage.statements
      await pricesOf(env, ids.map(ask), { pricelist: list })
      return env.unit.usage.statements - start
    }
    await count(createdProducts.ids.slice(0, 1))
    const [some, many] = [await count(createdProducts.ids.slice(0, 30)), await count(createdProducts.ids)]
    assert.equal(many, some)
    assert.ok(many <= 6, `${many} statements`)
    const all = await pricesOf(env, createdProducts.ids.map(ask), { pricelist: list })
    for (const i of [0, 1, 4, 5, 13, 299, 300, 998, 999]) {
      const id = createdProducts.ids[i] as number
      const alone = await env
        .withContext({ pricelist: list, quantity: (i % 7) + 1 })
        .model('product.product')
        .browse([id])
        .get_contextual_price({})
      assert.equal(all[i]?.price, alone, `price of ${i}`)
    }
    assert.equal(all[4]?.price, 4, 'the fixed price from 5 on')
    assert.equal(all[13]?.price, 13)
    assert.equal(all[999]?.price, 9.991, '9.99 less 10 percent and 1')
  }))

test('levels, targets and what a rule is called follow from what is given', () =>
  database.run(async (env) => {
    const list = (await env.model('product.pricelist').create([{ name: 'Levels' }])).ensureOne()
    const mug = await env.model('product.product').create([{ name: 'Mug', default_code: 'M' } as never])
    const { product_tmpl_id } = await mug.one(['product_tmpl_id'])
    const rules = await env
      .model('product.pricelist.item')
      .create([
        { pricelist_id: list, product_id: mug.ensureOne() },
        { pricelist_id: list, product_tmpl_id: product_tmpl_id.id },
        { pricelist_id: list },
        { pricelist_id: list, applied_on: '3_global', product_id: mug.ensureOne() },
      ])
    const rows = await rules.load(['applied_on', 'name', 'product_id', 'product_tmpl_id'])
    assert.deepEqual(
      rows.map((row) => [row.applied_on, row.name, row.product_id?.id ?? null]),
      [
        ['0_product_variant', 'Variant: [M] Mug', mug.ensureOne()],
        ['1_product', 'Product: [M] Mug', null],
        ['3_global', 'All Products', null],
        ['3_global', 'All Products', null],
      ],
    )
    const copy = await env.model('product.pricelist').browse([list]).copy()
    assert.equal((await copy.one(['item_ids'])).item_ids.length, 4)
    const [first] = rules.ids as [number]
    await assert.rejects(
      env.unit.savepoint(() =>
        env
          .model('product.pricelist.item')
          .browse([first])
          .write({ base: 'pricelist', base_pricelist_id: list }),
      ),
      ValidationError,
    )
  }))

test('the list of a customer: its own, that of its country, the first for all', () => {
  const lists = [
    { id: 1, countries: [33] },
    { id: 2, countries: null },
    { id: 3, countries: [49, 33] },
    { id: 4, countries: null },
  ]
  assert.equal(chooseList({ id: 9, own: 4, country: 33 }, lists), 4)
  assert.equal(chooseList({ id: 9, own: null, country: 33 }, lists), 1)
  assert.equal(chooseList({ id: 9, own: null, country: 49 }, lists), 3)
  assert.equal(chooseList({ id: 9, own: null, country: 1 }, lists), 2)
  assert.equal(chooseList({ id: 9, own: 77, country: null }, lists), 2, 'an archived one is none')
  assert.equal(chooseList({ id: 9, own: null, country: 1 }, lists.slice(0, 1)), null)
})

test('pricelist feature: contacts have no list without it, share that of their company with it; switching off archives all', () =>
  database.run(async (env) => {
    const company = (
      await env.model('res.partner').create([{ name: 'Golden', is_company: true }])
    ).ensureOne()
    const person = (
      await env.model('res.partner').create([{ name: 'Room 2', parent_id: company }])
    ).ensureOne()
    await execute(env, { group_product_pricelist: false })
    const gold = (await env.model('product.pricelist').create([{ name: 'Gold', sequence: 900 }])).ensureOne()
    const people = env.model('res.partner').browse([company, person])
    const lists = async () =>
      (await people.withContext({ ask: Math.random() }).load(['property_product_pricelist'])).map(
        (one) => one.property_product_pricelist?.id ?? null,
      )
    await people.browse([person]).write({ property_product_pricelist: gold })
    assert.deepEqual(await lists(), [null, null])
    await execute(env, { group_product_pricelist: true })
    env.unit.cache.clear()
    assert.deepEqual(await lists(), [gold, gold])
    assert.equal(
      (
        (await env
          .model('res.config.settings')
          .invoke('default_get', { fields: ['group_product_pricelist'] })) as Record<string, unknown>
      ).group_product_pricelist,
      true,
    )
    await execute(env, {})
    assert.equal(
      (await env.model('product.pricelist').browse([gold]).one(['active'])).active,
      true,
      'saving what is in force changes nothing',
    )
    await execute(env, { group_product_pricelist: false })
    assert.equal((await env.model('product.pricelist').browse([gold]).one(['active'])).active, false)
  }))

test('a second active currency switches pricelists on and sees that there is one', () =>
  database.run(async (env) => {
    await execute(env, { group_product_pricelist: false })
    assert.equal(await env.model('product.pricelist').searchCount([['active', '=', true]]), 0)
    await env.model('res.currency').create([{ name: 'XT1', symbol: 'x' }])
    const { group_product_pricelist } = await (await env.model('res.config.settings').create([{}])).one([
      'group_product_pricelist',
    ])
    assert.equal(group_product_pricelist, true)
    assert.ok((await env.model('product.pricelist').searchCount([['active', '=', true]])) > 0)
  }))

test('names that an export shows are names that an import finds', () =>
  database.run(async (env) => {
    const list = (await env.model('product.pricelist').create([{ name: 'Friends' }])).ensureOne()
    const colour = (
      await env.model('product.attribute').create([{ name: 'Paint', value_ids: [[0, 0, { name: 'Red' }]] }])
    ).ensureOne()
    await env.model('product.product').create([
      { name: 'Tin (small): red', default_code: 'T-1' },
      { name: 'Tin', default_code: 'T-1x' },
      {
        name: 'Door',
        attribute_line_ids: [
          [0, 0, { attribute_id: colour, value_ids: [[0, 0, { name: 'Blue', attribute_id: colour }]] }],
        ],
      },
    ] as never)
    const rules = env.model('product.pricelist.item')
    const imported = async (fields: string[], data: string[][]) =>
      (await rules.invoke('load', { fields, data })) as { ids: number[] | false; messages: unknown[] }
    const fields = ['pricelist_id', 'applied_on', 'product_tmpl_id', 'product_id', 'fixed_price']
    const shown = [
      'Friends (USD)',
      'Product Variant',
      '[T-1] Tin (small): red',
      '[T-1] Tin (small): red',
      '3',
    ]
    const { ids, messages } = await imported(fields, [shown])
    assert.deepEqual(messages, [])
    const exported = await rules
      .browse(ids || [])
      .invoke('export_data', { fields_to_export: fields.slice(0, 4) })
    assert.deepEqual(exported, { datas: [shown.slice(0, 4)] })
    assert.equal((await rules.browse(ids || []).one(['pricelist_id'])).pricelist_id.id, list)
    // A part alone is not the name, and neither is another order of them.
    for (const wrong of ['[T-1] Tin', '[T-2] Tin (small): red', 'Tin (small): red [T-1]', '[T-1]x Tin'])
      assert.equal((await imported(['product_tmpl_id', 'fixed_price'], [[wrong, '3']])).ids, false, wrong)
    const [line] = (await env.model('product.template').create([{ name: 'Gate' }])).ids
    const values = (await env.model('product.template').invoke('load', {
      fields: ['.id', 'attribute_line_ids/attribute_id', 'attribute_line_ids/value_ids'],
      data: [[String(line), 'Paint', 'Paint: Red,Paint: Blue']],
    })) as { messages: unknown[] }
    assert.deepEqual(values.messages, [])
  }))
