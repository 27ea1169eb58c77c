// Products over a real database: what variants and templates share, barcodes, costs by company, combos,
// vendors, names, rights.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { ServiceError, ValidationError } from '../../errors.ts'
import { base } from '../base/index.ts'
import { mail } from '../mail/index.ts'
import { uomModule } from '../uom/index.ts'
import { product } from './index.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base, mail, uomModule, product])
})
after(() => database?.close())

const attempt = <T>(env: Environment, work: () => Promise<T>) => env.unit.savepoint(work)
/** Creates products with values that the delegate takes. */
const make = (env: Environment, ...list: Record<string, unknown>[]) =>
  env.model('product.product').create(list as never)

test('prices are shown and written in the unit of the context, extras apart', () =>
  database.run(async (env) => {
    const six = await env.ref('uom.product_uom_pack_6')
    const egg = await make(env, { name: 'Egg', list_price: 0.35 })
    assert.equal((await egg.withContext({ uom: six }).one(['lst_price'])).lst_price, 2.1)
    await egg.withContext({ uom: six }).write({ lst_price: 2.4 })
    assert.equal((await egg.one(['lst_price'])).lst_price, 0.4)
    const products = await env.model('product.product').search([['lst_price', '=', 0.4]])
    assert.deepEqual(products.ids, egg.ids)
  }))

test('a cost belongs to a company; a template shows that of its only variant', () =>
  database.run(async (env) => {
    const other = (await env.model('res.company').create([{ name: 'Second' }])).ensureOne()
    const mug = await make(env, { name: 'Mug', standard_price: 2.2 })
    const { product_tmpl_id } = await mug.one(['product_tmpl_id'])
    const otherEnv = env.withContext({ allowed_company_ids: [other] })
    const template = (at: Environment) => at.model('product.template').browse([product_tmpl_id.id])
    assert.equal((await template(otherEnv).one(['standard_price'])).standard_price, 0)
    await template(otherEnv).write({ standard_price: 3 })
    assert.equal(
      (await otherEnv.model('product.product').browse(mug.ids).one(['standard_price'])).standard_price,
      3,
    )
    assert.equal((await template(env).one(['standard_price'])).standard_price, 2.2)
  }))

test('a barcode names one thing in each company; what is archived names nothing', () =>
  database.run(async (env) => {
    const other = (await env.model('res.company').create([{ name: 'Barcode Company' }])).ensureOne()
    const ownCompany = { company_id: env.companyId }
    const [a] = (await make(env, { name: 'A', barcode: '111', ...ownCompany })).ids as [number]
    await make(env, { name: 'Elsewhere', barcode: '111', company_id: other })
    await assert.rejects(
      attempt(env, () => make(env, { name: 'B', barcode: '111', ...ownCompany })),
      ValidationError,
    )
    await assert.rejects(
      attempt(env, () => make(env, { name: 'For all', barcode: '111' })),
      ValidationError,
    )
    await assert.rejects(
      attempt(env, () => make(env, { name: 'C', barcode: '222' }, { name: 'D', barcode: '222' })),
      ValidationError,
    )
    const first = env.model('product.product').browse([a])
    await first.write({ active: false })
    await make(env, { name: 'B', barcode: '111', ...ownCompany })
    await assert.rejects(
      attempt(env, () => first.write({ active: true })),
      ValidationError,
    )
  }))

test('combos: need choices, lose them with their type, and cannot be a choice of another combo', () =>
  database.run(async (env) => {
    const parts = await make(env, { name: 'Soup', list_price: 5 }, { name: 'Salad', list_price: 4 })
    const choice = await env
      .model('product.combo')
      .create([
        { name: 'Starter', combo_item_ids: parts.ids.map((id) => [0, 0, { product_id: id }] as const) },
      ])
    assert.equal((await choice.one(['base_price'])).base_price, 4)
    const menu = await make(env, { name: 'Menu', type: 'combo', combo_ids: [[6, 0, choice.ids]] })
    const { product_tmpl_id } = await menu.one(['product_tmpl_id'])
    const template = env.model('product.template').browse([product_tmpl_id.id])
    await assert.rejects(
      attempt(env, () => template.write({ combo_ids: [[5, 0, 0]] })),
      ValidationError,
    )
    await assert.rejects(
      attempt(env, () => choice.write({ combo_item_ids: [[0, 0, { product_id: menu.ensureOne() }]] })),
      ValidationError,
    )
    const copy = await choice.copy()
    assert.equal((await copy.one(['combo_item_count'])).combo_item_count, 2)
    await template.write({ type: 'service' })
    assert.equal((await template.one(['combo_ids'])).combo_ids.length, 0)
  }))

