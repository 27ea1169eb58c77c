// Base64 made plain: every form that clients send, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainBase64 } from './bytes.ts'

/** Slowly, sign by sign. */
function plainly(text: string): string | null {
  const signs = text
    .replace(/[ \t\n\v\f\r]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const [, body = '', padding = ''] = /^([A-Za-z0-9+/]*)(={0,2})$/.exec(signs) ?? []
  if (body + padding !== signs || body.length % 4 === 1) return null
  const wanted = (4 - (body.length % 4)) % 4
  if (padding && padding.length !== wanted) return null
  return Buffer.from(body, 'base64').toString('base64')
}

test('texts of all kinds are what they are sign by sign', () => {
  const signs = [
    'A',
    'Q',
    'z',
    '9',
    '+',
    '/',
    '-',
    '_',
    ' ',
    '\n',
    '\t',
    '\r',
    '\v',
    '\f',
    '=',
    '.',
    'é',
    '€',
    '\u0000',
  ]
  let seed = 7
  const below = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % n
  }
  const [outcomes, all] = [{ taken: 0, refused: 0 }, 20_000]
  for (let n = 0; n < all; n++) {
    const kinds = below(4) ? 8 + below(7) : signs.length
    const body = Array.from({ length: below(14) }, () => signs[below(Math.min(kinds, 14))]).join('')
    const text = body + (below(3) ? '' : '='.repeat(below(4))) + (below(9) ? '' : signs[below(signs.length)])
    const decoded = plainBase64(text)?.base64 ?? null
    assert.equal(decoded, plainly(text), JSON.stringify(text))
    outcomes[decoded === null ? 'refused' : 'taken']++
  }
  assert.ok(outcomes.taken > all / 5 && outcomes.refused > all / 5, JSON.stringify(outcomes))
})

test('long texts, in each alphabet and in lines', () => {
  const content = Buffer.alloc(
    100_001,
    Uint8Array.from({ length: 251 }, (_, at) => at),
  )
  const plain = content.toString('base64')
  for (const text of [plain, content.toString('base64url'), plain.replace(/.{76}/g, '$&\r\n'), ` ${plain} `])
    assert.equal(plainBase64(text)?.base64, plain)
  for (const text of [`${plain}A`, plain.replace('A', '.'), `${plain.slice(0, -1)}\u0000=`, 'QQ==QQ=='])
    assert.equal(plainBase64(text), null)
})
