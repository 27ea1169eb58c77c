// Settings of a whole PostgreSQL server are the same on every node, regardless of files in their own
// directories.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { AUDIT_FILE, audit } from '../../src/databases/audit.ts'
import { Databases } from '../../src/databases/index.ts'
import { SHARED_DATABASE, Shared } from '../../src/databases/shared.ts'
import { AccessDenied } from '../../src/errors.ts'
import { hashPassword } from '../../src/kit/secrets.ts'
import { modules } from '../../src/main.ts'
import { type Embedded, startEmbedded } from '../../src/postgres/embedded/index.ts'
import { Admin, Connection } from '../../src/postgres/index.ts'
import '../support/patience.ts'
import { makeDataDir, makeTemp } from '../support/temp.ts'

const ground = makeDataDir('shared')
const folders = [makeTemp('node-one'), makeTemp('node-two')] as const
let server: Embedded
let first: Databases
let two: Databases

const open = (dataDir: string) =>
  Databases.open({
    dataDir,
    databaseUrl: `postgres://${server.user}:${server.password}@${server.host}:${server.port}/`,
    masterPassword: 'configured',
    modules: modules.filter((module) => module.name === 'base'),
  })

before(async () => {
  server = await startEmbedded({ dataDir: ground.path, durable: false, log: () => undefined })
  first = await open(folders[0].path)
  two = await open(folders[1].path)
})
after(async () => {
  await first?.close()
  await two?.close()
  await server?.stop()
  for (const { remove } of [ground, ...folders]) remove()
})

test('a password that a release before kept on one node counts on all, and a new one at once', async () => {
  await Promise.all([first.master.assert('configured'), two.master.assert('configured')])
  writeFileSync(join(folders[0].path, 'master-password'), await hashPassword('older'))
  await first.master.assert('older')
  await two.master.assert('older')
  await two.master.change('older', 'newer')
  await first.master.assert('newer')
  for (const node of [first, two])
    for (const old of ['configured', 'older']) await assert.rejects(node.master.assert(old), AccessDenied)
  assert.equal(existsSync(join(folders[1].path, 'master-password')), false, 'no node has one of its own')
})

test('what one node did to a database stands in the log of all, and the database that holds it is on no list', async () => {
  await first.create('shop', { modules: ['base'] })
  const stream = await first.backup('shop', 'dump', '19.0')
  for await (const _ of stream);
  const backup = async () => (await two.facts(['shop']))[0]?.backup
  while (!(await backup()));
  assert.match(String(await backup()), /^\d{4}-/)
  assert.deepEqual(await two.list(), ['shop'])
  assert.equal(existsSync(join(folders[0].path, AUDIT_FILE)), false)
  await two.drop('shop')
  assert.equal((await first.facts(['shop']))[0]?.backup, null)
})

test('of very many lines of the log the oldest go', async () => {
  const { address } = first
  const shared = new Shared(new Admin(address), address)
  const connection = await Connection.connect({ ...address, database: SHARED_DATABASE })
  try {
    await shared.note({ event: 'old' })
    await connection.simple(
      "SELECT setval(pg_get_serial_sequence('audit', 'id'), (SELECT max(id) FROM audit) + 99999)",
    )
    await shared.note({ event: 'new' })
    assert.deepEqual(
      (await shared.lines()).map((line) => JSON.parse(line).event),
      ['new'],
    )
  } finally {
    await connection.close()
  }
})

test('a line that cannot be sent to all nodes is kept in the file of this one', async () => {
  const address = { host: '127.0.0.1', port: 1, user: 'nobody', password: '' }
  await audit(
    { dataDir: folders[1].path, shared: new Shared(new Admin(address), address) },
    { event: 'database.drop', database: 'shop' },
  )
  assert.match(readFileSync(join(folders[1].path, AUDIT_FILE), 'utf8'), /"event":"database.drop"/)
})
