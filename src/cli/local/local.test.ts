// The local socket: access, accepted and refused requests, and when a command does its work by itself.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { makeTemp } from '../../../test/support/temp.ts'
import { readConfig } from '../../config/index.ts'
import { silentLog } from '../../http/log.ts'
import { base } from '../../modules/base/index.ts'
import { serverOf } from './client.ts'
import type { RunCommand } from './commands.ts'
import { LONGEST_REQUEST, postgresOf, socketOf, VERSION } from './protocol.ts'
import { type LocalSocket, openLocalSocket } from './server.ts'

const folder = makeTemp('local')
const configWith = (flags: Readonly<Record<string, string>> = {}) =>
  readConfig({ flags: { 'data-dir': folder.path, ...flags }, env: {}, cwd: folder.path })
const config = configWith()
const path = socketOf(folder.path) ?? ''

let shop: TestDatabase
let socket: LocalSocket | null
let run: RunCommand
before(async () => {
  shop = await openTestDatabase([base])
  // Left over from a server that was killed.
  writeFileSync(path, '')
  socket = await openLocalSocket(config, shop.databases, silentLog)
  const server = await serverOf(config)
  assert.ok(server)
  run = server
})
after(async () => {
  await socket?.close()
  await shop.close()
  folder.remove()
})

/** The answer of the server to a text, as any program might send it. */
async function answerTo(sent: string): Promise<unknown> {
  const connection = createConnection({ path, allowHalfOpen: true })
  connection.end(sent)
  return JSON.parse(await text(connection))
}
const request = (changes: object) =>
  JSON.stringify({
    version: VERSION,
    postgres: postgresOf(config),
    command: 'listDatabases',
    args: [],
    ...changes,
  })

test('local socket: its owner alone may connect', () => {
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('local socket: a server carries out commands, and refuses in words for people', async () => {
  const name = await run('chooseDatabase', 'test')
  assert.ok((await run('listDatabases')).includes(name))
  const user = { login: 'ann', name: 'Ann', password: 'a long one', roles: ['user'] } as const
  const id = await run('createUser', name, user)
  assert.deepEqual(
    (await run('listUsers', name, false)).map(({ login }) => login),
    ['admin', 'ann'],
  )
  assert.equal(await shop.database.callers.login('ann', 'a long one'), id)
  const key = await run('createKey', name, 'ann', { scope: 'rpc', name: 'till', days: 1 })
  assert.equal((await shop.database.callers.byKey(key)).profile.login, 'ann')
  assert.equal((await run('revokeKeys', name, { login: 'ann' })).length, 1)
  await assert.rejects(run('createUser', name, user), {
    name: 'StartupError',
    message: 'A user with the login "ann" already exists: choose another login.',
  })
  await assert.rejects(run('chooseDatabase', 'nope'), /Database not found: `comptoir db list`/)
})

test('local socket: a command without --database means the only database', async () => {
  const names = await run('listDatabases')
  if (names.length === 1) assert.equal(await run('chooseDatabase', null), 'test')
  else await assert.rejects(run('chooseDatabase', null), /choose one with --database \(.*test/)
})

test('local socket: a failure of ours is one line, and points to the log', async () => {
  await assert.rejects(run('listUsers', 'test', Object.create(null)), /the log of the server says more/)
})

test('local socket: declines other versions, other PostgreSQL servers and unknown commands', async () => {
  for (const changes of [{ version: 0 }, { postgres: 'other' }, { command: 'toString' }])
    assert.deepEqual(await answerTo(request(changes)), { declined: true }, JSON.stringify(changes))
  assert.equal(await serverOf(configWith({ 'database-url': 'postgresql://db.example/' })), null)
})

test('local socket: refuses what is too long, and what is not a request', async () => {
  const long = request({ args: ['x'.repeat(LONGEST_REQUEST)] })
  assert.match(JSON.stringify(await answerTo(long)), /Command too long: at most 65536 bytes/)
  for (const sent of ['', '{', 'null', '[]', '{"version":1}'])
    assert.match(JSON.stringify(await answerTo(sent)), /is for the comptoir command line/, sent)
})

test('local socket: without a server, or with a stranger in its place, commands work by themselves', async () => {
  const empty = makeTemp('local')
  try {
    const alone = configWith({ 'data-dir': empty.path })
    assert.equal(await serverOf(alone), null)
    for (const answer of ['hello', '5', 'null', '{}']) {
      const stranger = createServer((connection) => connection.end(answer, () => connection.destroy()))
      stranger.listen(socketOf(empty.path))
      assert.equal(await serverOf(alone), null, answer)
      await new Promise((resolve) => stranger.close(resolve))
    }
    assert.equal(socketOf(`/${'x'.repeat(100)}`), null)
  } finally {
    empty.remove()
  }
})

test('local socket: a data directory that takes none leaves commands to themselves', async () => {
  const taken = makeTemp('local')
  const warnings: string[] = []
  try {
    mkdirSync(join(taken.path, 'commands.sock', 'full'), { recursive: true })
    const log = { ...silentLog, warn: (message: string) => warnings.push(message) }
    const opened = await openLocalSocket(configWith({ 'data-dir': taken.path }), shop.databases, log)
    assert.deepEqual([opened, warnings.length], [null, 1])
  } finally {
    taken.remove()
  }
})

test('local socket: a server that closes it ends calls that never came, and takes it away', async () => {
  // The system refuses a call that it had not handed over yet.
  const waiting = createConnection({ path }).on('error', () => undefined)
  const ended = new Promise((resolve) => waiting.once('close', resolve))
  await new Promise((resolve) => waiting.once('connect', resolve))
  await socket?.close()
  socket = null
  await ended
  assert.equal(existsSync(path), false)
  assert.equal(await serverOf(config), null)
  await assert.rejects(run('listDatabases'), /The server stopped before it answered/)
})
