// The cookie's flags, and when it is for TLS alone: behind a proxy whose word counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { readCookie, setCookie, visitorCookie } from './cookie.ts'

/** The cookie that a server sets, for a request that came by a proxy with TLS. */
async function cookieBehind(trustProxy: string | undefined, proto = 'https'): Promise<string> {
  const app = fastify(trustProxy === undefined ? {} : { trustProxy })
  app.get('/', (request, reply) => {
    setCookie(request, reply, visitorCookie('shop'))
    return 'ok'
  })
  const answer = await app.inject({
    url: '/',
    headers: { 'x-forwarded-proto': proto },
    remoteAddress: '10.0.0.7',
  })
  await app.close()
  return String(answer.headers['set-cookie'])
}

test('no script reads it, and no other site sends it with a form', async () => {
  const cookie = await cookieBehind(undefined)
  for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/'])
    assert.ok(cookie.split('; ').includes(flag), flag)
})

test('Secure where a trusted proxy says that the browser came by TLS, and only then', async () => {
  const isSecure = async (...how: Parameters<typeof cookieBehind>) =>
    (await cookieBehind(...how)).split('; ').includes('Secure')
  assert.equal(await isSecure('10.0.0.0/8'), true)
  assert.equal(await isSecure('10.0.0.0/8', 'http'), false)
  assert.equal(await isSecure('192.168.0.1'), false, 'whoever is not trusted says nothing')
  assert.equal(await isSecure(undefined), false)
})

test('a text that the server did not write is not a cookie', () => {
  const of = (cookie: string) => readCookie({ headers: { cookie } } as never)
  const token = 'a'.repeat(40)
  assert.deepEqual(of(`x=1; session_id=s.c2hvcA.${token}`), { kind: 'session', database: 'shop', token })
  for (const value of [
    '',
    's',
    `x.c2hvcA.${token}`,
    `s.c2hvcA.${'a'.repeat(39)}`,
    `s.c2hvcA.${'A'.repeat(40)}`,
    `s.<b>.${token}`,
  ])
    assert.equal(of(`session_id=${value}`), null, value)
})
