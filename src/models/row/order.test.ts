// Tests of orders: grammar, directions, many2ones, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { AccessError, InvalidValue, UserError } from '../../errors.ts'
import { compileOrder, parseOrder } from './order.ts'
import { scopeOver } from './scope.ts'

const by = (order: string | null, model = 'person', su = false) =>
  compileOrder(scopeOver(testEnvironment({ su }), testModel(model)), order).map((term) =>
    term.toString().replaceAll('"', ''),
  )

test('terms with directions and nulls, in any case and spacing', () => {
  assert.deepEqual(parseOrder('  color   ASC ,  parent_id.id  desc nulls LAST '), [
    { path: ['color'], descending: false, nulls: null },
    { path: ['parent_id', 'id'], descending: true, nulls: 'last' },
  ])
  assert.deepEqual(by('color desc nulls last, name'), ['t.color DESC NULLS LAST', 't.name', 't.id'])
  assert.deepEqual(by('id desc, name'), ['t.id DESC'])
  assert.deepEqual(by('employee desc'), ['COALESCE(t.employee, FALSE) DESC', 't.id'])
  assert.deepEqual(by('country_code'), ['tj1.code', 't.id'])
  assert.deepEqual(by(null), ['t.name', 't.id DESC'])
  assert.deepEqual(by(''), ['t.name', 't.id DESC'])
})

test('a many2one goes by the order of its model, and comes to an end', () => {
  assert.deepEqual(by('country_id'), ['(t.country_id IS NULL)', 'tj1.name', 't.id'])
  assert.deepEqual(by('country_id desc'), ['(t.country_id IS NULL) DESC', 'tj1.name DESC', 't.id'])
  assert.deepEqual(by('country_id desc nulls last'), ['(t.country_id IS NULL)', 'tj1.name DESC', 't.id'])
  assert.deepEqual(by('parent_id desc'), [
    '(t.parent_id IS NULL) DESC',
    'tj1.name DESC',
    't.parent_id',
    't.id',
  ])
  assert.deepEqual(by('parent_id.id desc'), ['t.parent_id DESC', 't.id'])
})

test('text outside the grammar is a UserError', () => {
  // biome-ignore format: one line
  for (const order of [
    'name; drop table person', 'name--', '(select 1)', 'name desc desc', 'name,', ',name', 'name asc nulls', 'name,,id', "name' or '1'='1", 'id limit 1', 'pg_sleep(1)', '1', 'name nulls first desc', ',', '"name"',
  ]) assert.throws(() => by(order), UserError, order)
})

test('fields that cannot be ordered by are refused', () => {
  for (const order of [
    'nope',
    'NAME',
    'child_ids',
    'tag_ids',
    'age',
    'photo',
    'name.x',
    'parent_id.nope',
    'parent_id.name',
    'token',
    'parent_id.id.id',
  ]) {
    assert.throws(() => by(order), InvalidValue, order)
  }
  assert.throws(() => parseOrder(5), InvalidValue)
  assert.throws(() => parseOrder(['name']), InvalidValue)
  assert.throws(() => by('secret'), AccessError)
  assert.deepEqual(by('secret', 'person', true), ['t.secret', 't.id'])
})