test("vendors' offers find their product, unit and variant", () =>
  database.run(async (env) => {
    const vendor = (await env.model('res.partner').create([{ name: 'Mill' }])).ensureOne()
    const flour = await make(env, { name: 'Flour', seller_ids: [[0, 0, { partner_id: vendor, price: 1.8 }]] })
    const { product_tmpl_id } = await flour.one(['product_tmpl_id'])
    const [first] = await (
      await env.model('product.supplierinfo').search([['product_tmpl_id', '=', product_tmpl_id.id]])
    ).load(['product_id', 'product_uom_id', 'delay'])
    assert.deepEqual(
      [first?.product_id?.id, first?.product_uom_id.id, first?.delay],
      [flour.ensureOne(), 1, 1],
    )
    const six = await env.ref('uom.product_uom_pack_6')
    const offer = await env
      .model('product.supplierinfo')
      .create([
        { partner_id: vendor, product_id: flour.ensureOne(), price: 9.9, discount: 10, product_uom_id: six },
      ])
    assert.equal((await offer.one(['price_discounted'])).price_discounted, 1.485)
    const stranger = await make(env, { name: 'Stranger' })
    await assert.rejects(
      attempt(env, () =>
        env
          .model('product.supplierinfo')
          .create([
            { partner_id: vendor, product_tmpl_id: product_tmpl_id.id, product_id: stranger.ensureOne() },
          ]),
      ),
      ValidationError,
    )
    await assert.rejects(
      attempt(env, () => env.model('product.supplierinfo').create([{ partner_id: vendor }])),
      ValidationError,
    )
    await assert.rejects(
      attempt(env, () => offer.write({ date_start: '2025-02-02', date_end: '2025-02-01' })),
      ValidationError,
    )
  }))

test("names follow the vendor's words, wildcards in codes stand for themselves", () =>
  database.run(async (env) => {
    const vendor = (await env.model('res.partner').create([{ name: 'Vendor', is_company: true }])).ensureOne()
    const person = (await env.model('res.partner').create([{ name: 'Clerk', parent_id: vendor }])).ensureOne()
    const bulb = await make(
      env,
      { name: 'Bulb', default_code: 'X_1' },
      { name: 'Other', default_code: 'XY1' },
    )
    const [id] = bulb.ids as [number]
    await env
      .model('product.supplierinfo')
      .create([{ partner_id: vendor, product_id: id, product_code: 'V-7', product_name: 'Glow' }])
    const withPartner = env.withContext({ partner_id: person }).model('product.product').browse([id])
    const { display_name, code, partner_ref } = await withPartner.one(['display_name', 'code', 'partner_ref'])
    assert.deepEqual([display_name, code, partner_ref], ['[V-7] Glow', 'V-7', '[V-7] Glow'])
    const search = (name: string, more: object = {}) =>
      env
        .model('product.product')
        .invoke('name_search', { name, operator: 'ilike', domain: null, limit: 100, ...more })
    assert.deepEqual(await search('X_1'), [[id, '[X_1] Bulb']])
    assert.deepEqual(await search('X_1', { limit: 0 }), [[id, '[X_1] Bulb']])
    assert.ok(((await search('')) as unknown[]).length >= 2)
    const exact = await make(
      env,
      { name: 'Exact', default_code: 'B77' },
      { name: 'Longer', default_code: 'B771' },
    )
    const web = { name: 'B77', specification: { name: {} }, domain: null, operator: 'ilike', limit: 100 }
    assert.deepEqual(await env.model('product.product').invoke('web_name_search', web), [
      { id: exact.ids[0], name: 'Exact' },
    ])
    assert.deepEqual(await search('bulb', { operator: 'not ilike', domain: [['id', 'in', bulb.ids]] }), [
      [bulb.ids[1], '[XY1] Other'],
    ])
  }))

