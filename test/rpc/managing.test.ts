// Managing databases over the network: what the server writes down of it, what a host sees, and what is left
// when it is switched off.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { createServer, type Server } from '../../src/main.ts'
import { base } from '../../src/modules/base/index.ts'
import { Admin } from '../../src/postgres/index.ts'
import '../support/patience.ts'
import { makeDataDir } from '../support/temp.ts'

const temp = makeDataDir('managing')
const MASTER = 'the master password'
let databases: Databases
let server: Server
before(async () => {
  databases = await Databases.open({
    dataDir: temp.path,
    modules: [base],
    durable: false,
    masterPassword: MASTER,
  })
  await databases.create('alpha')
  server = await createServer({ databases })
})
after(async () => {
  await server?.close()
  await databases?.close()
  temp.remove()
})

const inject = (of: Server, path: string, fields: Record<string, string>, host = 'localhost') =>
  of.app.inject({
    method: 'POST',
    url: `/web/database/${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host },
    payload: new URLSearchParams(fields).toString(),
  })
const rpc = async (of: Server, method: string, args: unknown[], host = 'localhost') =>
  (
    await of.app.inject({
      method: 'POST',
      url: '/jsonrpc',
      headers: { 'content-type': 'application/json', host },
      payload: JSON.stringify({ params: { service: 'db', method, args } }),
    })
  ).json()
const lines = async () =>
  (await readFile(join(temp.path, 'audit.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; database: string | null; address: string | null })

test('database manager: every operation is in the audit log with its origin, wrong passwords too, and no secret', async () => {
  const began = (await lines()).length
  const master_pwd = MASTER
  await inject(server, 'duplicate', { master_pwd, name: 'alpha', new_name: 'beta', neutralize_database: '1' })
  assert.equal((await rpc(server, 'rename', [MASTER, 'beta', 'gamma'])).result, true)
  assert.equal(
    (await inject(server, 'backup', { master_pwd, name: 'gamma', backup_format: 'dump' })).statusCode,
    200,
  )
  const dump = (await rpc(server, 'dump', [MASTER, 'gamma', 'zip'])).result
  assert.equal((await rpc(server, 'restore', [MASTER, 'delta', dump, true])).result, true)
  await rpc(server, 'drop', ['guessed wrong', 'gamma'])
  assert.equal((await rpc(server, 'drop', [MASTER, 'delta'])).result, true)
  await inject(server, 'change_password', { master_pwd, master_pwd_new: 'another secret' })
  await rpc(server, 'change_admin_password', ['another secret', MASTER])
  const events = (await lines()).slice(began)
  assert.deepEqual(
    events.map(({ event, database }) => `${event} ${database}`),
    [
      'database.duplicate alpha',
      'database.rename beta',
      'database.backup gamma',
      'database.backup gamma',
      'database.restore delta',
      'master-password.failure null',
      'database.drop delta',
      'master-password.change null',
      'master-password.change null',
    ],
  )
  assert.ok(events.every(({ address }) => address === '127.0.0.1'))
  const whole = await readFile(join(temp.path, 'audit.jsonl'), 'utf8')
  for (const secret of [MASTER, 'another secret', 'guessed wrong']) assert.ok(!whole.includes(secret))
  assert.match(await readFile(join(temp.path, 'master-password'), 'utf8'), /^\$argon2id\$/)
})

test('database manager: failed operations are not logged as done, and an aborted backup is logged as such', async () => {
  const began = (await lines()).length
  const file = join(temp.path, 'no backup')
  await writeFile(file, 'nothing of the kind')
  await assert.rejects(databases.restore('broken', file))
  await assert.rejects(databases.create('alpha'))
  await assert.rejects(databases.create('broken', { modules: ['nope'] }))
  await assert.rejects(databases.duplicate('nowhere', 'broken'))
  await assert.rejects(databases.rename('alpha', 'no/name'))
  await assert.rejects(databases.neutralize('nowhere'))
  await assert.rejects(databases.backup('nowhere', 'zip', '19.0'))
  assert.equal(await databases.drop('nowhere'), false)
  assert.equal(
    (await rpc(server, 'change_admin_password', [MASTER, ''])).error?.data.name,
    'odoo.exceptions.UserError',
  )
  assert.equal((await lines()).length, began)

  const full = () => new Writable({ write: (_chunk, _encoding, done) => done(new Error('the disk is full')) })
  for (const format of ['zip', 'dump'] as const)
    await assert.rejects(pipeline(await databases.backup('alpha', format, '19.0'), full()), /disk is full/)
  const whole = await databases.backup('alpha', 'dump', '19.0')
  await pipeline(whole, new Writable({ write: (_chunk, _encoding, done) => done() }))
  let written = (await lines()).slice(began)
  // The entry is written after the last byte, while the next call may go on.
  for (; written.length < 3; written = (await lines()).slice(began)) await new Promise(setImmediate)
  assert.deepEqual(
    written.map(({ event, database }) => `${event} ${database}`),
    ['database.backup-failure alpha', 'database.backup-failure alpha', 'database.backup alpha'],
  )
})

test('database manager: rejects administrators without a login and unknown databases; nothing is half done', async () => {
  for (const login of ['', '  ', 'a\0b']) {
    const answer = await rpc(server, 'create_database', [
      MASTER,
      'epsilon',
      false,
      'en_US',
      'a password',
      login,
    ])
    assert.equal(answer.error?.data.name, 'odoo.exceptions.UserError', JSON.stringify(login))
    const page = await inject(server, 'create', {
      master_pwd: MASTER,
      name: 'epsilon',
      login,
      password: 'x',
      lang: 'en_US',
      phone: '',
    })
    assert.deepEqual([page.statusCode, page.headers.location], [200, undefined])
  }
  assert.ok(!(await databases.list()).includes('epsilon'))
  const migrated = await rpc(server, 'migrate_databases', [MASTER, ['alpha', 'nowhere']])
  assert.match(migrated.error?.data.message, /Database "nowhere" not found/)
})

test('database manager: with listing switched off, listing and managing are rejected, and calls succeed', async () => {
  const closed = await Databases.open({
    dataDir: temp.path,
    modules: [base],
    durable: false,
    masterPassword: MASTER,
    listDatabases: false,
  })
  const quiet = await createServer({ databases: closed })
  try {
    for (const [method, args] of [
      ['list', []],
      ['create_database', [MASTER, 'new', false, 'en_US']],
      ['duplicate_database', [MASTER, 'alpha', 'new']],
      ['drop', [MASTER, 'alpha']],
      ['rename', [MASTER, 'alpha', 'new']],
      ['db_exist', ['alpha']],
      ['db_exist', ['none']],
      ['dump', [MASTER, 'alpha']],
      ['restore', [MASTER, 'new', 'UEs=']],
      ['migrate_databases', [MASTER, []]],
      ['change_admin_password', [MASTER, 'new']],
    ] as const) {
      const { error } = await rpc(quiet, method, [...args])
      assert.equal(error?.data.name, 'odoo.exceptions.AccessDenied', method)
    }
    const headers = { 'content-type': 'application/json' }
    const list = await quiet.app.inject({ method: 'POST', url: '/web/database/list', headers, payload: '{}' })
    assert.equal(list.json().error.data.name, 'odoo.exceptions.AccessDenied')
    const page = await quiet.app.inject('/web/database/manager')
    assert.equal(page.statusCode, 403)
    assert.ok(!page.body.includes('<form') && !page.body.includes('alpha'))
    const dropped = await inject(quiet, 'drop', { master_pwd: MASTER, name: 'alpha' })
    assert.deepEqual([dropped.statusCode, dropped.headers.location], [403, undefined])
    const call = await quiet.app.inject({
      method: 'POST',
      url: '/json/2/res.users/context_get',
      headers: { authorization: 'bearer x', 'x-service-database': 'alpha' },
    })
    assert.equal(call.statusCode, 401, 'the database is served')
    assert.ok((await databases.list()).includes('alpha'))
  } finally {
    await quiet.close()
    await closed.close()
  }
})

test('database manager: a host reaches and sees only its own databases, also several', async () => {
  const admin = new Admin(databases.address)
  for (const name of ['east', 'east-test', 'west', 'middle', 'middle-test'])
    await admin.createDatabase(name, 'alpha')
  const filtered = await Databases.open({
    dataDir: temp.path,
    modules: [base],
    durable: false,
    databaseFilter: '%d(-test)?',
    defaultDatabase: 'middle',
  })
  const hosted = await createServer({ databases: filtered })
  try {
    const listed = async (host: string) => (await rpc(hosted, 'list', [], host)).result
    assert.deepEqual(await listed('east.example.com:8069'), ['east', 'east-test'])
    assert.deepEqual(await listed('www.west.example.com'), ['west'])
    assert.deepEqual(await listed('north.example.com'), [])
    assert.equal((await rpc(hosted, 'db_exist', ['west'], 'east.example.com')).result, false)
    assert.equal((await rpc(hosted, 'db_exist', ['east-test'], 'EAST.example.com')).result, true)
    const status = async (host: string, database?: string) =>
      (
        await hosted.app.inject({
          method: 'POST',
          url: '/json/2/res.users/context_get',
          headers: {
            host,
            authorization: 'bearer x',
            ...(database ? { 'x-service-database': database } : {}),
          },
        })
      ).statusCode
    assert.equal(await status('west.example.com'), 401, 'the only one of this host needs no header')
    assert.equal(await status('east.example.com'), 404, 'of two, one has to be named')
    assert.equal(await status('middle.example.com'), 401, 'of two, the default database answers')
    assert.equal(await status('middle.example.com', 'middle-test'), 401)
    assert.equal(await status('east.example.com', 'east-test'), 401)
    assert.equal(await status('east.example.com', 'west'), 404)
  } finally {
    await hosted.close()
    await filtered.close()
  }
})

test('database manager: answers of deprecated paths announce their end', async () => {
  for (const url of ['/jsonrpc', '/xmlrpc/common', '/xmlrpc/2/common']) {
    const { headers } = await server.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      payload: '{}',
    })
    assert.match(String(headers.deprecation), /^@\d+$/)
    assert.match(String(headers.sunset), /2028/)
  }
})
