// Names of the units of weights, volumes and lengths, as the settings choose them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { modulesWith } from '../../../test/support/sets.ts'
import type { Environment } from '../../models/index.ts'

let database: TestDatabase
let packageType: number
before(async () => {
  database = await openTestDatabase(modulesWith('stock'))
  packageType = await database.run(async (env) => {
    await env.model('product.template').create([{ name: 'Anvil' }])
    return (await env.model('stock.package.type').create([{ name: 'Box' }])).ensureOne()
  })
})
after(() => database?.close())

/** Names of the units of a product's weight and volume, and of a package type's weight and length. */
async function unitNames(env: Environment): Promise<unknown[]> {
  const product = await env.model('product.template').search([], { limit: 1 })
  const shown = await product.one(['weight_uom_name', 'volume_uom_name'])
  const { weight_uom_name, length_uom_name } = await env
    .model('stock.package.type')
    .browse([packageType])
    .one(['weight_uom_name', 'length_uom_name'])
  return [shown.weight_uom_name, shown.volume_uom_name, weight_uom_name, length_uom_name]
}

const choose = async (env: Environment, vals: object) =>
  (await env.model('res.config.settings').create([vals as never])).execute({})

test('measures: units are metric until the settings choose others, and follow the settings', () =>
  database.run(async (env) => {
    assert.deepEqual(await unitNames(env), ['kg', 'm³', 'kg', 'mm'])
    await choose(env, { product_weight_in_lbs: '1' })
    assert.deepEqual(await unitNames(env), ['lb', 'm³', 'lb', 'mm'])
    await choose(env, { product_volume_volume_in_cubic_feet: '1' })
    assert.deepEqual(await unitNames(env), ['lb', 'ft³', 'lb', 'ft'])
    const shown = await (await env.model('res.config.settings').create([{}])).one(['product_weight_in_lbs'])
    assert.equal(shown.product_weight_in_lbs, '1')
    await choose(env, { product_weight_in_lbs: '0', product_volume_volume_in_cubic_feet: '0' })
    assert.deepEqual(await unitNames(env), ['kg', 'm³', 'kg', 'mm'])
  }))

test('measures: a parameter that a client sets counts as well, and names follow the language', () =>
  database.run(async (env) => {
    const parameters = env.model('ir.config_parameter')
    await parameters.set_param({ key: 'product.weight_in_lbs', value: '1' })
    assert.equal((await unitNames(env))[0], 'lb')
    await env
      .model('uom.uom')
      .browse([await env.ref('uom.product_uom_lb')])
      .write({ name: 'pound' })
    assert.equal((await unitNames(env))[0], 'pound')
    // A text that is no choice counts as unset, for the settings too.
    await parameters.set_param({ key: 'product.weight_in_lbs', value: 'True' })
    assert.equal((await unitNames(env))[0], 'kg')
    const form = await env.model('res.config.settings').create([{}])
    assert.equal((await form.one(['product_weight_in_lbs'])).product_weight_in_lbs, '0')
    await parameters.set_param({ key: 'product.weight_in_lbs', value: false })
    assert.equal((await unitNames(env))[0], 'kg')
  }))
