// Tests of contexts.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed } from './contexts.ts'

test('the same changes to a context give the same one, others another', () => {
  const base = { lang: 'fr_FR' }
  const derivedContext = changed(base, { active_test: false })
  assert.deepEqual(derivedContext, { lang: 'fr_FR', active_test: false })
  assert.equal(changed(base, { active_test: false }), derivedContext)
  for (const other of [
    { active_test: true },
    { active_test: undefined },
    { active_test: false, lang: 'fr_FR' },
    { active_test: 0 },
    { lang: 'fr_FR' },
  ])
    assert.deepEqual(changed(base, other), { ...base, ...other })
  assert.notEqual(changed({ ...base }, { active_test: false }), derivedContext)
  assert.equal(changed(base, {}), base)
})

test('contexts: frozen lists are compared, others are not cached', () => {
  const base = {}
  const frozen = () => Object.freeze([1, 2])
  const derivedContext = changed(base, { allowed_company_ids: frozen() })
  assert.equal(changed(base, { allowed_company_ids: frozen() }), derivedContext)
  assert.notEqual(changed(base, { allowed_company_ids: Object.freeze([2, 1]) }), derivedContext)
  const ids = [1]
  const open = changed(base, { ids })
  ids.push(2)
  assert.notEqual(changed(base, { ids: [1] }), open)
  const deep = { of: { a: 1 } }
  assert.notEqual(changed(base, deep), changed(base, deep))
  const long = 'x'.repeat(1000)
  assert.notEqual(changed(base, { long }), changed(base, { long }))
})

test('what was asked for last is remembered, and no more than a few', () => {
  const base = {}
  const first = changed(base, { n: 0 })
  for (let n = 1; n < 8; n++) changed(base, { n })
  assert.equal(changed(base, { n: 0 }), first)
  changed(base, { n: 8 })
  assert.notEqual(changed(base, { n: 0 }), first)
})
