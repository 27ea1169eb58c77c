// Variants over a real database: what follows when lines, values and exclusions of products change.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { UserError, ValidationError } from '../../errors.ts'
import { base } from '../base/index.ts'
import { mail } from '../mail/index.ts'
import { uomModule } from '../uom/index.ts'
import { product } from './index.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base, mail, uomModule, product])
})
after(() => database?.close())

interface Attribute {
  readonly id: number
  readonly values: Readonly<Record<string, number>>
}

async function attribute(
  env: Environment,
  name: string,
  values: readonly string[],
  create_variant: 'always' | 'dynamic' | 'no_variant' = 'always',
) {
  const attributes = await env.model('product.attribute').create([{ name, create_variant }])
  const ids = (
    await env
      .model('product.attribute.value')
      .create(values.map((value) => ({ name: value, attribute_id: attributes.ensureOne() })))
  ).ids
  return {
    id: attributes.ensureOne(),
    values: Object.fromEntries(values.map((value, i) => [value, ids[i] as number])),
  } as Attribute
}

const lineOf = ({ id, values }: Attribute, names = Object.keys(values)) =>
  [0, 0, { attribute_id: id, value_ids: [[6, 0, names.map((name) => values[name])]] }] as const

async function shirt(env: Environment, lines: readonly (readonly [0, 0, object])[] = []) {
  const templates = await env
    .model('product.template')
    .create([{ name: 'Shirt', list_price: 20, attribute_line_ids: lines }])
  return templates.ensureOne()
}

async function names(env: Environment, template: number, active = true): Promise<string[]> {
  const variants = await env
    .withContext({ active_test: false })
    .model('product.product')
    .search(
      [
        ['product_tmpl_id', '=', template],
        ['active', '=', active],
      ],
      { order: 'id' },
    )
  return (await variants.load(['display_name'])).map((variant) => variant.display_name)
}

const values = async (env: Environment, template: number) =>
  new Map(
    (
      await (
        await env.model('product.template.attribute.value').search([['product_tmpl_id', '=', template]])
      ).load(['name', 'price_extra', 'ptav_active'])
    ).map((value) => [value.name as string, value]),
  )

test('attributes given to a plain product replace its variant and leave the product', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const id = await shirt(env)
    await env
      .model('product.template')
      .browse([id])
      .write({ attribute_line_ids: [lineOf(size)] })
    assert.deepEqual(await names(env, id), ['Shirt (S)', 'Shirt (L)'])
    assert.deepEqual(await names(env, id, false), [])
  }))

test('an attribute with one value is taken over by the variants, with what they have', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const cloth = await attribute(env, 'Cloth', ['Linen', 'Wool'])
    const id = await shirt(env, [lineOf(size)])
    const before = (await env.model('product.product').search([['product_tmpl_id', '=', id]])).ids
    await env
      .model('product.template')
      .browse([id])
      .write({ attribute_line_ids: [lineOf(cloth, ['Linen'])] })
    assert.deepEqual((await env.model('product.product').search([['product_tmpl_id', '=', id]])).ids, before)
    assert.deepEqual(await names(env, id), ['Shirt (S)', 'Shirt (L)'])
    const [line] = (
      await env.model('product.template.attribute.line').search([['attribute_id', '=', cloth.id]])
    ).ids
    await env
      .model('product.template.attribute.line')
      .browse([line as number])
      .write({ value_ids: [[4, cloth.values.Wool, 0]] })
    assert.equal((await names(env, id)).length, 4)
  }))

test('a value taken away takes unused variants with it and archives used ones; coming back it wakes them', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'M', 'L'])
    const id = await shirt(env, [lineOf(size)])
    const products = await env
      .model('product.product')
      .search([['product_tmpl_id', '=', id]], { order: 'id' })
    const used = products.ids[1] as number
    await env
      .model('product.combo')
      .create([{ name: 'Choice', combo_item_ids: [[0, 0, { product_id: used }]] }])
    const line = await env.model('product.template.attribute.line').search([['product_tmpl_id', '=', id]])
    await line.write({ value_ids: [[6, 0, [size.values.L as number]]] })
    // With one value left, the line tells nothing apart any more.
    assert.deepEqual([await names(env, id), await names(env, id, false)], [['Shirt'], ['Shirt']])
    assert.deepEqual(
      [...(await values(env, id)).values()].map((value) => [value.name, value.ptav_active]),
      [
        ['M', false],
        ['L', true],
      ],
    )
    await line.write({ value_ids: [[6, 0, [size.values.M as number, size.values.L as number]]] })
    assert.deepEqual([await names(env, id), await names(env, id, false)], [['Shirt (M)', 'Shirt (L)'], []])
    assert.ok(
      (await env.model('product.product').search([['product_tmpl_id', '=', id]])).ids.includes(used),
      'the used one came back',
    )
  }))

