// The database controllers: what they answer a browser (spec/wire.md section 13).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeBackend, MASTER } from '../wire/fake-backend.ts'
import { managerPage } from './manager-page.ts'
import { buildServer } from './server.ts'

async function serve() {
  const backend = fakeBackend()
  const app = await buildServer({ backend })
  const submit = (page: string, fields: Record<string, string>, type = 'application/x-www-form-urlencoded') =>
    app.inject({
      method: 'POST',
      url: `/web/database/${page}`,
      headers: { 'content-type': type },
      payload: new URLSearchParams(fields).toString(),
    })
  return { app, backend, submit }
}

const whole = { master_pwd: MASTER, name: 'three', login: 'x', password: 'x', lang: 'en_US', phone: '' }

test('who makes a database is signed in to it', async () => {
  const { submit, backend } = await serve()
  const answer = await submit('create', { ...whole, login: 'admin', password: 'secret' })
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/odoo'])
  assert.match(String(answer.headers['set-cookie']), /^session_id=s\./)
  const closed = await submit('create', { ...whole, name: 'four', password: '' })
  assert.deepEqual(
    [closed.statusCode, closed.headers.location, closed.headers['set-cookie']],
    [303, '/odoo', undefined],
  )
  assert.ok(backend.names.includes('three'))
})

test('create form: offers applications, and creates the chosen ones with what connects them, or a whole demo shop', async () => {
  const { app, submit, backend } = await serve()
  const { body } = await app.inject('/web/database/manager')
  assert.match(body, /<input type="checkbox" name="modules\.stock" value="1"> Inventory/)
  const created: unknown[] = []
  backend.db.create = async (_server, _by, { modules, demo }) => void created.push([modules, demo])
  const without = { ...whole, password: '' }
  const form = { ...without, modules: '' }
  for (const fields of [
    { ...form, 'modules.stock': '1' },
    { ...form, demo: '1' },
    { ...form, demo: '1', 'modules.stock': '1' },
    form,
    // Programs that know nothing of modules.
    { ...without, demo: '1' },
  ])
    assert.equal((await submit('create', fields)).statusCode, 303)
  assert.deepEqual(created, [
    [['stock', 'between'], false],
    [['all'], true],
    [['stock', 'between'], true],
    [[], false],
    [[], true],
  ])
})

test('success of the others leads to the manager', async () => {
  const { submit, backend } = await serve()
  for (const [page, fields] of [
    ['duplicate', { master_pwd: MASTER, name: 'one', new_name: 'copy' }],
    ['drop', { master_pwd: MASTER, name: 'nowhere' }],
    ['change_password', { master_pwd: MASTER, master_pwd_new: 'pass phrase é &=+ ☃' }],
  ] as const) {
    const answer = await submit(page, fields)
    assert.equal(answer.statusCode, 303, page)
    assert.equal(answer.headers.location, '/web/database/manager')
    assert.match(String(answer.headers['content-type']), /^text\/html/)
  }
  assert.ok(backend.names.includes('copy'))
})

test('failure is the page with the message', async () => {
  const { submit } = await serve()
  const denied = await submit('create', { ...whole, master_pwd: 'wrong' })
  assert.equal(denied.statusCode, 200)
  assert.equal(denied.headers.location, undefined)
  assert.match(denied.body, /Access Denied/)
  const taken = await submit('create', { ...whole, name: 'one' })
  assert.equal(taken.statusCode, 200)
  assert.match(taken.body, /Database &#60;one&#62; already exists/)
})

test('a form of another site is refused, whatever the password', async () => {
  const { app, backend } = await serve()
  const drop = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/web/database/drop',
      headers: { host: 'shop.example', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({ master_pwd: MASTER, name: 'one' }).toString(),
    })
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const answer = await drop(headers as unknown as Record<string, string>)
    assert.match(answer.body, /another site/)
    assert.equal(answer.headers.location, undefined)
  }
  assert.deepEqual(backend.names, ['one', 'two'])
  assert.equal(
    (await drop({ 'sec-fetch-site': 'same-origin', origin: 'http://shop.example' })).statusCode,
    303,
  )
})

test('a missing input and another kind of body are refused', async () => {
  const { submit, backend } = await serve()
  for (const missing of ['master_pwd', 'name', 'login', 'password', 'lang', 'phone'] as const) {
    const { [missing]: _, ...rest } = whole
    assert.equal((await submit('create', rest)).statusCode, 400, missing)
  }
  assert.equal((await submit('drop', { master_pwd: MASTER, name: 'one' }, 'text/plain')).statusCode, 415)
  assert.deepEqual(backend.names, ['one', 'two'])
})

test('the controllers take POST and the body only', async () => {
  const { app } = await serve()
  for (const page of ['create', 'duplicate', 'drop', 'change_password', 'list']) {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await app.inject({
        method,
        url: `/web/database/${page}?master_pwd=${encodeURIComponent(MASTER)}&name=one`,
      })
      assert.equal(answer.statusCode, 405, `${method} ${page}`)
      assert.equal(answer.headers.allow, 'POST')
    }
  }
  const query = await app.inject({
    method: 'POST',
    url: `/web/database/drop?master_pwd=${encodeURIComponent(MASTER)}&name=one`,
  })
  assert.equal(query.statusCode, 400)
  assert.equal((await app.inject({ method: 'POST', url: '/web/database/no_such_page' })).statusCode, 404)
})

test('without a master password the page says what to do instead of filling in forms', async () => {
  const { app, backend } = await serve()
  assert.doesNotMatch((await app.inject('/web/database/manager')).body, /no master password/)
  backend.db.manageable = async () => false
  assert.match((await app.inject('/web/database/manager')).body, /no master password.*comptoir db --help/)
})

test('the page shows names and messages as text', async () => {
  const { app } = await serve()
  const page = await app.inject('/web/database/manager')
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(page.body, /<form/)
  const shown = managerPage({
    isManageable: true,
    catalogue: { languages: [], countries: [['xx', '<Land>']], applications: [['x', '<App>']] },
    databases: ['"><script>alert(1)</script>'],
    message: '<img src=x onerror=alert(1)>',
  })
  assert.ok(!String(shown).includes('<script') && !String(shown).includes('<img'))
})
