// Rights composed from rows: grants, record rules, fields, defaults.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessError, InvalidValue } from '../errors.ts'
import type { FieldKind } from '../models/contract/field.ts'
import { fieldTypes } from '../models/kinds/index.ts'
import type { FieldDef, ModelDef, Registry } from '../models/language/definitions.ts'
import { all, always, anyOf, leaf } from '../models/language/tree.ts'
import type { Unit } from '../models/language/unit.ts'
import { trialConditions } from '../models/rules/rule-domain.ts'
import { environmentOf } from '../models/unit/environment.ts'
import type { KnownUser } from './profile.ts'
import { DatabaseRights } from './rights.ts'
import { allBits, type RightsRows, type RuleRow } from './rights-rows.ts'

const column = (name: string, kind: FieldKind = 'char', more = {}) => [
  name,
  {
    name,
    kind,
    type: fieldTypes[kind],
    column: true,
    translate: false,
    inherited: false,
    groups: [],
    options: {},
    ...more,
  },
]
const partner = {
  name: 'res.partner',
  label: 'Contact',
  options: {},
  inherits: new Map(),
  fields: new Map([
    column('color', 'integer'),
    column('state_id', 'many2one'),
    column('secret', 'char', { groups: ['g.x'] }),
  ] as never),
} as unknown as ModelDef
const users = {
  name: 'res.users',
  label: 'User',
  options: {},
  inherits: new Map([['res.partner', 'partner_id']]),
  fields: new Map([
    column('signature', 'text'),
    column('password'),
    column('color', 'integer', { column: false, inherited: true }),
  ] as never),
} as unknown as ModelDef
const sale = {
  name: 'sale.order',
  label: 'Order',
  options: {},
  inherits: new Map(),
  fields: new Map(),
} as unknown as ModelDef
const models = new Map([partner, users, sale].map((m) => [m.name, m]))
const registry = { models, get: (name: string) => models.get(name) } as unknown as Registry

const ann: KnownUser = {
  id: 7,
  login: 'ann',
  name: 'Ann',
  partnerId: 70,
  commercialPartnerId: 69,
  active: true,
  lang: null,
  tz: null,
  companyId: 1,
  companyIds: [1, 2],
  groupIds: [10, 11],
  directGroupIds: [10],
  companiesAbove: new Map(),
  groups: new Set(['base.group_user']),
  columns: new Map<string, unknown>([
    ['res.partner.color', 3],
    ['res.partner.state_id', null],
    ['res.users.signature', null],
  ]),
  stamp: '1.1',
}

const rule = (model: string, domain: string | null, groups: number[] = [], bits = allBits): RuleRow => ({
  name: 'r',
  model,
  domain,
  groups,
  bits,
})
const rightsOf = (rows: Partial<RightsRows>) =>
  new DatabaseRights(
    { version: '1', languages: ['en_US'], access: [], rules: [], defaults: [], ...rows },
    registry,
  )
const envOf = (rights: DatabaseRights, context = {}, su = false, user: KnownUser = ann) =>
  environmentOf({ registry, rights } as unknown as Unit, user, context, su)
const domainOf = (text: string | null, context = {}) => {
  const rights = rightsOf({ rules: [rule('sale.order', text)] })
  return rights.rules(envOf(rights, context), sale, 'read')
}
const named = (name: string) => leaf(['name'], '=', name)

test('grants add up, over groups and for everybody', () => {
  const rights = rightsOf({
    access: [
      { model: 'res.partner', group: 10, bits: 1 },
      { model: 'res.partner', group: 11, bits: 4 },
      { model: 'res.partner', group: 99, bits: 8 },
      { model: 'sale.order', group: null, bits: 1 },
    ],
  })
  const may = (model: ModelDef, user = ann) =>
    (['read', 'write', 'create', 'unlink'] as const).filter((o) => rights.mayModel(user, model, o))
  assert.deepEqual(may(partner), ['read', 'create'])
  assert.deepEqual(may(partner, { ...ann, groupIds: [] }), [])
  assert.deepEqual(may(sale, { ...ann, groupIds: [] }), ['read'])
  assert.deepEqual(may(users), [])
  const refusal = rights.refusal(ann, partner, 'write')
  assert.ok(refusal instanceof AccessError)
  assert.match(refusal.message, /modify 'Contact' \(res\.partner\)/)
})

test('every global rule, and any of the rules of the user’s groups', () => {
  const rights = rightsOf({
    rules: [
      rule('sale.order', "[('name', '=', 'global')]"),
      rule('sale.order', "[('name', '=', 'ten')]", [10, 99]),
      rule('sale.order', "[('name', '=', 'eleven')]", [11]),
      rule('sale.order', "[('name', '=', 'other')]", [99]),
      rule('sale.order', "[('name', '=', 'write')]", [], 2),
    ],
  })
  const env = envOf(rights)
  assert.deepEqual(
    rights.rules(env, sale, 'read'),
    all([named('global'), anyOf([named('ten'), named('eleven')])]),
  )
  assert.deepEqual(
    rights.rules(env, sale, 'write'),
    all([named('global'), named('write'), anyOf([named('ten'), named('eleven')])]),
  )
  assert.equal(rights.rules(env, partner, 'read'), null)
  assert.equal(rights.rules(envOf(rights, {}, true), sale, 'read'), null)
  assert.equal(
    rights.rules(env, sale, 'read'),
    rights.rules(envOf(rights), sale, 'read'),
    'composed once per profile',
  )
})

