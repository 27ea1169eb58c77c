// Tests of contexts.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedContext } from './contexts.ts'

test('the same changes to a context give the same one, others another', () => {
  const base = { lang: 'fr_FR' }
  const derivedContext = changedContext(base, { active_test: false })
  assert.deepEqual(derivedContext, { lang: 'fr_FR', active_test: false })
  assert.equal(changedContext(base, { active_test: false }), derivedContext)
  for (const other of [
    { active_test: true },
    { active_test: undefined },
    { active_test: false, lang: 'fr_FR' },
    { active_test: 0 },
    { lang: 'fr_FR' },
  ])
    assert.deepEqual(changedContext(base, other), { ...base, ...other })
  assert.notEqual(changedContext({ ...base }, { active_test: false }), derivedContext)
  assert.equal(changedContext(base, {}), base)
})

test('contexts: frozen lists are compared, others are not cached', () => {
  const base = {}
  const frozen = () => Object.freeze([1, 2])
  const derivedContext = changedContext(base, { allowed_company_ids: frozen() })
  assert.equal(changedContext(base, { allowed_company_ids: frozen() }), derivedContext)
  assert.notEqual(changedContext(base, { allowed_company_ids: Object.freeze([2, 1]) }), derivedContext)
  const ids = [1]
  const open = changedContext(base, { ids })
  ids.push(2)
  assert.notEqual(changedContext(base, { ids: [1] }), open)
  const deep = { of: { a: 1 } }
  assert.notEqual(changedContext(base, deep), changedContext(base, deep))
  const long = 'x'.repeat(1000)
  assert.notEqual(changedContext(base, { long }), changedContext(base, { long }))
})

test('what was asked for last is remembered, and no more than a few', () => {
  const base = {}
  const first = changedContext(base, { n: 0 })
  for (let n = 1; n < 8; n++) changedContext(base, { n })
  assert.equal(changedContext(base, { n: 0 }), first)
  changedContext(base, { n: 8 })
  assert.notEqual(changedContext(base, { n: 0 }), first)
})
