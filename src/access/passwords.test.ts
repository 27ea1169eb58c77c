// Verification of passwords: each attempt costs one slow hash, so that response times do not reveal which
// logins exist.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dummyVerify, hashPassword } from '../kit/secrets.ts'
import { Passwords, type Who } from './passwords.ts'

/** Judges over one user, with what was judged slowly. */
function judging(row: readonly [number, string | null] | null) {
  const slow: string[] = []
  const passwords = new Passwords({
    verify: async (stored, text) => {
      slow.push('verify')
      return stored === `hash of ${text}`
    },
    pretend: async () => {
      slow.push('pretend')
      return false
    },
  })
  const check = (who: Who, password: unknown) =>
    passwords.check(async () => (row ? [[...row, 'none']] : []), who, password)
  return { check, slow }
}

test('one slow hash for a wrong password and for users without one: unknown, archived, bots, impossible names', async () => {
  const wrong = judging([7, 'hash of right'])
  assert.equal(await wrong.check({ login: 'ann' }, 'wrong'), null)
  assert.deepEqual(wrong.slow, ['verify'])
  for (const [row, who] of [
    [null, { login: 'nobody' }],
    [[7, null], { login: 'bot' }],
    [[7, 'hash of right'], { login: 'a\0b' }],
    [[7, 'hash of right'], { uid: 1 }],
    [null, { uid: 4_000_000_000 }],
  ] as const) {
    const verifier = judging(row)
    assert.equal(await verifier.check(who, 'right'), null, JSON.stringify(who))
    assert.deepEqual(verifier.slow, ['pretend'], JSON.stringify(who))
  }
})

test('a password that was right costs no slow hash again while it stays', async () => {
  const right = judging([7, 'hash of right'])
  for (const who of [{ login: 'ann' }, { uid: 7 }])
    assert.deepEqual(await right.check(who, 'right'), { uid: 7, secondFactor: 'none' })
  assert.deepEqual(right.slow, ['verify'])
  assert.equal(await right.check({ uid: 7 }, 'wrong'), null)
  assert.deepEqual(right.slow, ['verify', 'verify'])
})

test('what is too long for a password costs no hash, a login that is too long one', async () => {
  const verifier = judging([7, 'hash of right'])
  assert.equal(await verifier.check({ login: 'ann' }, 'x'.repeat(4097)), null)
  assert.deepEqual(verifier.slow, [])
  assert.equal(await verifier.check({ login: 'x'.repeat(3000) }, 'right'), null)
  assert.deepEqual(verifier.slow, ['pretend'])
})

test('what stands in for a hash costs what a real one does', async () => {
  assert.equal(await dummyVerify('anything'), false)
  assert.match(await hashPassword('x'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})
