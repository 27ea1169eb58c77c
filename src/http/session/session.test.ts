// Session routes and pages over a backend without databases: cookies, codes, redirects, tokens of forms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { fakeBackend } from '../../wire/fake-backend.ts'
import { buildServer } from '../server.ts'

const app = await buildServer({ backend: fakeBackend() })

const rpc = (url: string, params: object, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ id: 7, params }),
  })
const cookieOf = (answer: LightMyRequestResponse) =>
  String(answer.headers['set-cookie']).split(';', 1)[0] as string
const signIn = async () =>
  cookieOf(await rpc('/web/session/authenticate', { db: 'one', login: 'admin', password: 'secret' }))
const form = (url: string, fields: Record<string, string>, cookie: string) =>
  app.inject({
    method: 'POST',
    url,
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

test('signing in sets a cookie that clients can cut out, and answers the session information', async () => {
  const answer = await rpc('/web/session/authenticate', { db: 'one', login: 'admin', password: 'secret' })
  assert.match(
    String(answer.headers['set-cookie']),
    /^session_id=[^;=]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const { result, error } = answer.json()
  assert.equal(error, undefined, JSON.stringify(error))
  assert.equal(result.uid, 2)
  assert.equal(result.db, 'one')
  assert.equal(result.server_version, '19.0')
})

test('a wrong password and an unknown database set none', async () => {
  const wrong = await rpc('/web/session/authenticate', { db: 'one', login: 'admin', password: 'x' })
  assert.equal(wrong.json().error.data.name, 'odoo.exceptions.AccessDenied')
  assert.equal(wrong.headers['set-cookie'], undefined)
  const unknown = await rpc('/web/session/authenticate', { db: 'three', login: 'admin', password: 'secret' })
  assert.match(unknown.json().error.data.message, /does not exist/)
})

test('without a session: error 100 with a database, a page without one', async () => {
  const expired = await rpc('/web/session/check', {}, { 'x-odoo-database': 'one' })
  assert.equal(expired.statusCode, 200)
  const { id, error } = expired.json()
  assert.deepEqual(
    [id, error.code, error.message, error.data.name],
    [null, 100, 'Odoo Session Expired', 'odoo.http.SessionExpiredException'],
  )
  const lost = await rpc('/web/session/check', {})
  assert.equal(lost.statusCode, 404)
  assert.match(String(lost.headers['content-type']), /^text\/html/)
})

test('a session that has ended takes its database with it', async () => {
  const cookie = `session_id=s.${Buffer.from('one').toString('base64url')}.${'c'.repeat(40)}`
  assert.equal((await rpc('/web/session/check', {}, { cookie })).statusCode, 404)
  assert.equal(
    (await rpc('/web/session/check', {}, { cookie, 'x-odoo-database': 'one' })).json().error.code,
    100,
  )
})

test('a cookie and a header must name the same database', async () => {
  const cookie = await signIn()
  const call = { model: 'res.partner', method: 'read', args: [[1]], kwargs: { fields: ['name'] } }
  assert.equal(
    (await rpc('/web/dataset/call_kw', call, { cookie, 'x-odoo-database': 'two' })).statusCode,
    403,
  )
  assert.deepEqual((await rpc('/web/dataset/call_kw', call, { cookie, 'x-odoo-database': 'one' })).json(), {
    jsonrpc: '2.0',
    id: 7,
    result: { fields: ['name'] },
  })
})

test('call_kw takes any path, call_button gives actions only, an unknown model has code 404', async () => {
  const cookie = await signIn()
  const params = { model: 'res.partner', method: 'm', args: [], kwargs: { type: 'ir.actions' } }
  for (const path of ['/res.partner/m', '/res.partner.m', '']) {
    assert.deepEqual((await rpc(`/web/dataset/call_kw${path}`, params, { cookie })).json().result, {
      type: 'ir.actions',
    })
    assert.deepEqual((await rpc(`/web/dataset/call_button${path}`, params, { cookie })).json().result, {
      type: 'ir.actions',
    })
  }
  assert.equal(
    (await rpc('/web/dataset/call_button', { ...params, kwargs: {} }, { cookie })).json().result,
    false,
  )
  const { error } = (await rpc('/web/dataset/call_kw', { ...params, model: 'none' }, { cookie })).json()
  assert.deepEqual([error.code, error.message], [404, '404: Not Found'])
})

test('a visitor is led to the login and, with the token of the form, in', async () => {
  const first = await app.inject({ url: '/web?db=one' })
  assert.deepEqual([first.statusCode, first.headers.location], [302, '/web?db=one'])
  const visitor = cookieOf(first)
  const second = await app.inject({ url: '/web?db=one', headers: { cookie: visitor } })
  assert.deepEqual(
    [second.statusCode, second.headers.location],
    [303, '/web/login?redirect=%2Fweb%3Fdb%3Done'],
  )
  const page = await app.inject({ url: '/web/login', headers: { cookie: visitor } })
  const token = /csrf_token: "(\w+)"/.exec(page.body)?.[1] as string
  assert.ok(page.body.includes(`name="csrf_token" value="${token}"`))
  const twice = await app.inject({
    url: '/web/login?redirect=%2Fweb%2Fa&redirect=%2Fweb%2Fb&reason=expired&reason=x',
    headers: { cookie: visitor },
  })
  assert.deepEqual(
    [twice.statusCode, twice.body.includes('/web/a'), twice.body.includes('/web/b')],
    [200, true, false],
  )

  const fields = { csrf_token: token, login: 'admin', password: 'secret' }
  assert.equal((await form('/web/login', { ...fields, csrf_token: 'f'.repeat(64) }, visitor)).statusCode, 400)
  assert.equal((await form('/web/login', fields, '')).statusCode, 400)
  const wrong = await form('/web/login', { ...fields, password: 'x' }, visitor)
  assert.equal(wrong.statusCode, 200)
  assert.match(wrong.body, /Wrong login\/password/)
  for (const [redirect, location] of [
    ['', '/odoo'],
    ['/web', '/web'],
    ['//evil.example', '/odoo'],
    ['/\\evil.example', '/odoo'],
    ['https://evil.example', '/odoo'],
  ] as const) {
    const right = await form('/web/login', { ...fields, redirect }, visitor)
    assert.deepEqual([right.statusCode, right.headers.location], [303, location])
    assert.notEqual(cookieOf(right), visitor)
  }
})

test('the home page holds the session information as JSON on one line', async () => {
  const { body } = await app.inject({ url: '/odoo', headers: { cookie: await signIn() } })
  const line = body.split('\n').find((text) => text.startsWith('odoo.__session_info__ = ')) as string
  assert.equal(JSON.parse(line.slice('odoo.__session_info__ = '.length, -1)).name, '</script>')
  assert.ok(line.endsWith(';') && !line.includes('</script>'))
})

test('without a database the selector is shown, and an invalid cookie is ignored', async () => {
  for (const cookie of [
    '',
    'session_id=garbage',
    `session_id=s.${Buffer.from('three').toString('base64url')}.${'c'.repeat(40)}`,
  ]) {
    for (const url of ['/web', '/odoo', '/web/login'])
      assert.equal(
        (await app.inject({ url, headers: { cookie } })).headers.location,
        '/web/database/selector',
      )
  }
  const selector = await app.inject({ url: '/web/database/selector' })
  assert.match(selector.body, /href="\/web\?db=one"/)
  assert.match(selector.body, /csrf_token: "\w+"/)
})

test('calls of a session are taken as JSON, and from pages of this site or from programs', async () => {
  const cookie = await signIn()
  const params = { model: 'res.partner', method: 'm', args: [], kwargs: {} }
  const from = (headers: Record<string, string>) =>
    rpc('/web/dataset/call_kw', params, { cookie, host: 'shop.example', ...headers })
  const sameOrigin: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
    { origin: 'http://shop.example' },
    { origin: 'https://outside.example', 'x-forwarded-host': 'outside.example' },
  ]
  for (const headers of sameOrigin)
    assert.equal((await from(headers)).statusCode, 200, JSON.stringify(headers))
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://shop.example' },
    { origin: 'https://evil.example' },
    { origin: 'https://shop.example.evil.example' },
    { origin: 'null' },
  ]
  for (const headers of foreign) {
    const answer = await from(headers)
    assert.deepEqual(
      [answer.statusCode, answer.json().name],
      [403, 'odoo.exceptions.AccessError'],
      JSON.stringify(headers),
    )
    assert.equal(
      (await rpc('/web/session/authenticate', { db: 'one', login: 'admin', password: 'secret' }, headers))
        .headers['set-cookie'],
      undefined,
    )
    assert.equal((await rpc('/web/session/destroy', {}, { cookie, ...headers })).statusCode, 403)
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    assert.equal((await from({ 'content-type': type })).statusCode, 415, type)
  }
})

test('signing out wants the token of the form too', async () => {
  const cookie = await signIn()
  const home = await app.inject({ url: '/odoo', headers: { cookie } })
  const token = /name="csrf_token" value="(\w+)"/.exec(home.body)?.[1] as string
  assert.equal((await form('/web/session/logout', {}, cookie)).statusCode, 400)
  assert.equal((await form('/web/session/logout', { csrf_token: 'f'.repeat(64) }, cookie)).statusCode, 400)
  const out = await form('/web/session/logout', { csrf_token: token }, cookie)
  assert.deepEqual([out.statusCode, out.headers.location], [303, '/web/login?reason=signed-out'])
  assert.match(String(out.headers['set-cookie']), /^session_id=; Max-Age=0;/)
  const link = (headers: Record<string, string>) =>
    app.inject({ url: '/web/session/logout', headers: { cookie, ...headers } })
  const foreign = await link({ 'sec-fetch-site': 'cross-site' })
  assert.deepEqual(
    [foreign.statusCode, foreign.headers.location, foreign.headers['set-cookie']],
    [303, '/odoo', undefined],
  )
  const ownLink = await link({})
  assert.deepEqual([ownLink.statusCode, ownLink.headers.location], [303, '/web/login?reason=signed-out'])
  assert.match(String(ownLink.headers['set-cookie']), /^session_id=; Max-Age=0;/)
})

test('a link of another site does not switch the user, and texts of an address are not shown', async () => {
  const cookie = await signIn()
  const become = await app.inject({ url: '/web/become', headers: { cookie, 'sec-fetch-site': 'cross-site' } })
  assert.deepEqual(
    [become.statusCode, become.headers.location, become.headers['set-cookie']],
    [303, '/odoo', undefined],
  )
  const visitor = cookieOf(await app.inject({ url: '/web?db=one' }))
  for (const reason of ['constructor', '__proto__', '<b>now</b>', 'Pay here']) {
    const { body } = await app.inject({
      url: `/web/login?reason=${encodeURIComponent(reason)}`,
      headers: { cookie: visitor },
    })
    assert.ok(!body.includes('notice') && !body.includes(reason), reason)
  }
})

test('pages run no script but ours, and their policy says so', async () => {
  const cookie = await signIn()
  for (const url of ['/web/login', '/odoo', '/web/account', '/web/database/selector']) {
    const { body, headers, statusCode } = await app.inject({ url, headers: { cookie } })
    assert.equal(statusCode, 200, url)
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    assert.doesNotMatch(
      body.replaceAll('<script type="application/json" id="facts">', ''),
      /<script>|<script(?! type="module" src="\/web\/assets\/)|<style| on\w+=| style=/,
      url,
    )
  }
})

test('second factor: a right password sets a cookie that opens nothing but the code and the way out', async () => {
  const sign = (login: string) => rpc('/web/session/authenticate', { db: 'one', login, password: 'secret' })
  const begun = await sign('ann')
  assert.deepEqual(begun.json().result, { uid: null, second_factor: 'code' })
  const cookie = cookieOf(begun)
  const call = { model: 'res.partner', method: 'm', args: [], kwargs: {} }
  for (const [path, params] of [
    ['/web/session/get_session_info', {}],
    ['/web/dataset/call_kw', call],
    ['/web/session/check', {}],
  ] as const) {
    assert.equal((await rpc(path, params, { cookie })).json().error.code, 100, path)
    const forged = cookie.replace('=p.', '=s.')
    assert.equal((await rpc(path, params, { cookie: forged })).statusCode, 404, `${path}, forged`)
  }
  const code = (typed: string, headers: Record<string, string> = { cookie }) =>
    rpc('/web/session/second_factor', { code: typed }, headers)
  const wrong = await code('000000')
  assert.deepEqual(
    [wrong.json().error.data.name, wrong.headers['set-cookie']],
    ['odoo.exceptions.AccessDenied', undefined],
  )
  assert.equal((await code('123456', { cookie: await signIn() })).json().error.code, 100)
  assert.equal((await code('123456', { cookie, origin: 'https://evil.example' })).statusCode, 403)
  const right = await code('123456')
  assert.equal(right.json().result.uid, 2)
  assert.match(cookieOf(right), /^session_id=s\./)

  const enrolling = await sign('new')
  const { result } = enrolling.json()
  assert.deepEqual([result.uid, result.second_factor, result.secret.length], [null, 'enrol', 32])
  const { recovery_codes } = (await code('123456', { cookie: cookieOf(enrolling) })).json().result
  assert.equal(recovery_codes.length, 1)
  const out = await rpc('/web/session/destroy', {}, { cookie })
  assert.match(String(out.headers['set-cookie']), /Max-Age=0/)
})

test('second factor: the form asks for the code on a page of its own, which works without script', async () => {
  const visitor = cookieOf(await app.inject({ url: '/web?db=one' }))
  const tokenIn = (body: string) => /name="csrf_token" value="(\w+)"/.exec(body)?.[1] as string
  const enter = async (login: string) => {
    const page = await app.inject({ url: '/web/login', headers: { cookie: visitor } })
    const fields = { csrf_token: tokenIn(page.body), login, password: 'secret', redirect: '/web/account' }
    return form('/web/login', fields, visitor)
  }
  const begun = await enter('ann')
  const path = '/web/login/code?redirect=%2Fweb%2Faccount'
  assert.deepEqual([begun.statusCode, begun.headers.location], [303, path])
  const cookie = cookieOf(begun)
  const page = await app.inject({ url: path, headers: { cookie } })
  assert.match(page.body, /authenticator app shows now/)
  const fields = { csrf_token: tokenIn(page.body), code: '123456', redirect: '/web/account' }
  assert.equal(
    (await form('/web/login/code', { ...fields, csrf_token: 'f'.repeat(64) }, cookie)).statusCode,
    400,
  )
  const wrong = await form('/web/login/code', { ...fields, code: '1' }, cookie)
  assert.deepEqual([wrong.statusCode, /Wrong code/.test(wrong.body)], [200, true])
  const right = await form('/web/login/code', fields, cookie)
  assert.deepEqual([right.statusCode, right.headers.location], [303, '/web/account'])
  assert.match(cookieOf(right), /^session_id=s\./)

  const enrolling = cookieOf(await enter('new'))
  const setUp = await app.inject({ url: path, headers: { cookie: enrolling } })
  assert.match(setUp.body, /href="otpauth:\/\/totp\/Shop:new\?secret=GEZD"[\s\S]*GEZD GNBV/)
  assert.equal(setUp.headers['cache-control'], 'no-store')
  const done = await form('/web/login/code', { ...fields, csrf_token: tokenIn(setUp.body) }, enrolling)
  assert.match(done.body, /ABCD-EFGH-IJKL-MNOP[\s\S]*href="\/web\/account"/)

  const nobody = await app.inject({ url: path, headers: { cookie: visitor } })
  assert.equal(nobody.headers.location, '/web/login?redirect=%2Fweb%2Faccount')
})
