// Client libraries that people use, unchanged, against this server: over XML-RPC and over browser sessions,
// from signing in to removing.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createServer, modules, type Server } from '../../src/main.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const require = createRequire(import.meta.url)
let fixture: TestDatabase
let server: Server

before(async () => {
  fixture = await openTestDatabase(modules)
  server = await createServer({ databases: fixture.databases })
})
after(async () => {
  await server.close()
  await fixture.close()
})

const account = { db: 'test', username: 'admin', password: 'admin' }
const NAME = 'Client é ☃ <&>'

interface Rows extends Array<Record<string, unknown>> {}

test('client libraries: odoo-await works', async () => {
  interface Client {
    connect(): Promise<number>
    create(model: string, vals: object): Promise<number>
    read(model: string, ids: number[], fields: string[]): Promise<Rows>
    update(model: string, id: number, vals: object): Promise<boolean>
    searchRead(model: string, domain: object, fields: string[]): Promise<Rows>
    action(model: string, method: string, ids: number[]): Promise<unknown>
    delete(model: string, ids: number[]): Promise<boolean>
  }
  const Library = require('odoo-await') as new (options: object) => Client
  const client = new Library({ baseUrl: server.url, ...account })
  assert.equal(await client.connect(), 2)
  const id = await client.create('res.partner', { name: NAME })
  assert.deepEqual(await client.read('res.partner', [id], ['name', 'email']), [
    { id, name: NAME, email: false },
  ])
  assert.equal(await client.update('res.partner', id, { name: 'Other' }), true)
  assert.deepEqual(await client.searchRead('res.partner', { id }, ['name']), [{ id, name: 'Other' }])
  await assert.rejects(client.action('res.partner', 'action_archive', [id]), /cannot marshal None/)
  assert.deepEqual(
    await client.read('res.partner', [id], ['active']),
    [{ id, active: false }],
    'nothing can be said, and is done',
  )
  assert.equal(await client.delete('res.partner', [id]), true)
  await assert.rejects(new Library({ baseUrl: server.url, ...account, password: 'wrong' }).connect())
})

test('client libraries: odoo-xmlrpc works', async () => {
  interface Client {
    connect(done: (error: unknown, uid: number) => void): void
    execute_kw(
      model: string,
      method: string,
      params: unknown[],
      done: (error: unknown, value: unknown) => void,
    ): void
  }
  const Library = require('odoo-xmlrpc') as new (options: object) => Client
  const client = new Library({ url: server.url, ...account })
  const call = <T>(start: (done: (error: unknown, value: T) => void) => void) =>
    new Promise<T>((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))))
  assert.equal(await call((done) => client.connect(done)), 2)
  const kw = (method: string, ...params: unknown[]) =>
    call((done) => client.execute_kw('res.partner', method, [params], done))
  const id = await kw('create', { name: NAME })
  assert.deepEqual(await kw('read', [id], ['name', 'child_ids']), [{ id, name: NAME, child_ids: [] }])
  assert.equal(await kw('write', [id], { name: 'Other' }), true)
  assert.deepEqual(await kw('search_read', [['id', '=', id]], ['name']), [{ id, name: 'Other' }])
  await assert.rejects(kw('write', [id], { country_id: 999_999 }), /does not exist/)
  assert.equal(await kw('unlink', [id]), true)
  await assert.rejects(kw('read', [id], ['no_such_field']))
  const stranger = new Library({ url: server.url, ...account, password: 'wrong' })
  await assert.rejects(call((done) => stranger.connect(done)))
})

test('client libraries: odoo-xmlrpc-ts works', async () => {
  interface Client {
    authenticate(): Promise<number>
    version(): Promise<{ server_version: string }>
    create(model: string, vals: object): Promise<number>
    searchRead(model: string, domain: unknown[], options: object): Promise<Rows>
    write(model: string, ids: number[], vals: object): Promise<boolean>
    unlink(model: string, ids: number[]): Promise<boolean>
  }
  const { OdooClient } = (await import('odoo-xmlrpc-ts')) as unknown as {
    OdooClient: new (options: object) => Client
  }
  const client = new OdooClient({ url: server.url, ...account })
  assert.equal((await client.version()).server_version, '19.0')
  assert.equal(await client.authenticate(), 2)
  const id = await client.create('res.partner', { name: NAME })
  assert.deepEqual(await client.searchRead('res.partner', [['id', '=', id]], { fields: ['name'] }), [
    { id, name: NAME },
  ])
  assert.equal(await client.write('res.partner', [id], { name: 'Other' }), true)
  assert.deepEqual(await client.searchRead('res.partner', [['id', '=', id]], { fields: ['name'] }), [
    { id, name: 'Other' },
  ])
  await assert.rejects(client.write('res.partner', [id], { no_such_field: 1 }))
  assert.equal(await client.unlink('res.partner', [id]), true)
  await assert.rejects(new OdooClient({ url: server.url, ...account, password: 'wrong' }).authenticate())
})

test('client libraries: @fernandoslim/odoo-jsonrpc works', async () => {
  interface Client {
    connect(): Promise<unknown>
    create(model: string, vals: object): Promise<number>
    read(model: string, id: number, fields: string[]): Promise<Rows>
    searchRead(model: string, domain: unknown[], fields: string[], options: object): Promise<Rows>
    update(model: string, id: number, vals: object): Promise<boolean>
    delete(model: string, id: number): Promise<boolean>
  }
  const { default: Library } = require('@fernandoslim/odoo-jsonrpc') as {
    default: new (options: object) => Client
  }
  const { port } = new URL(server.url)
  const options = { baseUrl: 'http://127.0.0.1', port: Number(port), ...account }
  const client = new Library(options)
  await client.connect()
  const id = await client.create('res.partner', { name: NAME })
  assert.deepEqual(await client.searchRead('res.partner', [['id', '=', id]], ['name'], { limit: 1 }), [
    { id, name: NAME },
  ])
  assert.equal(await client.update('res.partner', id, { name: 'Other' }), true)
  assert.equal((await client.read('res.partner', id, ['name'])).at(0)?.name, 'Other')
  await assert.rejects(client.update('res.partner', id, { country_id: 999_999 }), /does not exist/)
  assert.equal(await client.delete('res.partner', id), true)
  await assert.rejects(new Library({ ...options, password: 'wrong' }).connect())
})

const python = hasPython()

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import xmlrpc.client'])
    return true
  } catch {
    return false
  }
}

test("client libraries: Python's xmlrpc.client works", {
  skip: python ? false : 'no Python 3 here',
}, async () => {
  const script = join(import.meta.dirname, 'client.py')
  const { stdout } = await promisify(execFile)('python3', [
    script,
    server.url,
    account.db,
    account.username,
    account.password,
  ])
  assert.equal(stdout, 'done\n')
})
