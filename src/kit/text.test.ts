// Texts that can be stored, and cutting them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { choices, flawOf, isStorable, shown, truncateText } from './text.ts'
import { Wildcards } from './wildcards.ts'

test('NUL and half surrogate pairs are flaws, everything else is text', () => {
  assert.equal(flawOf('a\0b'), 'a NUL character')
  assert.equal(flawOf('half \ud83d pair'), 'half a surrogate pair')
  assert.equal(flawOf('\ude00'), 'half a surrogate pair')
  for (const text of ['', '😀', '\u0001\t\n', 'é']) assert.ok(isStorable(text), JSON.stringify(text))
})

test('cutting counts characters and never halves one', () => {
  assert.equal(truncateText('QQQ', 2), 'QQ')
  assert.equal(truncateText('😀😀😀', 2), '😀😀')
  assert.equal(truncateText('a😀b', 2), 'a😀')
  assert.equal(truncateText('abc', 0), '')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, size) =>
      assert.equal(truncateText(text, size), [...text].slice(0, size).join('')),
    ),
  )
})

test('choices read as a sentence does', () => {
  assert.deepEqual(
    [choices([]), choices(['a']), choices(['a', 'b']), choices(['a', 'b', 'c'])],
    ['', 'a', 'a or b', 'a, b or c'],
  )
  assert.equal(choices(['a', 'b', 'c', 'd'], 2), 'a, b or one of 2 more')
})

test('values in refusals are JSON as long as they are short, and cost little when they are not', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const whole = JSON.stringify(value)
      assert.equal(shown(value, 100_000), whole)
      assert.equal(shown(value, 20).slice(0, 20), whole.slice(0, 20))
    }),
  )
  const circular: unknown[] = []
  circular.push(circular, circular)
  for (const large of [
    Array(1e6).fill([1]),
    'x'.repeat(1e7),
    { ['k'.repeat(1e6)]: 1 },
    circular,
    undefined,
    () => 1,
    5n,
  ])
    assert.ok(shown(large).length <= 201)
})

test('names with wildcards fit as their pieces come, and no list makes that long', () => {
  const fits = (list: string, text: string) => new Wildcards(list).matches(text)
  for (const [list, text, want] of [
    ['sale.order/create, pos.*', 'pos.order/write', true],
    ['sale.order/create, pos.*', 'sale.order/create', true],
    ['sale.order/create', 'sale.order/creates', false],
    ['*/create', 'res.partner/create', true],
    ['*ab*ba*', 'aba', false],
    ['a*a', 'a', false],
    ['a.c', 'abc', false],
    ['', '', false],
  ] as const)
    assert.equal(fits(list, text), want, `${list} ${text}`)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 }), (list) => {
      const wanted = new RegExp(`^${list.replaceAll('*', '.*')}$`)
      for (const text of ['a', 'b', 'ab', 'ba', 'aab', 'abab', 'bbaab'])
        assert.equal(fits(list, text), list !== '' && wanted.test(text), `${list} ${text}`)
    }),
  )
  // By a regular expression these would never end.
  for (const piece of ['*a', '*a*', 'a*']) fits(`${piece.repeat(3000)}b`, 'a'.repeat(5000))
})
