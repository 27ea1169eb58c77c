// Programs that must not compile. A line ending in a mark `⟵ TS…: words` must give exactly that error, every
// other line none (test/house/types.test.ts).
import type { FieldDef } from '#engine'
import {
  char,
  companyId,
  companyIds,
  computed,
  computedTogether,
  type DataSet,
  dataSet,
  defineModule,
  type Environment,
  extend,
  float,
  implement,
  json,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  recordRule,
  recordRules,
  ref,
  required,
  ruleDomain,
  selection,
  today,
  user,
} from '#models'

const gift = model('fixture.gift', {
  label: 'Gift',
  fields: {
    name: char({ required: true }),
    order_id: many2one('shop.order', { required: true }),
    worth: float({ computed: true }),
  },
  methods: { wrap_up: { doc: 'Wraps it.', params: {} } },
})

declare module '#models' {
  interface Models {
    'fixture.gift': Gift
  }
  interface Gift extends Of<typeof gift> {}
}

// Options of builders: those that do not exist, with the name that was probably meant.
export const options = [
  char({ requried: true }), // ⟵ TS2561: Did you mean to write 'required'?
  float({ digts: [6, 2] }), // ⟵ TS2561: Did you mean to write 'digits'?
  char({ digits: [6, 2] }), // ⟵ TS2353: 'digits' does not exist
  many2one('shop.order', { ondelte: 'cascade' }), // ⟵ TS2561: Did you mean to write 'ondelete'?
  many2one('shop.order', { required: true, ondelete: 'cascde' }), // ⟵ TS2820: Did you mean '"cascade"'?
  many2many('shop.order', { defualt: [] }), // ⟵ TS2561: Did you mean to write 'default'?
  one2many('shop.order.line', 'order_id', { lable: 'Lines' }), // ⟵ TS2561: Did you mean to write 'label'?
  selection({ a: 'A' }, { requried: true }), // ⟵ TS2561: Did you mean to write 'required'?
  json({ stroed: true }), // ⟵ TS2561: Did you mean to write 'stored'?
  model('fixture.box', { fields: {}, ordr: 'name' }), // ⟵ TS2561: Did you mean to write 'order'?
  model('fixture.box', { fields: {}, methods: { open: { doc: '', parms: {} } } }), // ⟵ TS2561: Did you mean to write 'params'?
  model('fixture.box', { fields: {}, methods: { open: { doc: '', params: {}, readOnly: true } } }), // ⟵ TS2322: no option of a method
  required('string', { dco: 'Why.' }), // ⟵ TS2353: 'dco' does not exist
  computed(gift, ['name'], () => 1, { serach: () => [] }), // ⟵ TS2561: Did you mean to write 'search'?
  defineModule({ name: 'x', version: '1', sumary: '', depends: [], models: [] }), // ⟵ TS2561: Did you mean to write 'summary'?
]

// Data of modules: the values are those of the model that a set is for, and of its delegate.
export const data: readonly DataSet[] = [
  { model: 'res.partner', records: { ann: { name: 'Ann', country_id: ref('base.be') } } },
  {
    model: 'res.users',
    records: { ann: { login: 'ann', email: 'ann@example.com', group_ids: [ref('x.y')] } },
  },
  { model: 'res.partnr', records: {} }, // ⟵ TS2820: Did you mean '"res.partner"'?
  { model: 'res.partner', records: { bob: { nme: 'Bob' } } }, // ⟵ TS2353: 'nme' does not exist
  { model: 'res.partner', records: { bob: { name: 7 } } }, // ⟵ TS2322: Type 'number' is not assignable
  { model: 'res.partner', records: { bob: { name: ref('base.be') } } }, // ⟵ TS2322: Type 'Ref' is not assignable
  dataSet('res.partner', { bob: { nme: 'Bob' } }), // ⟵ TS2561: Did you mean to write 'name'?
  dataSet('res.users', { bob: { login: 'bob', emial: 'bob@example.com' } }), // ⟵ TS2561: Did you mean to write 'email'?
]

// Dependencies: every path exists, and the function sees what it declared and nothing else.
export const dependencies = [
  computed(gift, ['order_id.amount_total'], (g) => g.order_id.amount_total),
  computed(gift, ['order_id.amount_totl'], () => 1), // ⟵ TS2345: 'no such field': "order_id.amount_totl"
  computed(gift, ['nme'], () => 1), // ⟵ TS2345: 'no such field': "nme"
  computed(gift, ['name.first'], () => 1), // ⟵ TS2345: 'no such field': "name.first"
  computed(gift, ['name'], (g) => g.worth), // ⟵ TS2339: Property 'worth' does not exist
  computed(gift, ['order_id.name'], (g) => g.order_id.state), // ⟵ TS2339: Property 'state' does not exist
  computedTogether(gift, ['order_id.line_ids.nope'], () => new Map()), // ⟵ TS2345: 'no such field': "order_id.line_ids.nope"
]

