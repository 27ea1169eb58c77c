// Search of the documentation: results and their order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf, formsOf, type Index, search } from './entries.ts'

const common = ['read', 'search_read', 'write']
const index: Index = {
  models: [
    {
      model: 'account.journal',
      name: 'Journal',
      fields: { currency_id: { string: 'Currency' } },
      methods: [...common, 'close_year'],
    },
    {
      model: 'res.currency',
      name: 'Currency',
      fields: { name: { string: 'Code' } },
      methods: [...common, 'round'],
    },
    {
      model: 'res.currency.rate',
      name: 'Currency Rate',
      fields: { rate: { string: 'Rate' }, currency_id: { string: 'Currency' } },
      methods: common,
    },
  ],
}
const entries = entriesOf(index)
const find = (query: string, model = '') =>
  search(entries, query, model).map((entry) => `${entry.kind} ${entry.model ?? '*'} ${entry.name}`)

test('a model is found by a part of its name before the fields that are called alike', () => {
  assert.deepEqual(find('currency').slice(0, 2), [
    'model res.currency res.currency',
    'model res.currency.rate res.currency.rate',
  ])
  assert.equal(find('journal')[0], 'model account.journal account.journal')
})

test('every word counts, in any order, and large letters are small ones', () => {
  assert.deepEqual(find('RATE currency_id'), ['field res.currency.rate currency_id'])
  assert.deepEqual(find('journal year'), ['method account.journal close_year'])
  assert.deepEqual(find('no such thing'), [])
  assert.deepEqual(find('   '), [])
})

test('a method of every model is one entry, and leads somewhere', () => {
  assert.deepEqual(find('search_r'), ['method * search_read'])
  assert.equal(search(entries, 'search_read', '')[0]?.path, '/doc/account.journal#method-search_read')
  assert.equal(
    search(entries, 'search_read', 'res.currency')[0]?.path,
    '/doc/res.currency#method-search_read',
  )
  assert.equal(search(entries, 'round', '')[0]?.path, '/doc/res.currency#method-round')
})

test('a field is found by its whole path, and a method of every model by the word that people have for it', () => {
  assert.deepEqual(find('res.currency.rate.currency_id'), ['field res.currency.rate currency_id'])
  assert.deepEqual(find('update'), ['method * write'])
})

test('plurals and forms of verbs are understood', () => {
  assert.deepEqual(formsOf('countries'), ['countries', 'country', 'countrie'])
  assert.deepEqual(formsOf('taxes'), ['taxes', 'tax', 'taxe'])
  assert.ok(
    formsOf('adding').includes('add') &&
      formsOf('getting').includes('get') &&
      formsOf('creating').includes('create'),
  )
  assert.deepEqual(formsOf('address'), ['address'])
  assert.equal(find('currencies')[0], 'model res.currency res.currency')
  assert.equal(find('journals')[0], 'model account.journal account.journal')
  assert.deepEqual(find('updating'), ['method * write'])
  assert.equal(find('rates')[0], 'model res.currency.rate res.currency.rate')
})

test('a verb with the name of a model leads to the method there', () => {
  assert.equal(find('find journals')[0], 'method account.journal search_read')
  assert.equal(search(entries, 'update currency', '')[0]?.path, '/doc/res.currency#method-write')
  assert.equal(search(entries, 'currency update', '')[0]?.path, '/doc/res.currency#method-write')
  assert.deepEqual(find('update nothing'), [])
})

test('what belongs to the model of the page comes first among equals', () => {
  assert.equal(find('currency_id')[0], 'field account.journal currency_id')
  assert.equal(find('currency_id', 'res.currency.rate')[0], 'field res.currency.rate currency_id')
})
