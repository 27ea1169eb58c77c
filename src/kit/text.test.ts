// Texts that can be stored, and cutting them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutTo, flawOf, isStorable } from './text.ts'

test('NUL and half surrogate pairs are flaws, everything else is text', () => {
  assert.equal(flawOf('a\0b'), 'a NUL character')
  assert.equal(flawOf('half \ud83d pair'), 'half a surrogate pair')
  assert.equal(flawOf('\ude00'), 'half a surrogate pair')
  for (const text of ['', '😀', '\u0001\t\n', 'é']) assert.ok(isStorable(text), JSON.stringify(text))
})

test('cutting counts characters and never halves one', () => {
  assert.equal(cutTo('QQQ', 2), 'QQ')
  assert.equal(cutTo('😀😀😀', 2), '😀😀')
  assert.equal(cutTo('a😀b', 2), 'a😀')
  assert.equal(cutTo('abc', 0), '')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, size) =>
      assert.equal(cutTo(text, size), [...text].slice(0, size).join('')),
    ),
  )
})