// Domains, values, loads and calls from code.
export async function work(env: Environment): Promise<void> {
  const orders = await env.model('shop.order').search([['name', '=', 'S1']])
  await orders.search([
    ['partner_id.country_id.code', '=', 'FR'],
    '|',
    ['create_date.year_number', '=', 2026],
  ])
  await orders.search([['partner_id.nme', '=', 'S1']]) // ⟵ TS2345: 'no such field': "partner_id.nme"
  await orders.search(['|', ['name', '=', 'S1'], ['partner_id.country_id.cod', '=', 'FR']]) // ⟵ TS2345: 'no such field': "partner_id.country_id.cod"
  await orders.searchCount([['line_ids.order_id.name.first', '=', 'x']]) // ⟵ TS2345: 'no such field': "line_ids.order_id.name.first"
  await orders.filtered([['line_ids', 'any', [['order_id.nme', '=', 'x']]]]) // ⟵ TS2345: 'no such field': "order_id.nme"
  await orders.filtered([['amount_total.cents', '=', 1]]) // ⟵ TS2345: 'no such field': "amount_total.cents"
  await env.model('shop.ordr').search([]) // ⟵ TS2345: "shop.ordr"
  await orders.search([['nme', '=', 'S1']]) // ⟵ TS2322: "nme"
  await orders.search([['name', '~', 'S1']]) // ⟵ TS2322: '"~"' is not assignable
  await orders.create([{ nme: 'S1' }]) // ⟵ TS2561: 'nme' does not exist in type 'Vals<"shop.order">'
  await orders.write({ state: 'dne' }) // ⟵ TS2820: Type '"dne"' is not assignable
  await orders.write({ amount_total: 'much' }) // ⟵ TS2322: Type 'string' is not assignable
  await orders.load(['partner_id.nme']) // ⟵ TS2345: 'no such field': "partner_id.nme"
  const [first] = await orders.load(['partner_id.name'])
  console.log(first?.partner_id.email) // ⟵ TS2339: Property 'email' does not exist
  await orders.confirm({ urgent: true })
  await orders.confirm({ urgent: 'very' }) // ⟵ TS2322: Type 'string' is not assignable to type 'boolean | undefined'
  await orders.confrm({ urgent: true }) // ⟵ TS2551: Property 'confrm' does not exist
}

// Extensions and behaviour name what is there.
extend('shop.nothing', { fields: {} }) // ⟵ TS2345: "shop.nothing"
implement(gift, { methods: { unwrap: () => null } }) // ⟵ TS2353: 'unwrap' does not exist
implement(gift, { wrap: { tear: (next) => next } }) // ⟵ TS2353: 'tear' does not exist
implement(gift, { computed: { worth: computed(gift, ['name'], () => 'much') } }) // ⟵ TS2322: Type 'string' is not assignable
implement(gift, { computed: { worth: computed(gift, ['name'], async () => 1) } }) // ⟵ TS2322: Type 'Promise<number>' is not assignable
implement(gift, { defaults: { name: () => 7 } }) // ⟵ TS2322: Type 'number' is not assignable
implement(gift, { defaults: { order_id: () => 'S1' } }) // ⟵ TS2322: Type 'string' is not assignable
implement(gift, { computed: { wort: computed(gift, ['name'], () => 1) } }) // ⟵ TS2561: 'wort' does not exist

// Domains of relations name fields that are there.
const wrapping = extend('fixture.gift', {
  fields: {
    wrap_id: many2one('shop.order', { domain: [['partner_id.nme', '=', 'x']] }),
    paper_ids: many2many('shop.order', {
      domain: ['|', ['nme', '=', 'x'], ['line_ids.order_id.name', '=', 'x']],
    }),
    order_id: many2one('shop.order', { required: true, domain: [['partner_id.name', '!=', false]] }),
  },
})
implement(wrapping) // ⟵ TS2345: "no such field: partner_id.nme"

