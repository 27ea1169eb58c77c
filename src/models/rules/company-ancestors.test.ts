// Conditions of rules on companies above the caller's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDef } from '../language/definitions.ts'
import { all, leaf } from '../language/tree.ts'
import { type RuleUser, withAncestors } from './rule-user.ts'

const fields = new Map<string, object>()
const company = { name: 'res.company', fields } as unknown as ModelDef
fields.set('parent_id', { kind: 'many2one', comodel: company })
const order = {
  name: 'order',
  fields: new Map<string, object>([
    ['company_id', { kind: 'many2one', comodel: company }],
    ['company_ids', { kind: 'many2many', comodel: company }],
    ['place_id', { kind: 'many2one', comodel: { name: 'place', fields: new Map() } }],
  ]),
} as unknown as ModelDef
const line = {
  name: 'line',
  fields: new Map([['order_id', { kind: 'many2one', comodel: order }]]),
} as unknown as ModelDef
const user = {
  companiesAbove: new Map([
    [3, [1, 2, 3]],
    [4, [1, 4]],
  ]),
} as unknown as RuleUser

const up = (path: string, value: unknown) => leaf(path.split('.'), 'parent_of', value)

test('company rules: parent companies of the caller are compared by id, wherever a path leads to a company', () => {
  const replaced = withAncestors(all([up('company_id', [3, 4]), leaf(['x'], '=', 1)]), order, user)
  assert.deepEqual(replaced, all([leaf(['company_id'], 'in', [1, 2, 3, 4]), leaf(['x'], '=', 1)]))
  assert.deepEqual(
    withAncestors(up('order_id.company_id', [4]), line, user),
    leaf(['order_id', 'company_id'], 'in', [1, 4]),
  )
  assert.deepEqual(withAncestors(up('id', [3]), company, user), leaf(['id'], 'in', [1, 2, 3]))
  assert.deepEqual(withAncestors(up('company_id', []), order, user), leaf(['company_id'], 'in', []))
})

test('what is not known with the caller is looked for as before', () => {
  for (const [tree, model] of [
    [up('company_id', [3, 9]), order],
    [up('company_id', [3, false]), order],
    [up('company_id', 'Name'), order],
    [up('company_ids', [3]), order],
    [up('place_id', [3]), order],
    [up('parent_id', [3]), company],
    [up('company_id.parent_id', [3]), order],
    [leaf(['company_id'], 'child_of', [3]), order],
    [up('nothing.company_id', [3]), line],
  ] as const)
    assert.deepEqual(withAncestors(tree, model, user), tree)
  assert.deepEqual(withAncestors(up('company_id', [3]), order, {} as RuleUser), up('company_id', [3]))
})
