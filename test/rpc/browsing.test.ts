// Pages and forms, used by programs and people: databases by address, forms in parts, links to records,
// sign-out, failed logins, the address in use, the last sign-in.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { MASTER, openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires(['base'])
  await wires.databases.create('second', { modules: ['base'], login: 'admin', password: 'second admin' })
})
after(() => wires.close())

const get = (path: string, cookie = '', headers: Record<string, string> = {}) =>
  fetch(`${wires.server.url}${path}`, {
    redirect: 'manual',
    headers: { ...(cookie ? { cookie } : {}), ...headers },
  })
const cookieIn = (response: Response) => String(response.headers.get('set-cookie')).split(';', 1)[0] as string
const send = (path: string, body: URLSearchParams | FormData, cookie = '') =>
  fetch(`${wires.server.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: cookie ? { cookie } : {},
    body,
  })
const parts = (fields: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
/** The session information on its line of a page. */
const infoIn = (page: string) => {
  const line =
    page.split('\n').find((text) => text.startsWith('odoo.__session_info__ = ')) ??
    assert.fail('no session information')
  return JSON.parse(line.slice('odoo.__session_info__ = '.length, -1)) as Record<string, unknown>
}
/** Opens the login page of a database. */
async function loginPage(database: string): Promise<{ cookie: string; csrf_token: string; page: string }> {
  const response = await get(`/web/login?db=${database}`)
  const page = await response.text()
  assert.equal(response.status, 200, page.slice(0, 200))
  return { cookie: cookieIn(response), csrf_token: /csrf_token: "(\w+)"/.exec(page)?.[1] ?? '', page }
}

test('pages: the URL may name one of several databases', async () => {
  assert.equal((await get('/web/login')).headers.get('location'), '/web/database/selector')
  const { page } = await loginPage('second')
  assert.match(page, /Database <b>second<\/b>/)
  for (const path of [
    '/odoo?db=second',
    '/web/account?db=second',
    '/odoo/res.partner/1?db=second',
    '/doc?db=second',
  ]) {
    const response = await get(path)
    assert.deepEqual(
      [response.status, response.headers.get('location')],
      [303, `/web/login?db=second&redirect=${encodeURIComponent(path)}`],
    )
  }
  // A session of another database does not count there.
  assert.equal((await get('/odoo?db=second', wires.cookie)).status, 303)
  assert.equal((await get('/odoo?db=test', wires.cookie)).status, 200)
  for (const path of ['/odoo?db=none', '/web/login?db=none'])
    assert.equal((await get(path, wires.cookie)).headers.get('location'), '/web/database/selector', path)
})

test('pages: a failed login returns the form, with session information of no user', async () => {
  const { cookie, csrf_token, page } = await loginPage('second')
  assert.equal(infoIn(page).uid, null)
  const wrong = await send(
    '/web/login',
    new URLSearchParams({ csrf_token, login: 'admin', password: 'wrong' }),
    cookie,
  )
  const text = await wrong.text()
  assert.equal(wrong.status, 200)
  assert.match(text, /Wrong login\/password/)
  const { uid, is_admin, is_public, db, server_version } = infoIn(text)
  assert.deepEqual(
    { uid, is_admin, is_public, db, server_version },
    { uid: null, is_admin: false, is_public: true, db: 'second', server_version: '19.0' },
  )
  // The form in parts is the form.
  const right = await send(
    '/web/login',
    parts({ csrf_token, login: 'admin', password: 'second admin', redirect: '/odoo?db=second' }),
    cookie,
  )
  assert.deepEqual([right.status, right.headers.get('location')], [303, '/odoo?db=second'])
  const home = await (await get('/odoo?db=second', cookieIn(right))).text()
  assert.equal(infoIn(home).uid, 2)
})

test("pages: the address of an administrator's sign-in becomes that of links, unless it is frozen", async () => {
  const stored = async () =>
    (await wires.json2('ir.config_parameter/get_param', { key: 'web.base.url' })).result
  assert.equal(await stored(), wires.server.url)
  assert.equal((await wires.session('/web/session/get_session_info', {})).error, undefined)
  const info = (await wires.session('/web/session/get_session_info', {})).result as Record<string, unknown>
  assert.equal(info['web.base.url'], wires.server.url)
  const signIn = async (params: object) => {
    const response = await fetch(`${wires.server.url}/web/session/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ params: { db: 'test', ...params } }),
    })
    assert.ok(((await response.json()) as { result?: object }).result)
  }
  const signInAs = async (host: string) => {
    const body = JSON.stringify({ params: { db: 'test', login: 'admin', password: 'admin' } })
    const request = httpRequest(`${wires.server.url}/web/session/authenticate`, {
      method: 'POST',
      headers: { host, 'content-type': 'application/json' },
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const answer = JSON.parse(Buffer.concat(await response.toArray()).toString('utf8'))
    assert.ok(answer.result, JSON.stringify(answer))
  }
  const set = (value: string) => wires.json2('ir.config_parameter/set_param', { key: 'web.base.url', value })
  await wires.json2('res.users/create', {
    vals_list: { name: 'Plain', login: 'plain', password: 'plain secret' },
  })
  await set('https://shop.example')
  await signIn({ login: 'plain', password: 'plain secret' })
  assert.equal(await stored(), 'https://shop.example', 'others change nothing')
  await wires.rpc('common', 'authenticate', [
    'test',
    'admin',
    'admin',
    { base_location: 'https://evil.example' },
  ])
  assert.equal(await stored(), 'https://shop.example', 'RPC changes nothing')
  await wires.json2('ir.config_parameter/set_param', { key: 'web.base.url.freeze', value: 'True' })
  await signIn({ login: 'admin', password: 'admin' })
  assert.equal(await stored(), 'https://shop.example', 'frozen')
  await wires.json2('ir.config_parameter/set_param', { key: 'web.base.url.freeze', value: false })
  await signInAs('evil.example')
  assert.equal(await stored(), 'https://shop.example', 'any name may stand in Host')
  await signIn({ login: 'admin', password: 'admin', base_location: 'https://evil.example' })
  assert.equal(await stored(), wires.server.url)
})

