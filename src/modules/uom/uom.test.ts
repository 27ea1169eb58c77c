// Units over a real database: trees, roots, what may not be done, and what the module brings.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { modulesWith } from '../../../test/support/sets.ts'
import { UserError } from '../../errors.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase(modulesWith('base', 'uom'))
})
after(() => database?.close())

test('built-in units hold what people know them to hold', () =>
  database.run(async (env) => {
    const factor = async (xmlid: string) =>
      (
        await env
          .model('uom.uom')
          .browse([await env.ref(`uom.${xmlid}`)])
          .one(['factor'])
      ).factor
    assert.equal((await factor('product_uom_lb')) / (await factor('product_uom_kgm')), 0.45359237)
    assert.equal((await factor('product_uom_mile')) / (await factor('product_uom_meter')), 1609.344)
    assert.equal((await factor('product_uom_gal')) / (await factor('product_uom_litre')), 3.785411784)
    assert.equal((await factor('product_uom_ton')) / (await factor('product_uom_kgm')), 1000)
    assert.equal(await factor('product_uom_dozen'), 12)
    // Hours, grams and square metres are what the others are counted in, as clients know them.
    for (const root of ['product_uom_hour', 'product_uom_gram', 'product_uom_square_meter'])
      assert.equal(await factor(root), 1)
    assert.equal(await factor('product_uom_minute'), 0.0166667)
    assert.equal(await env.ref('uom.product_uom_unit'), 1)
    assert.equal(await env.ref('uom.product_uom_pack_6'), 2)
  }))

test('factors follow the chain, a moved unit takes its own along', () =>
  database.run(async (env) => {
    const units = env.model('uom.uom')
    const [cone] = (await units.create([{ name: 'Cone' }])).ids as [number]
    const [box] = (await units.create([{ name: 'Box', relative_factor: 24, relative_uom_id: cone }])).ids as [
      number,
    ]
    const [pallet] = (await units.create([{ name: 'Pallet', relative_factor: 40, relative_uom_id: box }]))
      .ids as [number]
    const factor = async (id: number) => (await units.browse([id]).one(['factor'])).factor
    assert.equal(await factor(pallet), 960)
    await units.browse([box]).write({ relative_factor: 2.5 })
    assert.equal(await factor(pallet), 100)
    await units.browse([pallet]).write({ relative_uom_id: cone })
    assert.equal(await factor(pallet), 40)
    await assert.rejects(units.browse([cone]).write({ relative_uom_id: pallet }), UserError)
  }))

test('a root counts as one, built-in units stay', () =>
  database.run(async (env) => {
    const units = env.model('uom.uom')
    const attempt = (work: () => Promise<unknown>) => env.unit.savepoint(work)
    await assert.rejects(
      attempt(() => units.create([{ name: 'Half', relative_factor: 0.5 }])),
      UserError,
    )
    const gram = units.browse([await env.ref('uom.product_uom_gram')])
    await assert.rejects(
      attempt(() => gram.write({ relative_factor: 2 })),
      UserError,
    )
    await assert.rejects(
      attempt(() => gram.unlink()),
      UserError,
    )
    const kilogram = units.browse([await env.ref('uom.product_uom_kgm')])
    await assert.rejects(
      attempt(() => kilogram.write({ relative_uom_id: false })),
      UserError,
    )
    await units.browse([await env.ref('uom.product_uom_dozen')]).unlink()
  }))

test('the step of quantities is that of the precision', () =>
  database.run(async (env) => {
    const unit = env.model('uom.uom').browse([1])
    assert.equal((await unit.one(['rounding'])).rounding, 0.01)
    const [precision] = (await env.model('decimal.precision').search([['name', '=', 'Product Unit']])).ids
    await env
      .model('decimal.precision')
      .browse([precision as number])
      .write({ digits: 3 })
    const later = env.withContext({ again: true })
    assert.equal(await later.model('decimal.precision').precision_get({ application: 'Product Unit' }), 3)
    assert.equal(await later.model('decimal.precision').precision_get({ application: 'Nobody said' }), 2)
  }))
