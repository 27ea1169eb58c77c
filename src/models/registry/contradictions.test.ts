// Errors of module authors: composing modules reports each with module, model, field and a fix. Errors
// that the compiler reports are in test/types/refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeclarationError } from '../../errors.ts'
import { implement } from '../behaviour/implement.ts'
import { defineModule } from '../behaviour/module.ts'
import * as kinds from '../contract/field.ts'
import { type Contract, model } from '../contract/model.ts'
import type { Behaviour } from '../language/behaviour.ts'
import { composeRegistry } from './registry.ts'

const {
  char,
  integer,
  many2one,
  one2many,
  monetary,
  selection,
  date,
  float,
  text,
  reference,
  many2oneReference,
  boolean,
} = kinds

const currency = implement(
  model('res.currency', { label: 'Currency', fields: { name: char() } }) as Contract as never,
)
const pot = {
  name: char(),
  shelf_id: many2one('x.shelf'),
  depth: integer(),
  currency_id: many2one('res.currency'),
}
const shelf = {
  name: char(),
  width: integer({ default: 10 }),
  pots: one2many('x.pot', 'shelf_id'),
  currency_id: many2one('res.currency'),
}

/** A builder as modules in JavaScript call it. */
const loose = <R>(builder: (...args: never[]) => R) => builder as (...args: unknown[]) => R

interface Mistake {
  readonly fields?: object
  readonly options?: object
  readonly behaviour?: Partial<Behaviour>
  /** Expected in the message, in addition to module and model. */
  readonly message: RegExp
}

/** Composes shelves with pots, the mistake among the shelves. */
function compose({ fields = {}, options = {}, behaviour = {} }: Omit<Mistake, 'message'>) {
  const shelves = implement(
    model('x.shelf', { label: 'Shelf', fields: { ...shelf, ...fields }, ...options }) as Contract as never,
  )
  const pots = implement(model('x.pot', { label: 'Pot', fields: pot }) as Contract as never)
  const models = [currency, { ...shelves, ...behaviour }, pots]
  return composeRegistry([defineModule({ name: 'pottery', version: '1', summary: '', depends: [], models })])
}

const computedBy = (...depends: string[]) => ({
  model: 'x.shelf',
  depends,
  context: [],
  options: {},
  pure: true,
  run: () => new Map(),
})

