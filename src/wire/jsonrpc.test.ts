// JSON-RPC: envelopes, services and their arguments, over a backend without databases (spec/wire.md sections
// 10 and 12).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessError, BadRequest } from '../errors.ts'
import type { Backend } from './backend.ts'
import { fakeBackend, MASTER } from './fake-backend.ts'
import { decodeEnvelope, rpc } from './jsonrpc.ts'

const origin = { host: 'localhost', remote: '127.0.0.1', requestId: 'r' }

async function ask(backend: Backend, service: unknown, method: unknown, args: unknown) {
  const { json } = await rpc(backend, origin, { id: 7, params: { service, method, args } })
  return JSON.parse(json)
}

async function refused(backend: Backend, name: string, service: unknown, method: unknown, args: unknown) {
  const { error } = await ask(backend, service, method, args)
  assert.equal(error?.data.name, name, JSON.stringify([service, method, args]))
  assert.deepEqual(Object.keys(error.data), ['name', 'message', 'arguments', 'context', 'debug'])
}

test('an envelope is one object; its id comes back as it was', async () => {
  for (const text of ['', '{', 'null', '5', '"x"', '[]', '[{}]'])
    await assert.rejects(() => decodeEnvelope(Buffer.from(text)), BadRequest, text)
  const params = { service: 'common', method: 'version', args: [] }
  for (const id of [5, 'abc', null, 0, 1.5])
    assert.equal(JSON.parse((await rpc(fakeBackend(), origin, { id, params })).json).id, id)
  assert.equal(JSON.parse((await rpc(fakeBackend(), origin, { params })).json).id, null)
})

test('odd params are failures inside of an envelope', async () => {
  for (const params of [
    undefined,
    null,
    [],
    {},
    { service: 'common' },
    { service: 'common', method: 'version', args: 5 },
  ]) {
    const { json, failure } = await rpc(fakeBackend(), origin, { id: 9, params })
    const { error } = JSON.parse(json)
    assert.equal(error.code, 0)
    assert.equal(error.message, 'Odoo Server Error')
    assert.equal(failure?.status, 422)
  }
})

test('names from prototypes are no services and no functions', async () => {
  const backend = fakeBackend()
  for (const service of ['__proto__', 'constructor', 'nope', ['common'], null])
    await refused(backend, 'builtins.ValueError', service, 'version', [])
  for (const method of ['constructor', '__proto__', 'dispatch', '_login', null])
    await refused(backend, 'builtins.ValueError', 'common', method, [])
})

test('common: wrong credentials are false, wrong counts and databases are failures', async () => {
  const backend = fakeBackend()
  assert.equal((await ask(backend, 'common', 'version', [])).result.protocol_version, 1)
  assert.equal((await ask(backend, 'common', 'login', ['one', 'admin', 'secret'])).result, 2)
  assert.equal((await ask(backend, 'common', 'authenticate', ['one', 'admin', 'secret', null])).result, 2)
  for (const credentials of [
    ['admin', 'wrong'],
    ['admin', ''],
    ['admin', null],
    [true, true],
  ]) {
    assert.equal((await ask(backend, 'common', 'login', ['one', ...credentials])).result, false)
  }
  await refused(backend, 'builtins.ValueError', 'common', 'authenticate', ['one', 'admin', 'secret'])
  await refused(backend, 'builtins.ValueError', 'common', 'version', [1])
  const { error } = await ask(backend, 'common', 'login', ['nowhere', 'admin', 'secret'])
  assert.match(error.data.message, /does not exist/)
})

test('execute passes everything after the method by position', async () => {
  const backend = fakeBackend()
  await ask(backend, 'object', 'execute', [
    'one',
    '2',
    'secret',
    'res.partner',
    'search_count',
    [['id', '<', 0]],
    { context: {} },
  ])
  assert.deepEqual(backend.calls[0]?.body.positional, [[['id', '<', 0]], { context: {} }])
  assert.equal(backend.calls[0]?.body.context, undefined)
  assert.equal(backend.calls[0]?.body.rpc, true)
})

