// Keys, hashes and passwords.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dummyVerify, hashKey, hashPassword, newKey, sameSecret, verifyPassword } from './secrets.ts'

test('keys are 40 lower-case hex digits, never the same', () => {
  const keys = Array.from({ length: 100 }, newKey)
  for (const key of keys) assert.match(key, /^[0-9a-f]{40}$/)
  assert.equal(new Set(keys).size, 100)
})

test('a key is stored as its SHA-256', () => {
  assert.equal(
    hashKey('abc').toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('a password opens its own hash only', async () => {
  const stored = await hashPassword('pässwörd')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.notEqual(await hashPassword('pässwörd'), stored)
  assert.equal(await verifyPassword(stored, 'pässwörd'), true)
  assert.equal(await verifyPassword(stored, 'Pässwörd'), false)
  assert.equal(await verifyPassword(stored, ''), false)
})

test('a stored text of another format fits nothing', async () => {
  for (const stored of ['', 'admin', '$argon2id$', '$pbkdf2$admin'])
    assert.equal(await verifyPassword(stored, 'admin'), false)
  assert.equal(await dummyVerify('admin'), false)
})

test('secrets are equal only over their whole length', () => {
  assert.equal(sameSecret('a b ', 'a b '), true)
  assert.equal(sameSecret('a b', 'a b '), false)
  assert.equal(sameSecret('', 'x'), false)
})