const mistakes: Readonly<Record<string, Mistake>> = {
  'an order by a field that is not there': {
    options: { order: 'widht desc' },
    message: /order "widht desc": x.shelf has no field widht; it has .*width/,
  },
  'an order that is none': {
    options: { order: 'width down' },
    message: /order "width down" is not a list of fields/,
  },
  'an order by a list': { options: { order: 'pots' }, message: /cannot be ordered by the list pots/ },
  'a record name that is not there': {
    options: { recName: 'title' },
    message: /recName: x.shelf has no field title/,
  },
  'a search of names by a path that ends': {
    options: { recNamesSearch: ['name.first'] },
    message: /recNamesSearch "name.first": x.shelf.name is not a relational field/,
  },
  'a parent that is no way up': {
    options: { parent: 'currency_id' },
    message: /parent: currency_id is not a many2one to x.shelf itself/,
  },
  'a tree without a parent': { options: { parentStore: true }, message: /name it in parent/ },
  'a tree that has nowhere to keep its path': {
    fields: { parent_id: many2one('x.shelf') },
    options: { parent: 'parent_id', parentStore: true },
    message: /declare it as a char with an index/,
  },
  'a unique field that is not there': {
    options: { rules: { once: { unique: ['nmae'], message: 'Twice.' } } },
    message: /rule once: x.shelf has no field nmae; it has name/,
  },
  'a unique field without a column': {
    options: { rules: { once: { unique: ['pots'], message: 'Twice.' } } },
    message: /rule once: pots is not stored/,
  },
  'a related path that is not there': {
    fields: { sign: char({ related: 'currency_id.sign' }) },
    message: /sign: related "currency_id.sign": res.currency has no field sign/,
  },
  'a related path over a value': {
    fields: { sign: char({ related: 'width.sign' }) },
    message: /x.shelf.width is not a relational field/,
  },
  'a related field of another kind': {
    fields: { sign: integer({ related: 'currency_id.name' }) },
    message: /is a char, but the field is a integer/,
  },
  'an amount without its currency': {
    fields: { price: monetary({ currency: 'money_id' }) },
    message: /price: its currency money_id is not a many2one to res.currency: name the field by currency/,
  },
  'an amount in something else': {
    fields: { price: monetary({ currency: 'width' }) },
    message: /its currency width is not a many2one/,
  },
  'a group that is no external id': {
    fields: { secret: char({ groups: 'managers' }) },
    message: /"managers" is not an external id such as base.group_user/,
  },
  'a default outside of the options': {
    fields: { color: selection({ r: 'Red' }, { default: 'blue' }) },
    message: /color: its default "blue" is refused: .*Red|its default "blue" is refused/,
  },
  'a default of another kind': {
    fields: { made: date({ default: 'yesterday' }) },
    message: /made: its default "yesterday" is refused: .*YYYY-MM-DD/,
  },
  'a number that is none': {
    fields: { weight: float({ default: 'heavy' }) },
    message: /weight: its default "heavy" is refused/,
  },
  'a field called ids': {
    fields: { ids: integer() },
    message: /ids: ids is a member of every recordset: choose another name/,
  },
  'a field called like a method': {
    fields: { search_read: char() },
    message: /search_read is a method of the model too/,
  },
  'options without labels': {
    fields: { color: selection({ r: ' ' }) },
    message: /its option r has no label/,
  },
  'references without labels': {
    fields: { target: reference({ 'x.pot': '' }) },
    message: /its option x.pot has no label/,
  },
  'no options at all': { fields: { color: selection({}) }, message: /it has no options/ },
  'a way back that is a value': {
    fields: { things: one2many('x.pot', 'depth') },
    message: /its way back x.pot.depth is a integer: it must be a many2one to x.shelf/,
  },
  'a way back to somebody else': {
    fields: { things: one2many('x.pot', 'currency_id') },
    message: /leads to res.currency: it must be a many2one to x.shelf/,
  },
  'no way back': {
    fields: { things: one2many('x.pot', 'shelve_id') },
    message: /no way back: x.pot.shelve_id is not there/,
  },
  'a relation to nowhere': {
    fields: { owner: many2one('x.owner') },
    message: /leads to x.owner, which no module declares/,
  },
  'a domain on a field that is not there': {
    fields: { best: many2one('x.pot', { domain: [['deepth', '>', 3]] }) },
    message: /its domain asks for deepth: x.pot has no field deepth; it has .*depth/,
  },
  'a required link that would be unset': {
    fields: { best: many2one('x.pot', { required: true, ondelete: 'set null' }) },
    message: /required and would be unset with its target: say ondelete/,
  },
  'an index for texts on a number': {
    fields: { size: integer({ index: 'trigram' }) },
    message: /index 'trigram' is for texts, and it is a integer/,
  },
  'an id whose model is nowhere': {
    fields: { res_id: many2oneReference({ modelField: 'res_model' }) },
    message: /modelField: x.shelf has no field res_model/,
  },
  'more decimals than digits': {
    fields: { size: float({ digits: [2, 6] }) },
    message: /digits \[2, 6\]: more decimals than digits/,
  },
  'computed early and not kept': {
    fields: { size: integer({ precompute: true }) },
    message: /precompute is for stored computed fields/,
  },
  'computed by nothing': {
    fields: { full: boolean({ computed: true }) },
    message: /full is declared computed and nothing computes it/,
  },
  'computed from a path that is not there': {
    fields: { full: boolean({ computed: true }) },
    behaviour: { computed: { full: computedBy('pots.hieght') } },
    message: /it depends on "pots.hieght": x.pot has no field hieght/,
  },
  'computed by a function that asks for what is not there': {
    fields: { full: boolean({ computed: true }) },
    behaviour: { computed: { full: { ...computedBy('name'), options: { asks: ['pots.hieght'] } } } },
    message: /it asks for "pots.hieght": x.pot has no field hieght/,
  },
  'computed and not a field': {
    behaviour: { computed: { fulll: computedBy('name') } },
    message: /computed: x.shelf has no field fulll/,
  },
  'a default for no field': {
    behaviour: { defaults: { notes: () => 'x' } },
    message: /defaults: x.shelf has no field notes/,
  },
  'a check of no field': {
    behaviour: { checks: { 'Too wide.': computedBy('breadth') } },
    message: /the check "Too wide." depends on "breadth"/,
  },
  'a form that hears of no field': {
    behaviour: { onchange: [{ fields: ['colour'], run: () => ({}) }] },
    message: /onchange "colour": x.shelf has no field colour/,
  },
}