// Record rules: paths to their end, operators and values by the field, words by what they stand for.
const named = { name: 'Some' }
const mine = ruleDomain([['create_uid', '=', user.id]])
export const rules = [
  recordRule('shop.order', ['|', ['partner_id', '=', false], ['create_uid', '=', user.id]], named),
  recordRule('shop.order', [['partner_id.company_id', 'in', companyIds.orNone()]], { ...named, on: 'r' }),
  recordRule('shop.order', [['partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]]], named),
  recordRule('shop.order', [['line_ids', 'any', [['order_id.create_uid', '!=', user.id]]]], named),
  recordRule(
    'shop.order',
    [
      ['create_date', '<', today],
      ['create_date.year_number', '=', 2026],
    ],
    named,
  ),
  recordRule(
    'shop.order',
    [
      ['state', 'in', ['draft', 'done']],
      [1, '=', 1],
    ],
    named,
  ),
  recordRule(
    'base/res.company',
    [
      ['id', 'in', companyIds],
      ['id', '!=', companyId],
    ],
    named,
  ),
  recordRule('shop.order', mine, named),
  recordRule('shop.order', [['nme', '=', 'S1']], named), // ⟵ TS2322: 'no such field': "nme"
  recordRule('shop.order', [['partner_id.nme', '=', 'S1']], named), // ⟵ TS2322: 'no such field': "partner_id.nme"
  recordRule('shop.order', ['!', ['create_uid.nme', '=', 'S1']], named), // ⟵ TS2322: 'no such field': "create_uid.nme"
  recordRule('shop.order', [['name.first', '=', 'S1']], named), // ⟵ TS2322: 'no such field': "name.first"
  recordRule('shop.order', [['line_ids', 'any', [['order_id.nme', '=', 'S1']]]], named), // ⟵ TS2322: 'no such field': "order_id.nme"
  recordRule('shop.order', [['name', '~', 'S1']], named), // ⟵ TS2322: 'no operator of this field': "~"
  recordRule('shop.order', [['name', '=']], named), // ⟵ TS2322: 'no term of a domain'
  recordRule('shop.order', ['or', ['name', '=', 'S1']], named), // ⟵ TS2322: 'no term of a domain'
  recordRule('shop.order', [['name', 'child_of', 'S1']], named), // ⟵ TS2322: 'no operator of this field': "child_of"
  recordRule('shop.order', [['partner_id.active', '>', true]], named), // ⟵ TS2322: 'no operator of this field': ">"
  recordRule('shop.order', [['line_ids', '<', 5]], named), // ⟵ TS2322: 'no operator of this field': "<"
  recordRule('shop.order', [['amount_total', '=', 'much']], named), // ⟵ TS2322: '"much"' is not assignable
  recordRule('shop.order', [['name', '=', 7]], named), // ⟵ TS2322: Type '7' is not assignable
  recordRule('shop.order', [['partner_id.active', '=', 'yes']], named), // ⟵ TS2322: '"yes"' is not assignable
  recordRule('shop.order', [['state', '=', 'dne']], named), // ⟵ TS2322: '"dne"' is not assignable
  recordRule('shop.order', [['state', 'in', ['draft', 'dne']]], named), // ⟵ TS2322: '["draft", "dne"]' is not assignable
  recordRule('shop.order', [['state', 'in', 'draft']], named), // ⟵ TS2322: '"draft"' is not assignable
  recordRule('shop.order', [['partner_id', '=', user.id]], named), // ⟵ TS2322: 'RuleWord<User>' is not assignable
  recordRule('shop.order', [['partner_id.company_id', '=', user.partner_id.id]], named), // ⟵ TS2322: 'RuleWord<Partner>' is not assignable
  recordRule('shop.order', [['partner_id', 'in', companyIds]], named), // ⟵ TS2322: 'RuleList<Company>' is not assignable
  recordRule('shop.order', [['amount_total', '>', today]], named), // ⟵ TS2322: 'RuleWord<string>' is not assignable to type 'RuleWord<number>'
  recordRule('shop.order', [['create_uid', '=', user.nme]], named), // ⟵ TS2551: Property 'nme' does not exist
  recordRule('shop.ordr', [], named), // ⟵ TS2345: '"shop.ordr"' is not assignable
  recordRule('base/res.partner', mine, named),
  recordRule('res.country', ruleDomain([['create_uid', '=', companyId]]), named), // ⟵ TS2345: 'RuleWord<Company>' is not assignable
]
recordRules({ 'shop.order': mine, 'shop.order.line': [['order_id.name', '=', 'S1']] }, () => ({
  id: 'x',
  ...named,
}))
recordRules({ 'shop.order': [['nme', '=', 'S1']] }, () => ({ id: 'x', ...named })) // ⟵ TS2322: 'no such field': "nme"
recordRules({ 'shop.ordr': [] }, () => ({ id: 'x', ...named })) // ⟵ TS2322: 'no such model': "shop.ordr"
recordRules({ 'shop.order': [['partner_id', '=', user.id]] }, () => ({ id: 'x', ...named })) // ⟵ TS2322: 'RuleWord<User>' is not assignable

// Two modules cannot give one field two types.
const ribbon = model('fixture.ribbon', { fields: { length: float() } })
const elsewhere = extend('fixture.ribbon', { fields: { length: char() } })
declare module '#models' {
  interface Models {
    'fixture.ribbon': Ribbon
  }
  interface Ribbon extends Of<typeof ribbon> {} // ⟵ TS2320: cannot simultaneously extend
  interface Ribbon extends Of<typeof elsewhere> {}
}

// A definition of a field is read by its kind.
export const definitions = [
  (field: FieldDef) => field.options.digits, // ⟵ TS2339: Property 'digits' does not exist
  (field: FieldDef) => field.comodel.name, // ⟵ TS18048: 'field.comodel' is possibly 'undefined'
  (field: FieldDef) => (field.kind === 'char' ? field.options.ondelete : undefined), // ⟵ TS2339: Property 'ondelete' does not exist
  (field: FieldDef) => (field.kind === 'many2one' ? field.inverse.length : 0), // ⟵ TS18047: 'field.inverse' is possibly 'null'
  (field: FieldDef) => (field.kind === 'one2many' ? field.comodel.fields.get(field.inverse) : undefined),
  (field: FieldDef) => (field.comodel ? (field.options.domain ?? []) : []),
  (field: FieldDef) => (field.kind === 'float' ? field.options.digits : undefined),
]