test('a line taken away leaves what the other lines make', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const colour = await attribute(env, 'Colour', ['Red', 'Blue'])
    const id = await shirt(env, [lineOf(size), lineOf(colour)])
    const line = await env.model('product.template.attribute.line').search([['attribute_id', '=', colour.id]])
    await line.unlink()
    assert.deepEqual((await names(env, id)).sort(), ['Shirt (L)', 'Shirt (S)'])
    assert.equal((await line.exists()).length, 0)
    const rest = await env.model('product.template.attribute.line').search([['product_tmpl_id', '=', id]])
    await env
      .model('product.template')
      .browse([id])
      .write({ attribute_line_ids: [[2, rest.ensureOne(), 0]] })
    assert.deepEqual(await names(env, id), ['Shirt'])
    assert.equal((await values(env, id)).size, 0)
  }))

test('exclusions take variants away, and give them back when they go; never the last one', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const colour = await attribute(env, 'Colour', ['Red', 'Blue'])
    const id = await shirt(env, [lineOf(size), lineOf(colour)])
    const templateValues = await values(env, id)
    const pair = (a: string, b: readonly string[]) => ({
      product_template_attribute_value_id: templateValues.get(a)?.id as number,
      product_tmpl_id: id,
      value_ids: [[6, 0, b.map((name) => templateValues.get(name)?.id)]] as const,
    })
    const exclusion = await env.model('product.template.attribute.exclusion').create([pair('S', ['Blue'])])
    assert.deepEqual(await names(env, id), ['Shirt (S, Red)', 'Shirt (L, Red)', 'Shirt (L, Blue)'])
    const copy = await env.model('product.template').browse([id]).copy()
    assert.equal((await names(env, copy.ensureOne())).length, 3)
    await exclusion.unlink()
    assert.equal((await names(env, id)).length, 4)
    await assert.rejects(
      env.unit.savepoint(() =>
        env
          .model('product.template.attribute.exclusion')
          .create([pair('S', ['Red', 'Blue']), pair('L', ['Red', 'Blue'])]),
      ),
      UserError,
    )
    assert.equal((await names(env, id)).length, 4)
  }))

test('a copy has the lines, the extra prices and variants of its own; the copy of a variant is its counterpart', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const id = await shirt(env, [lineOf(size)])
    await env
      .model('product.template.attribute.value')
      .browse([(await values(env, id)).get('L')?.id as number])
      .write({ price_extra: 2.5 })
    const large = await env
      .model('product.product')
      .search([['product_tmpl_id', '=', id]], { order: 'id desc', limit: 1 })
    await large.write({ default_code: 'SH-L', barcode: '99', standard_price: 7 })
    const copy = await large.copy()
    const copyRow = await copy.one([
      'display_name',
      'lst_price',
      'default_code',
      'barcode',
      'standard_price',
      'product_tmpl_id',
    ])
    assert.notEqual(copyRow.product_tmpl_id.id, id)
    assert.deepEqual(
      [
        copyRow.display_name,
        copyRow.lst_price,
        copyRow.default_code,
        copyRow.barcode,
        copyRow.standard_price,
      ],
      ['Shirt (copy) (L)', 22.5, null, null, 0],
    )
  }))

test('variants made on demand: only values of the product, one of a line, no combination twice', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'], 'dynamic')
    const [id, other] = [await shirt(env, [lineOf(size)]), await shirt(env, [lineOf(size)])]
    const [ownValues, foreign] = [await values(env, id), await values(env, other)]
    const make = (ids: readonly (number | undefined)[]) =>
      env.unit.savepoint(() =>
        env
          .model('product.product')
          .create([{ product_tmpl_id: id, product_template_attribute_value_ids: [[6, 0, ids as number[]]] }]),
      )
    await make([ownValues.get('S')?.id])
    await assert.rejects(make([foreign.get('L')?.id]), ValidationError)
    await assert.rejects(make([ownValues.get('S')?.id, ownValues.get('L')?.id]), ValidationError)
    const variant = await env.model('product.product').search([['product_tmpl_id', '=', id]])
    assert.equal(variant.length, 1)
    await variant.unlink()
    assert.equal(
      (await env.model('product.template').browse([id]).exists()).length,
      1,
      'it waits for the next one',
    )
  }))

