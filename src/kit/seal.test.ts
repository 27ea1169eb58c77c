// Sealed secrets: read again with the same key, for the same thing, and in no other way.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sealed, setSealingKey, unsealed } from './seal.ts'

after(() => setSealingKey(null))

test('what is sealed is read with the same key and for the same thing only', () => {
  setSealingKey(Buffer.alloc(32, 1))
  const kept = sealed('whsec_secret', 'webhook 1')
  assert.ok(!kept.includes('secret'))
  assert.notEqual(kept, sealed('whsec_secret', 'webhook 1'))
  assert.equal(unsealed(kept, 'webhook 1'), 'whsec_secret')
  assert.equal(unsealed(kept, 'webhook 2'), null)
  const broken = kept.slice(0, -2) + (kept.endsWith('AA') ? 'BB' : 'AA')
  assert.equal(unsealed(broken, 'webhook 1'), null)
  setSealingKey(Buffer.alloc(32, 2))
  assert.equal(unsealed(kept, 'webhook 1'), null)
  setSealingKey(null)
  assert.equal(unsealed(kept, 'webhook 1'), null)
})

test('without a key secrets are kept as they are, and read after one is set', () => {
  const kept = sealed('whsec_secret', 'webhook 1')
  setSealingKey(Buffer.alloc(32, 1))
  assert.equal(unsealed(kept, 'webhook 1'), 'whsec_secret')
})