test('a list of products with names and prices is one statement, and says what the code says', () =>
  database.run(async (env) => {
    const [size, colour] = (
      await env.model('product.attribute').create([{ name: 'Size' }, { name: 'Colour', sequence: 1 }])
    ).ids as [number, number]
    const values = (
      await env.model('product.attribute.value').create([
        { name: 'S', attribute_id: size, sequence: 9, default_extra_price: 0.1 },
        { name: 'L', attribute_id: size, sequence: 1, default_extra_price: 0.2 },
        { name: 'Red', attribute_id: colour, default_extra_price: 0.1 },
        { name: 'Blue', attribute_id: colour },
      ])
    ).ids
    const line = (attribute_id: number, value_ids: readonly number[]) =>
      [0, 0, { attribute_id, value_ids: [[6, 0, value_ids]] }] as const
    const lines = [line(size, values.slice(0, 2)), line(colour, values.slice(2))]
    const [template] = (
      await env
        .model('product.template')
        .create([{ name: 'Hat', list_price: 0.1, attribute_line_ids: lines }])
    ).ids
    const variants = await env
      .model('product.product')
      .search([['product_tmpl_id', '=', template as number]], { order: 'id' })
    await variants.browse(variants.ids.slice(0, 1)).write({ default_code: 'H1' })
    await env.unit.registry.engine.flush(env)
    env.unit.cache.clear()
    const start = env.unit.usage.statements
    const rows = await variants.load(['display_name', 'lst_price', 'price_extra'])
    assert.equal(env.unit.usage.statements - start, 1)
    const compute = (name: string) =>
      env.unit.registry.engine.compute(
        env,
        env.def('product.product').fields.get(name) as never,
        variants.ids,
      )
    for (const field of ['display_name', 'lst_price', 'price_extra'] as const) {
      const computedValues = await compute(field)
      assert.deepEqual(
        rows.map((row) => row[field]),
        variants.ids.map((id) => computedValues.get(id)),
        field,
      )
    }
    assert.deepEqual(
      rows.map((row) => `${row.display_name}: ${row.lst_price}`),
      ['[H1] Hat (Red, L): 0.4', 'Hat (Red, S): 0.3', 'Hat (Blue, L): 0.3', 'Hat (Blue, S): 0.2'],
    )
  }))

test('deleting: products go with their last variant, variants with their product, used ones stay', () =>
  database.run(async (env) => {
    const [a, b] = (await make(env, { name: 'A' }, { name: 'B' })).ids as [number, number]
    const rows = await env.model('product.product').browse([a, b]).load(['product_tmpl_id'])
    await env.model('product.product').browse([a]).unlink()
    await env
      .model('product.template')
      .browse([rows[1]?.product_tmpl_id.id as number])
      .unlink()
    const templates = env.model('product.template').browse(rows.map((row) => row.product_tmpl_id.id))
    assert.equal((await templates.exists()).length, 0)
    assert.equal((await env.model('product.product').browse([a, b]).exists()).length, 0)
  }))

test('odd input is refused in words, never with a fault of the server', () =>
  database.run(async (env) => {
    const mug = await make(env, { name: 'Mug' })
    const refused: (() => Promise<unknown>)[] = [
      () => make(env, { name: 'X', uom_id: 99_999 }),
      () => make(env, { name: 'X', attribute_line_ids: 'nonsense' }),
      () => make(env, { name: 'X', attribute_line_ids: [[0, 0, {}]] }),
      () => make(env, { name: 'X', product_template_attribute_value_ids: [[6, 0, [99_999]]] }),
      () => make(env, { product_tmpl_id: 99_999 }),
      () => mug.write({ lst_price: 'dear' as never }),
      () => env.model('product.product').browse([99_999]).copy(),
      () => env.model('res.partner').browse([1]).write({ property_product_pricelist: 99_999 }),
      () => mug.withContext({ quantity: 'many' }).get_contextual_price({}),
      () => mug.withContext({ pricelist: 99_999 }).get_contextual_price({}),
      () => mug.withContext({ uom: 99_999 }).get_contextual_price({}),
      () => mug.withContext({ date: 'tomorrow' }).get_contextual_price({}),
      () => env.model('product.product').browse([]).get_contextual_price({}),
      () => env.model('product.supplierinfo').create([{ partner_id: 1, product_id: 99_999 }]),
      () => env.model('product.pricelist.item').create([{ pricelist_id: 1, product_id: 99_999 }]),
    ]
    for (const [i, work] of refused.entries()) {
      await assert.rejects(
        attempt(env, work),
        (error: Error & { code?: string }) =>
          error instanceof ServiceError || /^2[23]/.test(error.code ?? ''),
        `attempt ${i}`,
      )
    }
    const template = env
      .model('product.template')
      .browse([(await mug.one(['product_tmpl_id'])).product_tmpl_id.id])
    await assert.rejects(template.get_contextual_price({ product: 'red' as never }), /must be an id/)
  }))