test('archiving: a product takes its variants along, the last variant its product', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const id = await shirt(env, [lineOf(size)])
    const [template, variants] = [
      env.model('product.template').browse([id]),
      await env.model('product.product').search([['product_tmpl_id', '=', id]]),
    ]
    const state = async () => (await template.one(['active'])).active
    await variants.browse(variants.ids.slice(0, 1)).invoke('action_archive', {})
    assert.equal(await state(), true)
    await variants.invoke('action_archive', {})
    assert.equal(await state(), false)
    await variants.browse(variants.ids.slice(0, 1)).invoke('action_unarchive', {})
    assert.equal(await state(), true)
    assert.equal((await names(env, id)).length, 1)
    await template.invoke('action_archive', {})
    await template.invoke('action_unarchive', {})
    assert.equal((await names(env, id)).length, 2)
  }))

test('many products are made in a bounded number of statements', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'M', 'L'])
    const list = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        name: `Bulk ${i}`,
        default_code: `B${i}`,
        attribute_line_ids: [lineOf(size)],
      }))
    const count = async (n: number) => {
      const start = env.unit.usage.statements
      await env.model('product.template').create(list(n).map(({ default_code: _, ...vals }) => vals))
      // Flush pending recomputations, so that they count for this case and not for the next.
      await env.unit.registry.engine.flush(env)
      return env.unit.usage.statements - start
    }
    // External ids are looked up until all of them are cached.
    for (const n of [1, 2]) await count(n)
    const [few, many] = [await count(2), await count(40)]
    assert.equal(many, few)
    const shown = await env
      .model('product.template')
      .create([{ name: 'Coded', default_code: 'C-1', weight: 2.345, attribute_line_ids: [lineOf(size)] }])
    const { default_code, weight } = await shown.one(['default_code', 'weight'])
    assert.deepEqual(
      [default_code, weight],
      ['C-1', 2.35],
      'what was given shows until a variant says otherwise',
    )
    const single = await env
      .model('product.template')
      .create(Array.from({ length: 30 }, (_, i) => ({ name: `One ${i}`, default_code: `O${i}`, weight: i })))
    const codes = await (
      await env.model('product.product').search([['product_tmpl_id', 'in', single.ids]], { order: 'id' })
    ).load(['default_code', 'weight'])
    assert.deepEqual(
      codes.map((code) => code.default_code),
      Array.from({ length: 30 }, (_, i) => `O${i}`),
    )
    assert.equal(codes[29]?.weight, 29)
  }))

test('variants copied together are answered in their order, each by a copy of its product, with as many statements as two need', () =>
  database.run(async (env) => {
    const size = await attribute(env, 'Size', ['S', 'L'])
    const engraving = await attribute(env, 'Engraving', ['Own', 'Ours'], 'dynamic')
    const shirts: number[] = []
    for (let n = 0; n < 8; n++) shirts.push(await shirt(env, [lineOf(size)]))
    const products = env.model('product.product')
    const large = (
      await products.search([['product_tmpl_id', 'in', shirts]], { order: 'product_tmpl_id, id desc' })
    ).ids.filter((_, i) => i % 2 === 0)
    await products.browse(large.slice(0, 1)).copy()
    const sent = (ids: readonly number[]) => statementsOf(() => products.browse(ids).copy())
    assert.equal((await sent(large)).length, (await sent(large.slice(0, 2))).length)

    const [first] = shirts as [number]
    const both = (await products.search([['product_tmpl_id', '=', first]], { order: 'id desc' })).ids
    const templates = await env
      .model('product.template')
      .create([{ name: 'Ring', attribute_line_ids: [lineOf(engraving)] }])
    const ring = await products.create([
      {
        product_tmpl_id: templates.ensureOne(),
        product_template_attribute_value_ids: [
          [6, 0, [(await values(env, templates.ensureOne())).get('Own')?.id as number]],
        ],
      },
    ])
    const copies = await products.browse([...both, ...ring.ids]).copy()
    const rows = await copies.load(['display_name', 'product_tmpl_id'])
    assert.deepEqual(
      rows.map((row) => row.display_name),
      ['Shirt (copy) (L)', 'Shirt (copy) (S)', 'Ring (copy) (Own)'],
    )
    assert.equal(new Set(rows.map((row) => row.product_tmpl_id.id)).size, 3)
  }))
