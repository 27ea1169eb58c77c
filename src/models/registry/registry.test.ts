// A registry composes what its modules add to each other, and reports contradictions by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeclarationError } from '../../errors.ts'
import { defineModule } from '../behaviour/module.ts'
import { char, integer, many2one, one2many } from '../contract/field.ts'
import { abstract, type Contract, model } from '../contract/model.ts'
import type { Behaviour } from '../language/behaviour.ts'
import { constraintName } from '../row/thing-names.ts'
import { composeRegistry } from './registry.ts'

/** A behaviour with nothing but what a test needs. */
function behaviour(contract: Contract, more: Partial<Behaviour> = {}): Behaviour {
  const none = {
    computed: {},
    displayName: null,
    searches: {},
    defaults: {},
    methods: {},
    wraps: {},
    wrapWrite: null,
    concerns: {},
    checks: {},
    prepare: null,
    onchange: [],
    writable: null,
    audited: null,
    init: null,
  }
  return { contract, ...none, ...more }
}
const moduleOf = (name: string, models: readonly Behaviour[], depends: readonly string[] = []) =>
  defineModule({ name, version: '1', summary: '', depends, models })
const extension = (name: string, fields: Contract['fields']): Contract => ({
  ...model(name, { fields }),
  kind: 'extension',
})

const shelf = model('test.shelf', {
  fields: { name: char({ required: true }), size: integer() },
  rules: { size: { check: 'size > 0', message: 'No size.' } },
})

test('models compose: id first, log fields last, extensions and mixins in', () => {
  const coded = abstract('test.coded', { fields: { code: char() } })
  const box = model('test.box', { mixins: ['test.coded'], fields: { shelf_id: many2one('test.shelf') } })
  const registry = composeRegistry([
    moduleOf('one', [behaviour(coded), behaviour(shelf), behaviour(box)]),
    moduleOf(
      'two',
      [behaviour(extension('test.shelf', { colour: char(), box_ids: one2many('test.box', 'shelf_id') }))],
      ['one'],
    ),
  ])
  const names = [...(registry.get('test.shelf')?.fields.keys() ?? [])]
  assert.deepEqual(names, [
    'id',
    'name',
    'size',
    'colour',
    'box_ids',
    'display_name',
    'create_date',
    'write_date',
  ])
  assert.equal(registry.get('test.shelf')?.fields.get('colour')?.module, 'two')
  assert.equal(registry.get('test.box')?.fields.get('code')?.column, true)
  const shelfDef = registry.get('test.shelf')
  assert.ok(shelfDef)
  assert.equal(registry.constraintMessages.get(constraintName(shelfDef, 'size')), 'No size.')
  assert.equal(registry.get('constructor'), undefined)
})

test('registry: contradictions are reported by name', () => {
  const fails = (modules: ReturnType<typeof moduleOf>[], words: RegExp) =>
    assert.throws(
      () => composeRegistry(modules),
      (error) => error instanceof DeclarationError && words.test(error.message),
    )
  fails([moduleOf('two', [], ['one'])], /two needs one/)
  fails(
    [moduleOf('one', [behaviour(shelf)]), moduleOf('two', [behaviour(shelf)])],
    /test\.shelf is declared twice: by one and two/,
  )
  fails([moduleOf('one', [behaviour(extension('test.none', {}))])], /extends test\.none/)
  fails(
    [moduleOf('one', [behaviour(model('test.a', { fields: { b_id: many2one('test.b') } }))])],
    /test\.a\.b_id leads to test\.b/,
  )
  fails(
    [moduleOf('one', [behaviour(shelf), behaviour(extension('test.shelf', { name: integer() }))])],
    /test\.shelf\.name is char in one and integer in one/,
  )
  fails(
    [moduleOf('one', [behaviour(model('test.c', { fields: { n: integer({ computed: true }) } }))])],
    /test\.c\.n is declared computed/,
  )
  fails([moduleOf('one', [behaviour(shelf, { wraps: { fly: (next) => next } })])], /wraps test\.shelf\.fly/)
  fails(
    [moduleOf('one', [behaviour(shelf, { wraps: { write: (next) => next } })])],
    /wraps test\.shelf\.write: .* wrapWrite/,
  )
  fails(
    [
      moduleOf('one', [
        behaviour(model('test.d', { fields: { line_ids: one2many('test.shelf', 'nope') } })),
        behaviour(shelf),
      ]),
    ],
    /has no way back/,
  )
})