const misspelled: Readonly<Record<string, Mistake>> = {
  'a field': {
    fields: { depth: loose(char)({ requried: true }) },
    message: /^pottery: x\.shelf\.depth: char fields have no option requried: did you mean required\?$/,
  },
  'a relation': {
    fields: { best: loose(many2one)('x.pot', { onDelete: 'cascade' }) },
    message: /x\.shelf\.best: many2one fields have no option onDelete: did you mean ondelete\?/,
  },
  'a list': {
    fields: { more: loose(one2many)('x.pot', 'shelf_id', { defualt: [] }) },
    message: /x\.shelf\.more: one2many fields have no option defualt: did you mean default\?/,
  },
  'a field of another kind': {
    fields: { depth: loose(integer)({ digits: [6, 2] }) },
    message:
      /integer fields have no option digits: it is an option of float fields; remove it, or change the kind/,
  },
  'a model': {
    options: { ordr: 'name' },
    message: /x\.shelf: models have no option ordr: did you mean order\?/,
  },
  'a table rule': {
    options: { rules: { once: { unique: ['name'], mesage: 'Twice.' } } },
    message: /x\.shelf: rule once: table rules have no option mesage: did you mean message\?/,
  },
  'a method': {
    options: { methods: { tidy: { doc: '', parms: {} } } },
    message: /x\.shelf\.tidy: methods have no option parms: did you mean params\?/,
  },
  'a parameter': {
    options: { methods: { tidy: { doc: '', params: { by: { type: 'any', hasDefault: true, dco: '' } } } } },
    message: /x\.shelf\.tidy: by: parameters have no option dco: did you mean doc\?/,
  },
}
for (const [name, { message, ...mistake }] of Object.entries(misspelled)) {
  test(`composition refuses a misspelled option of ${name}, and names the right one`, () => {
    assert.throws(() => compose(mistake), { name: 'DeclarationError', message })
  })
}

test('implement refuses options that do not exist, and names the right ones', () => {
  const contract = model('x.shelf', { label: 'Shelf', fields: shelf }) as Contract as never
  const computed = { width: { options: { serch: null } } }
  const body = { computed, computd: {}, onchange: [{ field: [], run: null }], writable: { statee: '' } }
  assert.throws(
    () => loose(implement)(contract, body),
    (error: Error) => {
      assert.deepEqual(error.message.split('\n'), [
        'x.shelf: implementations have no option computd: did you mean computed?',
        'x.shelf: width: computed values have no option serch: did you mean search?',
        'x.shelf: onchanges have no option field: did you mean fields?',
        'x.shelf: writable rules have no option statee: did you mean state?',
      ])
      return error instanceof DeclarationError
    },
  )
})

test('composition refuses misspelled options of modules, data sets and migrations', () => {
  const module = {
    ...{ name: 'pottery', version: '1', summary: '', depends: [], models: [], sumary: '' },
    data: [{ model: 'x.shelf', noUpdate: true, records: {} }],
    migrations: [{ name: 'first', model: 'x.shelf', rnu: null }],
  }
  assert.throws(
    () => composeRegistry([loose(defineModule)(module)]),
    (error: Error) => {
      assert.deepEqual(error.message.split('\n'), [
        'pottery: modules have no option sumary: did you mean summary?',
        'pottery: x.shelf: data sets have no option noUpdate: did you mean noupdate?',
        'pottery: migration first: migrations have no option rnu: did you mean run?',
      ])
      return error instanceof DeclarationError
    },
  )
})

test('what does not contradict itself is composed', () => {
  const fields = {
    notes: text(),
    price: monetary(),
    parent_id: many2one('x.shelf'),
    parent_path: char({ index: true }),
  }
  const options = {
    order: 'currency_id.name desc, width',
    recName: 'name',
    parent: 'parent_id',
    parentStore: true,
  }
  assert.ok(compose({ fields, options }).get('x.shelf'))
})

for (const [name, { message, ...mistake }] of Object.entries(mistakes)) {
  test(`registry contradictions: ${name} is reported`, () => {
    assert.throws(
      () => compose(mistake),
      (error) => {
        assert.ok(error instanceof DeclarationError, String(error))
        assert.match(error.message, message)
        assert.match(error.message, /x\.shelf/)
        return true
      },
    )
  })
}

test('registry contradictions: all are reported at once', () => {
  const fields = { ids: integer(), price: monetary({ currency: 'none' }) }
  assert.throws(
    () => compose({ fields, options: { order: 'none' } }),
    (error: Error) => error.message.split('\n').length === 3,
  )
})
