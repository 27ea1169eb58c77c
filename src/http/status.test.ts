// Health: facts of the process and the database server, and whether calls should be sent here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeBackend } from '../wire/fake-backend.ts'
import { Drain } from './drain.ts'
import { buildServer } from './server.ts'

test('readiness follows the database server and ends when draining begins, while calls are still answered', async () => {
  const backend = fakeBackend()
  let pulse = async () => ({ writable: true, down: [] as string[] })
  Object.assign(backend.databases, { pulse: () => pulse() })
  const drain = new Drain()
  const app = await buildServer({ backend, drain })
  const ask = async (query: string) => {
    const { statusCode, body } = await app.inject(`/web/health?${query}`)
    return [statusCode, JSON.parse(body)]
  }
  const not = (reason: string) => [503, { status: 'fail', ready: false, reason }]
  assert.deepEqual(await ask('ready=1'), [200, { status: 'pass', ready: true }])
  pulse = async () => ({ writable: true, down: ['far'] })
  assert.deepEqual(await ask('ready=1'), [200, { status: 'pass', ready: true, down: ['far'] }])
  pulse = async () => ({ writable: true, down: [] })
  const failing = 'the log is not archived'
  Object.assign(backend.databases, { backupState: async () => ({ failing }) })
  const backup = { status: 'fail', reason: failing }
  assert.deepEqual(await ask('ready=1'), [200, { status: 'warn', ready: true, backup }])
  const room = 'the disk is nearly full: make room now'
  Object.assign(backend.databases, { disk: async () => ({ free: 1, all: 1e12, lack: 'room' }) })
  assert.deepEqual(await ask('ready=1'), [
    200,
    { status: 'warn', ready: true, backup, disk: { status: 'fail', reason: room } },
  ])
  pulse = async () => ({ writable: false, down: [] })
  assert.deepEqual(await ask('ready=1'), not('database-read-only'))
  assert.deepEqual(await ask('db_server_status=1'), [200, { status: 'pass', db_server_status: true }])
  pulse = async () => {
    throw new Error('gone')
  }
  assert.deepEqual(await ask('ready=1'), not('database-unreachable'))
  assert.deepEqual(await ask('db_server_status=1'), [500, { status: 'fail', db_server_status: false }])
  assert.deepEqual(await ask(''), [200, { status: 'pass' }], 'the process itself lives')
  pulse = async () => ({ writable: true, down: [] })
  drain.begin()
  assert.deepEqual(await ask('ready=1'), not('draining'))
  assert.equal((await app.inject('/web/version')).statusCode, 200)
  await app.close()
})
