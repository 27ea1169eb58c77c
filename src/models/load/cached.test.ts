// Tests of what a load finds in the cache: all of it or nothing, and nothing that waits to be computed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import type { FieldDef } from '../language/definitions.ts'
import { fieldOf } from '../language/field-options.ts'
import { variantOf } from '../row/cache-key.ts'
import { ValueCache } from '../unit/cache.ts'
import { loadFromCache } from './cached.ts'

const person = testModel('person')
const field = (name: string) => fieldOf(person, name)

function knowing(values: Readonly<Record<string, Readonly<Record<number, unknown>>>>, su = true) {
  const env = testEnvironment({ su })
  Object.assign(env.unit, { cache: new ValueCache() })
  Object.assign(env.unit.recomputation, { computing: new Set<FieldDef>() })
  for (const [name, of] of Object.entries(values))
    for (const [id, value] of Object.entries(of))
      env.unit.cache.of(field(name), variantOf(env, field(name))).set(Number(id), value)
  return env
}

test('records, what they lead to and their lists, as far as the paths go', () => {
  const cachedValues = {
    name: { 1: 'Ann', 2: null },
    color: { 1: 3 },
    parent_id: { 1: 2, 2: null },
    child_ids: { 1: [2] },
  }
  const env = knowing(cachedValues)
  const tree = { name: {}, parent_id: { name: {}, parent_id: {} }, child_ids: { name: {} }, color: {} }
  const two = { id: 2, name: null }
  assert.deepEqual(loadFromCache(env, person, [1], tree), [
    {
      id: 1,
      name: 'Ann',
      color: 3,
      parent_id: { ...two, parent_id: null },
      child_ids: [two],
    },
  ])
  assert.deepEqual(loadFromCache(env, person, [1], { parent_id: {} }), [{ id: 1, parent_id: { id: 2 } }])
  assert.equal(loadFromCache(env, person, [1, 2], { color: {} }), null)
  assert.equal(loadFromCache(env, person, [1], { parent_id: { color: {} } }), null)
  assert.equal(loadFromCache(env, person, [1], {}), null)
  assert.equal(loadFromCache(env, person, [1], { nope: {} }), null)
  assert.equal(loadFromCache(knowing(cachedValues, false), person, [1], { name: {} }), null)
})

test('what waits to be computed is not at hand', () => {
  const env = knowing({ name: { 1: 'Ann', 2: 'Bob' }, color: { 1: 3 } })
  env.unit.recomputation.pending.set(field('name'), new Set([1]))
  assert.equal(loadFromCache(env, person, [1], { name: {} }), null)
  assert.ok(loadFromCache(env, person, [2], { name: {} }))
  assert.ok(loadFromCache(env, person, [1], { color: {} }))
})