test('an empty rule lets everything through', () => {
  for (const text of [null, '', ' ', '[]']) assert.deepEqual(domainOf(text), always(true))
  const rights = rightsOf({
    rules: [rule('sale.order', null, [10]), rule('sale.order', "[('name', '=', 'x')]", [11])],
  })
  assert.deepEqual(rights.rules(envOf(rights), sale, 'read'), anyOf([always(true), named('x')]))
})

test('rules know the user, with what the profile brought for them', () => {
  const is = (text: string, value: unknown) =>
    assert.deepEqual(domainOf(`[('name', '=', ${text})]`), leaf(['name'], '=', value), text)
  is('user.id', 7)
  is('user.login', 'ann')
  is('user.lang', false)
  is('user.partner_id.id', 70)
  is('user.partner_id.commercial_partner_id.id', 69)
  is('user.commercial_partner_id.id', 69)
  is('user.color', 3)
  is('user.partner_id.color', 3)
  is('user.partner_id.state_id.id', false)
  is('user.signature', false)
  is('user.share', false)
  is("user.has_group('base.group_user')", true)
  const among = (text: string, value: unknown) =>
    assert.deepEqual(domainOf(`[('name', 'in', ${text})]`), leaf(['name'], 'in', value), text)
  among('user.partner_id.ids', [70])
  among('user.group_ids.ids', [10])
  among('user.all_group_ids.ids', [10, 11])
  among('user.company_ids.ids', [1, 2])
  among('company_ids', [1, 2])
})

test('columns that rules read are asked of profiles', () => {
  const rules = [
    'user.color',
    'user.partner_id.color',
    'user.signature',
    'user.partner_id.id',
    'user.group_ids.ids',
    'user.password',
    'user.none',
  ]
  const rights = rightsOf({ rules: rules.map((text) => rule('sale.order', `[('name', '=', ${text})]`)) })
  assert.deepEqual(rights.userColumns, [
    { owner: 'res.partner', name: 'color', type: fieldTypes.integer },
    { owner: 'res.users', name: 'signature', type: fieldTypes.text },
  ])
})

test('companies are judged when a rule asks for them, and not before', () => {
  const foreign = { allowed_company_ids: [5] }
  assert.throws(() => domainOf("[('name', 'in', company_ids)]", foreign), AccessError)
  assert.deepEqual(domainOf("[('name', '=', 'x')]", foreign), named('x'))
  const rights = rightsOf({ rules: [rule('sale.order', "[('name', 'in', company_ids)]")] })
  assert.deepEqual(
    rights.rules(envOf(rights, { allowed_company_ids: [2] }), sale, 'read'),
    leaf(['name'], 'in', [2]),
  )
  assert.deepEqual(rights.rules(envOf(rights), sale, 'read'), leaf(['name'], 'in', [1, 2]))
})

test('rules of a delegate count too, seen through the delegation', () => {
  const rights = rightsOf({
    rules: [
      rule('res.partner', "['!', ('name', 'child_of', 'x'), ('id', 'child_of', user.partner_id.id)]"),
      rule('res.users', "[('id', '=', 7)]"),
    ],
  })
  const tree = rights.rules(envOf(rights), users, 'read')
  const paths = JSON.stringify(tree).match(/"path":\[[^\]]*\]/g)
  assert.deepEqual(paths, ['"path":["id"]', '"path":["partner_id","name"]', '"path":["partner_id"]'])
})

test('a rule that makes no sense closes the model for those it is for', () => {
  for (const text of [
    '[(',
    '5',
    "[('name', '=', user.none)]",
    "[('name', '=', nobody)]",
    "[('name', '=', user)]",
    "[('name', '=', user.has_group)]",
  ]) {
    assert.throws(() => domainOf(text), AccessError, text)
  }
  const rights = rightsOf({ rules: [rule('sale.order', '[(', [99])] })
  assert.equal(rights.rules(envOf(rights), sale, 'read'), null)
})

test('a rule is judged before it is in force, in branches not taken too', () => {
  const env = envOf(rightsOf({}))
  const trial = (text: string | null) => trialConditions(env, text)
  assert.deepEqual(trial("[('name', '=', user.color)]"), leaf(['name'], '=', 1))
  assert.deepEqual(trial(null), always(true))
  for (const text of [
    "[('name', '=', user.none)] if user.name == 'Bob' else []",
    "[('name', '=', user.password)]",
    "[('name', '=', user.partner_id.secret)]",
    '5',
  ]) {
    assert.throws(() => trial(text), InvalidValue, text)
  }
})

test('a field with groups is seen by members of these groups only', () => {
  const rights = rightsOf({})
  const may = (...groups: string[]) => rights.mayField(ann, { groups } as unknown as FieldDef)
  assert.deepEqual(
    [may(), may('base.group_user'), may('base.group_system'), may('base.group_system', 'base.group_user')],
    [true, true, false, true],
  )
})

test('defaults: the more a default is made for, the more it counts', () => {
  const row = (field: string, value: string, user: number | null = null, company: number | null = null) => ({
    model: 'sale.order',
    field,
    user,
    company,
    value,
  })
  const rights = rightsOf({
    defaults: [
      row('a', '"mine"', 7),
      row('a', '"all"'),
      row('a', '"company"', null, 1),
      row('b', '[1]', null, 2),
      row('c', '1', 8),
      row('d', 'no json'),
    ],
  })
  assert.deepEqual(rights.defaults(ann, 1, sale), { a: 'mine' })
  assert.deepEqual(rights.defaults(ann, 2, sale), { a: 'mine', b: [1] })
  assert.deepEqual(rights.defaults({ ...ann, id: 8 }, 1, sale), { a: 'company', c: 1 })
  assert.deepEqual(rights.defaults(ann, 1, partner), {})
})
