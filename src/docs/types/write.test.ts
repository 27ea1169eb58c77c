// The written file: the same facts in any order give the same text, and no name or label breaks out of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldFacts, MethodFacts, ModelFacts } from './model-facts.ts'
import { typesText } from './write.ts'

const field = (type: string, more: Partial<FieldFacts> = {}): FieldFacts => ({
  type,
  label: '',
  required: false,
  needed: false,
  relation: null,
  keys: [],
  ...more,
})
const method = (
  core: boolean,
  parameters: MethodFacts['parameters'] = {},
  returns?: string,
): MethodFacts => ({
  doc: null,
  parameters,
  returns,
  core,
})
const domain = { annotation: 'DomainType', optional: false, gathers: false }
const limit = { annotation: 'int | None', optional: true, gathers: false }
const order: ModelFacts = {
  name: 'till.order',
  label: 'Order */ of\na till',
  fields: {
    state: field('selection', { required: true, keys: ['draft', "it's"] }),
    id: field('integer'),
    line_ids: field('one2many', { relation: 'till.line', required: true }),
    buyer_id: field('many2one', { relation: 'res.partner', required: true, needed: true }),
    note: field('char'),
    title: field('char', { needed: true }),
    total: field('monetary', { required: true }),
    odd: field('of_tomorrow'),
    'x-y': field('boolean'),
  },
  methods: {
    search: method(true, { domain, limit }, 'list[int]'),
    only_here: method(true),
    pay: method(
      false,
      {
        amount: { annotation: 'float', optional: false, gathers: false },
        args: { annotation: undefined, optional: true, gathers: true },
        rest: { annotation: undefined, optional: true, gathers: true },
      },
      'bool',
    ),
  },
}
const line: ModelFacts = {
  name: 'till.line',
  label: '',
  fields: { id: field('integer') },
  methods: { search: method(true, { domain, limit }, 'list[int]') },
}
const lines = typesText([order, line], 'the database\n shop').split('\n')
const has = (text: string) => assert.ok(lines.includes(text), `${text}\n${lines.join('\n')}`)

test('fields: what needs saying about each kind, and no more', () => {
  has("      state: Field<'selection', 'draft' | 'it\\'s', true>")
  has("      id: Field<'id', unknown, true>")
  has("      line_ids: Field<'one2many', 'till.line'>")
  has("      buyer_id: Field<'many2one', 'res.partner', true, true>")
  has("      note: Field<'char'>")
  has("      title: Field<'char', unknown, false, true>")
  has("      total: Field<'monetary'>")
  has("      odd: Field<'any'>")
  has("      'x-y': Field<'boolean'>")
})

test('methods that all have alike are written once, the others with their model', () => {
  has('  search: Method<{ domain: Domain<N>; limit?: number | null }, number[]>')
  has('      only_here: Method<Record<never, never>, unknown>')
  has('      pay: Method<{ amount: number; [name: string]: unknown }, boolean>')
  has("    Core<'till.line'>")
  assert.equal(lines.filter((text) => text.includes('search:')).length, 1)
})

test('labels end where they should, names are quoted', () => {
  has('  /** Order * / of a till */')
  assert.match(String(lines[0]), /models of the database shop, written/)
})

test('types are the same in whatever order models come', () => {
  const turned = { ...order, fields: Object.fromEntries(Object.entries(order.fields).reverse()) }
  assert.equal(typesText([line, turned], 'the database shop'), lines.join('\n'))
})