test('execute_kw: keywords are named parameters, the context is apart, null is no keywords', async () => {
  const backend = fakeBackend()
  await ask(backend, 'object', 'execute_kw', [
    'one',
    2,
    'secret',
    'res.partner',
    'search',
    [[]],
    { limit: 1, context: { lang: 'en_US' } },
  ])
  await ask(backend, 'object', 'execute_kw', ['one', 2, 'secret', 'res.partner', 'search', [[]], null])
  const [first, second] = backend.calls
  assert.deepEqual({ ...first?.body.named }, { limit: 1 })
  assert.deepEqual(first?.body.context, { lang: 'en_US' })
  assert.deepEqual({ ...second?.body.named }, {})
})

test('object: credentials first, then shapes; failures have the names that RPC clients know', async () => {
  const backend = fakeBackend()
  const call = (...rest: unknown[]) => ['one', 2, 'secret', 'res.partner', 'search', ...rest]
  for (const args of [[], call(), call([[]], {}, 1)])
    await refused(backend, 'builtins.ValueError', 'object', 'execute_kw', args)
  for (const args of [call({}), call(null), call('x'), call([[]], 'x')])
    await refused(backend, 'builtins.ValueError', 'object', 'execute_kw', args)
  for (const uid of [3, 0, -1, false, null, 'x', 1.5])
    await refused(backend, 'odoo.exceptions.AccessDenied', 'object', 'execute_kw', [
      'one',
      uid,
      'secret',
      'res.partner',
      'search',
      5,
    ])
  for (const password of ['wrong', '', null])
    await refused(backend, 'odoo.exceptions.AccessDenied', 'object', 'execute_kw', [
      'one',
      2,
      password,
      'res.partner',
      'search',
      5,
    ])
  for (const model of ['no.such.model', '__proto__', null])
    await refused(backend, 'odoo.exceptions.UserError', 'object', 'execute_kw', [
      'one',
      2,
      'secret',
      model,
      'search',
      [],
    ])
  backend.respond = () => {
    throw new AccessError('private')
  }
  await refused(backend, 'odoo.exceptions.AccessError', 'object', 'execute_kw', call([]))
})

test('object: models and methods go by names; other values are refused like an unknown name', async () => {
  const backend = fakeBackend()
  for (const odd of [{ toString: 1 }, [{ toString: 1 }], ['res.partner'], null, 5]) {
    await refused(backend, 'odoo.exceptions.UserError', 'object', 'execute', [
      'one',
      2,
      'secret',
      odd,
      'read',
    ])
  }
})

test('a result of null is no result at all; an unexpected failure reveals nothing', async () => {
  const backend = fakeBackend()
  backend.respond = () => 'null'
  assert.deepEqual(
    await ask(backend, 'object', 'execute', ['one', 2, 'secret', 'res.partner', 'action_archive', [1]]),
    {
      jsonrpc: '2.0',
      id: 7,
    },
  )
  backend.respond = () => {
    throw new Error('password of the database is hunter2')
  }
  const { json, failure } = await rpc(backend, origin, {
    id: 7,
    params: { service: 'object', method: 'execute', args: ['one', 2, 'secret', 'res.partner', 'read', [1]] },
  })
  assert.ok(!json.includes('hunter2'))
  assert.equal(failure?.status, 500)
  assert.match(String(failure?.cause), /hunter2/)
})

test('db: counts of arguments are judged, and the master password by the service', async () => {
  const backend = fakeBackend()
  assert.deepEqual((await ask(backend, 'db', 'list', [true])).result, ['one', 'two'])
  assert.equal((await ask(backend, 'db', 'server_version', [])).result, '19.0')
  assert.equal((await ask(backend, 'db', 'db_exist', [null])).result, false)
  assert.deepEqual((await ask(backend, 'db', 'list_lang', [])).result, [['en_US', 'English (US)']])
  assert.deepEqual((await ask(backend, 'db', 'list_countries', [MASTER])).result, [['be', 'Belgium']])
  assert.equal((await ask(backend, 'db', 'migrate_databases', [MASTER, ['one']])).result, true)
  await refused(backend, 'odoo.exceptions.AccessDenied', 'db', 'list_countries', ['wrong'])
  assert.equal(
    (await ask(backend, 'db', 'create_database', [MASTER, 'three', false, 'en_US', 'secret'])).result,
    true,
  )
  assert.equal((await ask(backend, 'db', 'drop', [MASTER, 'nowhere'])).result, false)
  await refused(backend, 'builtins.ValueError', 'db', 'create_database', [MASTER, 'four'])
  for (const master of ['wrong', '', null])
    await refused(backend, 'odoo.exceptions.AccessDenied', 'db', 'drop', [master, 'one'])
})