test('pages: user administrators see who signed in, and when', async () => {
  const [never] = (
    await wires.json2('res.users/create', {
      vals_list: { name: 'Never', login: 'never', password: 'never secret' },
    })
  ).result as number[]
  const seen = async () => {
    const rows = await wires.json2('res.users/read', {
      ids: [never],
      fields: ['login_date', 'state', 'log_ids'],
    })
    return (rows.result as { login_date: string | false; state: string; log_ids: number[] }[])[0]
  }
  assert.deepEqual(await seen(), { id: never, login_date: false, state: 'new', log_ids: [] })
  assert.equal((await wires.rpc('common', 'login', ['test', 'never', 'wrong'])).result, false)
  assert.equal((await seen())?.state, 'new')
  for (let n = 1; n <= 2; n++) {
    assert.equal((await wires.rpc('common', 'login', ['test', 'never', 'never secret'])).result, never)
    const user = await seen()
    assert.deepEqual([user?.state, user?.log_ids.length], ['active', n])
    assert.match(String(user?.login_date), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  }
  const search = async (domain: unknown[]) =>
    (await wires.json2('res.users/search', { domain: [['id', '=', never], ...domain] })).result
  assert.deepEqual(await search([['state', '=', 'active']]), [never])
  assert.deepEqual(await search([['login_date', '=', false]]), [])
  const [log] = (
    await wires.json2('res.users.log/search_read', {
      domain: [['create_uid', '=', never]],
      fields: ['create_uid', 'create_date'],
    })
  ).result as { create_uid: [number, string] }[]
  assert.equal(log?.create_uid[1], 'Never')
  const asNever = (method: string, ...args: unknown[]) =>
    wires.rpc('object', 'execute_kw', ['test', never, 'never secret', 'res.users.log', method, args])
  assert.equal(
    (await asNever('search_count', [['create_uid', '!=', never]])).result,
    0,
    'of others nothing is told',
  )
  assert.ok((await asNever('create', {})).error)
  await wires.json2('ir.autovacuum/run_vacuum_cleaner')
  assert.equal((await seen())?.log_ids.length, 1, 'the last one stays')
})

test('pages: links to records show what their reader may see', async () => {
  const [id] = (
    await wires.json2('res.partner/create', {
      vals_list: { name: '<b>Shop</b>', is_company: true, child_ids: [[0, 0, { name: 'Clerk' }]] },
    })
  ).result as [number]
  const response = await get(`/odoo/res.partner/${id}`, wires.cookie)
  const page = await response.text()
  assert.equal(response.status, 200)
  assert.match(page, /<h1>&#60;b&#62;Shop&#60;\/b&#62;<\/h1>/)
  assert.match(page, /href="\/odoo\/res\.partner\/\d+"/)
  assert.doesNotMatch(page, /<b>Shop<\/b>/)
  assert.equal((await get(`/odoo/contacts/res.partner/${id}`, wires.cookie)).status, 200)
  for (const path of ['res.partner/999999', 'no.such/1'])
    assert.equal((await get(`/odoo/${path}`, wires.cookie)).status, 404, path)
  assert.equal((await get('/odoo/ir.http/1', wires.cookie)).status, 403)
  for (const [path, location] of [
    ['contacts', '/odoo'],
    ['contacts/3', '/odoo'],
    ['action-12/3', '/odoo'],
    ['res.partner', '/doc/res.partner'],
  ] as const)
    assert.equal((await get(`/odoo/${path}`, wires.cookie)).headers.get('location'), location, path)
  assert.equal(
    (await get(`/odoo/res.partner/${id}?db=test`)).headers.get('location'),
    `/web/login?db=test&redirect=%2Fodoo%2Fres.partner%2F${id}%3Fdb%3Dtest`,
  )
})

test('pages: the sign-out URL signs out, and a link of another site does not', async () => {
  const { cookie: visitor, csrf_token } = await loginPage('test')
  const cookie = cookieIn(
    await send('/web/login', new URLSearchParams({ csrf_token, login: 'admin', password: 'admin' }), visitor),
  )
  assert.equal(
    (await get('/web/session/logout', cookie, { 'sec-fetch-site': 'cross-site' })).headers.get('location'),
    '/odoo',
  )
  assert.equal((await get('/odoo', cookie)).status, 200)
  const out = await get('/web/session/logout', cookie)
  assert.deepEqual([out.status, out.headers.get('location')], [303, '/web/login?reason=signed-out'])
  assert.equal((await get('/odoo', cookie)).status, 303, 'the session is over, whoever still has its cookie')
  assert.equal((await get('/web/session/logout')).status, 303)
})

test('database forms: accept multipart bodies, as curl -F sends them', async () => {
  const master_pwd = MASTER
  const list = () => wires.databases.list()
  for (const [path, fields, count] of [
    [
      'create',
      { name: 'parted', lang: 'en_US', login: 'admin', password: 'parted admin', phone: '' },
      ['parted'],
    ],
    ['duplicate', { name: 'parted', new_name: 'copied' }, ['copied', 'parted']],
    ['drop', { name: 'copied' }, ['parted']],
  ] as const) {
    const refused = await send(`/web/database/${path}`, parts({ master_pwd: 'wrong', ...fields }))
    assert.deepEqual([refused.status, /Access Denied/.test(await refused.text())], [200, true], path)
    const done = await send(`/web/database/${path}`, parts({ master_pwd, ...fields }))
    assert.equal(done.status, 303, `${path}: ${await done.text()}`)
    assert.deepEqual(
      (await list()).filter((name) => name === 'parted' || name === 'copied'),
      count,
    )
  }
  const backup = await send(
    '/web/database/backup',
    parts({ master_pwd, name: 'parted', backup_format: 'zip' }),
  )
  assert.match(String(backup.headers.get('content-disposition')), /^attachment; filename/)
  assert.equal(
    Buffer.from(await backup.arrayBuffer())
      .subarray(0, 2)
      .toString(),
    'PK',
  )
  const broken = await fetch(`${wires.server.url}/web/database/drop`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--y\r\nnothing',
  })
  assert.equal(broken.status, 400)
})

test('models: rights to a model are returned by name', async () => {
  const check = (...args: unknown[]) => wires.kw('ir.model.access', 'check', args)
  for (const operation of ['read', 'write', 'create', 'unlink']) {
    assert.equal((await check('res.partner', operation)).result, true, operation)
    assert.equal((await check('comptoir.audit', operation)).result, operation === 'read', operation)
  }
  assert.equal((await check('res.partner')).result, true)
  assert.equal((await check('base', 'read')).result, false)
  assert.match((await check('no.such', 'read')).error?.message ?? '', /no\.such/)
  assert.ok((await check('res.partner', 'eat')).error)
  assert.equal((await check('comptoir.audit', 'write', true)).error?.name, 'odoo.exceptions.AccessError')
  const id = (
    (
      await wires.json2('res.users/create', {
        vals_list: { name: 'A', login: 'checks', password: 'checks secret' },
      })
    ).result as number[]
  )[0]
  const secretCall = await wires.rpc('object', 'execute_kw', [
    'test',
    id,
    'checks secret',
    'ir.model.access',
    'check',
    ['ir.rule', 'read'],
  ])
  assert.equal(secretCall.result, false, 'also by those who see no access lines')
})
