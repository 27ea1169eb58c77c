// Which modules a shop has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modules } from './index.ts'
import { shopModules } from './shop.ts'

test('shop modules: without a choice, all of this package', () => {
  assert.deepEqual(
    shopModules(),
    modules.map(({ name }) => name),
  )
})

test('shop modules: what connects the chosen applications comes along, and other applications do not', () => {
  const names = new Set(shopModules(['sale_management', 'stock']))
  for (const name of ['sale_stock', 'stock_account', 'sale_margin', 'account'])
    assert.ok(names.has(name), name)
  for (const name of ['purchase', 'purchase_stock', 'point_of_sale', 'pos_sale'])
    assert.ok(!names.has(name), name)
  const applications = modules.filter(({ application }) => application).map(({ name }) => name)
  assert.deepEqual(shopModules(applications).sort(), shopModules().sort())
})

test('shop modules: a module of somebody else is there where it is chosen', () => {
  assert.ok(shopModules(['loyalty', 'stock']).includes('loyalty'))
})
