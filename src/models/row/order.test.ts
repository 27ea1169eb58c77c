// Tests of orders: grammar, directions, many2ones, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TestOptions, testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { AccessError, InvalidValue, UserError } from '../../errors.ts'
import { join } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { compileOrder, impliesRules, parseOrder } from './order.ts'
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

test('over a link that every row has, an order is that of an index', () => {
  const terms = (options: TestOptions, ruled = true) => {
    const scope = scopeOver(testEnvironment(options), testModel('job'))
    const by = join(compileOrder(scope, null, { ruled }))
      .toString()
      .replaceAll('"', '')
    return { by, from: scope.from().toString().replaceAll('"', '') }
  }
  const filled = ['job.person_id']
  const walked = {
    by: 'tj1.name, t.person_id DESC, t.id',
    from: 'job t JOIN person tj1 ON tj1.id = t.person_id',
  }
  assert.deepEqual(terms({ filled }), walked)
  assert.match(terms({}).from, /LEFT JOIN/)
  assert.match(terms({}).by, /^\(t.person_id IS NULL\), /)
  const color = (name: string) => [[name, '=', 1]]
  const rules = { person: ['|', ...color('color'), [1, '=', 1]], job: color('color') }
  assert.deepEqual(terms({ filled, rules }), walked)
})

test('rules of a record that a link leads to count where those of the row do not say the same', () => {
  const implied = (rules: NonNullable<TestOptions['rules']>, more: TestOptions = {}) =>
    impliesRules(testEnvironment({ ...more, rules }), testModel('job').fields.get('person_id') as FieldDef)
  const [red, tall] = [
    ['color', '=', 1],
    ['height', '>', 2],
  ]
  assert.ok(implied({}))
  assert.ok(implied({ person: [red], job: [red] }))
  assert.ok(implied({ person: [red, tall], job: [['person_id.height', '>', 2], red, ['id', '>', 3]] }))
  assert.ok(implied({ person: [['id', '=', 5]], job: [['person_id', '=', 5]] }))
  assert.ok(!implied({ person: [red] }))
  assert.ok(!implied({ person: [red, tall], job: [red] }))
  assert.ok(!implied({ person: [red], job: ['|', red, ['id', '>', 3]] }))
  assert.ok(!implied({ person: [['color', '=', 2]], job: [red] }))
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
    'display_name',
  ]) {
    assert.throws(() => by(order), InvalidValue, order)
  }
  assert.throws(() => parseOrder(5), InvalidValue)
  assert.throws(() => parseOrder(['name']), InvalidValue)
  assert.throws(() => by('secret'), AccessError)
  assert.deepEqual(by('secret', 'person', true), ['t.secret', 't.id'])
})
