// One-time codes: the vectors of RFC 6238, the window of steps, what people type, the link for apps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  matchingStep,
  newRecoveryCodes,
  newTotpSecret,
  readProof,
  recoveryHash,
  stepOf,
  totpCode,
  totpUri,
} from './totp.ts'

/** The secret of RFC 6238, appendix B: the text "12345678901234567890". */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const at = (seconds: number) => new Date(seconds * 1000)

test('totpCode: gives the codes of RFC 6238, appendix B', () => {
  // The last six of the eight digits there.
  const vectors = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const
  for (const [seconds, code] of vectors) assert.equal(totpCode(SECRET, stepOf(at(seconds))), code)
})

test('matchingStep: takes the code of the step before, the present and the next step, and no other', () => {
  const now = 1_000_000
  const accepted = [-2, -1, 0, 1, 2].map((away) => {
    const code = totpCode(SECRET, stepOf(at(now)) + away)
    return matchingStep(SECRET, code, at(now))
  })
  const step = stepOf(at(now))
  assert.deepEqual(accepted, [null, step - 1, step, step + 1, null])
  assert.equal(matchingStep(SECRET, '', at(now)), null)
})

test('newTotpSecret: gives a fresh secret of 160 bits', () => {
  const [first, second] = [newTotpSecret(), newTotpSecret()]
  assert.match(first, /^[A-Z2-7]{32}$/)
  assert.notEqual(first, second)
})

test('readProof: takes codes with blanks, recovery codes in any case, and nothing else', () => {
  assert.deepEqual(readProof(' 123 456 '), { kind: 'app', code: '123456' })
  const [code = ''] = newRecoveryCodes()
  assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  const typed = readProof(code.toLowerCase().replaceAll('-', ' '))
  assert.deepEqual(typed && recoveryHash(typed.code), recoveryHash(code))
  for (const other of ['', '12345', '1234567', 'password', 123456, null, '1'.repeat(200), '１２３４５６'])
    assert.equal(readProof(other), null, String(other))
})

test('totpUri: names issuer, account and secret as authenticator apps read them', () => {
  assert.equal(
    totpUri(SECRET, 'Shop: Ghent & Co', 'ann@shop.example'),
    `otpauth://totp/Shop%20%20Ghent%20%26%20Co:ann%40shop.example?secret=${SECRET}&issuer=Shop%20%20Ghent%20%26%20Co&algorithm=SHA1&digits=6&period=30`,
  )
})
