// Names of databases, and which of them a host may use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertName, filterFor } from './names.ts'

test('names that PostgreSQL, file systems and addresses take as they are', () => {
  for (const name of ['ab', 'Shop-2.test_x', '9lives', 'a'.repeat(63)]) assertName(name)
  for (const name of [
    '',
    'a',
    '_ab',
    '.ab',
    '-ab',
    'a b',
    'a/b',
    '../ab',
    'a\nb',
    'ab\n',
    'é1',
    `a"b`,
    'a'.repeat(64),
  ])
    assert.throws(() => assertName(name), { name: 'UserError' }, JSON.stringify(name))
})

/** Which of some names a host may reach. */
const reach = (pattern: string | null, host: string | undefined) =>
  ['shop', 'shop-test', 'shopping', 'shop.example.com', 'other', 'www'].filter(filterFor(pattern, host))

test('%h is the host, %d its first label; www, port and capitals do not count', () => {
  assert.deepEqual(reach('^%d$', 'shop.example.com'), ['shop'])
  assert.deepEqual(reach('%d', 'WWW.Shop.example.com:8069'), ['shop'])
  assert.deepEqual(reach('%h', 'shop.example.com:443'), ['shop.example.com'])
  assert.deepEqual(reach('%d(-test)?', 'shop.example.com'), ['shop', 'shop-test'])
  assert.deepEqual(reach(null, 'anything'), [
    'shop',
    'shop-test',
    'shopping',
    'shop.example.com',
    'other',
    'www',
  ])
})

test('a pattern fits whole names, whichever of its alternatives comes first', () => {
  assert.deepEqual(reach('shop|shop-test', 'x'), ['shop', 'shop-test'])
  assert.deepEqual(reach('shop', 'x'), ['shop'])
})

test('signs of a host mean themselves', () => {
  assert.deepEqual(reach('%h', '.*'), [])
  assert.deepEqual(reach('%d', 'sh|other.example.com'), [])
  assert.deepEqual(reach('%d', undefined), [])
  assert.deepEqual(reach('%h', '[::1]:8069'), [])
})
