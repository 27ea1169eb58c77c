// Recovery of an embedded server: exactly what was acknowledged before a moment, everything without one, also
// when the server was killed in between; and what is refused.
// Begins first: it takes 10 s.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import {
  type Embedded,
  type Managed,
  manageEmbedded,
  startEmbedded,
  takeBase,
} from '../../postgres/embedded/index.ts'
import { Connection } from '../../postgres/index.ts'
import { Filestore, filesDirectory } from '../filestore.ts'
import { Backups, namePoint, restoreTo, verify } from './index.ts'
import { ArchiveLag, unarchivedSince } from './lag.ts'
import { stateOf } from './state.ts'

let root: string
let server: Embedded
const folder = () => join(root, 'backup')
const dataDir = () => join(root, 'data')
const archive = () => ({ folder: folder(), seconds: 600 })
const backups = () => new Backups(dataDir(), archive())
const start = (directory = dataDir(), settings = {}) =>
  startEmbedded({ dataDir: directory, durable: false, log: () => undefined, ...settings })

before(async () => {
  root = mkdtempSync(join(tmpdir(), 'comptoir-recovery-'))
  chmodSync(root, 0o711)
  server = await start(dataDir(), { archive: archive() })
  // Autovacuum would add writes to those that the tests count.
  await ask(await manageEmbedded(dataDir()), 'ALTER SYSTEM SET autovacuum = off', 'postgres')
  await ask(await manageEmbedded(dataDir()), 'SELECT pg_reload_conf()', 'postgres')
})

after(async () => {
  await server?.stop()
  rmSync(root, { recursive: true, force: true })
})

async function ask(at: Embedded | Managed, text: string, database = 'shop'): Promise<unknown> {
  const connection = await Connection.connect({ ...at, database })
  try {
    return (await connection.query(text))[0]?.[0]
  } finally {
    await connection.close()
  }
}

/** Writes numbers in transactions of their own, each acknowledged when the log has it. */
async function write(from: number, to: number): Promise<void> {
  const connection = await Connection.connect({ ...server, database: 'shop' })
  await connection.simple('SET synchronous_commit TO on')
  for (let i = from; i <= to; i++) await connection.query('INSERT INTO written VALUES ($1)', [i])
  await connection.close()
}

const count = 'SELECT count(*)::int FROM written'

/** Contents of a restored database, read in its own server. */
async function restored(name: string, target: Parameters<typeof restoreTo>[1]['target']) {
  const directory = join(root, name)
  const server = await restoreTo(directory, { folder: folder(), target, durable: false })
  const at = await start(directory)
  try {
    assert.equal(at.archive, null)
    return { server, rows: await ask(at, count), directory }
  } finally {
    await at.stop()
  }
}

test('a server is restored to a moment, to the end, and verified', async () => {
  await ask(server, 'CREATE DATABASE shop', 'postgres')
  await ask(server, 'CREATE TABLE written (id int PRIMARY KEY)')
  await ask(server, 'CREATE TABLE ir_attachment (id int, store_fname text)')
  await write(1, 20)
  await backups().base()

  const kept = (key: string) => backups().contents.keep('shop', key)
  const key = await new Filestore(filesDirectory(dataDir(), 'shop'), true, kept).put(Buffer.from('a content'))
  await ask(server, `INSERT INTO ir_attachment VALUES (1, '${key}')`)
  await write(21, 40)
  process.kill((await manageEmbedded(dataDir())).pid, 'SIGKILL')
  await server.stop()
  server = await start()
  await write(41, 60)
  await sleep(2)
  const moment = new Date()
  await sleep(2)
  await write(61, 70)
  await namePoint(dataDir(), folder(), 'before-the-rest')
  await assert.rejects(namePoint(dataDir(), folder(), 'before-the-rest'), /already/)
  await write(71, 80)
  const last = String(await ask(await manageEmbedded(dataDir()), 'SELECT pg_walfile_name(pg_switch_wal())'))
  while (!existsSync(join(folder(), 'wal', last))) await sleep(20)
  assert.equal(await backups().pack(), true)
  assert.ok(existsSync(join(folder(), 'wal', `${last}.gz`)))

  const earlier = await restored('earlier', { time: moment })
  assert.equal(earlier.rows, 60)
  assert.deepEqual(earlier.server.databases, [{ name: 'shop', contents: 1, missing: 0 }])
  assert.equal(readFileSync(join(filesDirectory(earlier.directory, 'shop'), key), 'utf8'), 'a content')
  assert.equal((await restored('whole', null)).rows, 80)

  const second = { folder: join(root, 'backup-2'), seconds: 600 }
  const again = await start(join(root, 'whole'), { archive: second })
  try {
    await new Backups(join(root, 'whole'), second).base()
  } finally {
    await again.stop()
  }
  const ofRestored = await verify({ folder: second.folder, target: null }, join(root, 'made'))
  assert.deepEqual(ofRestored.wrong, [], 'the archive of a restored server restores too')

  const order = { folder: folder(), target: null }
  const { wrong, databases } = await verify(order, join(root, 'made', 'for it'))
  assert.deepEqual(wrong, [])
  assert.equal(databases.find(({ name }) => name === 'shop')?.contents, 1)
  assert.deepEqual(readdirSync(join(root, 'made', 'for it')), [])
  const file = join(folder(), 'backup.json')
  await assert.rejects(
    verify(order, join(file, 'below')),
    (error) =>
      error instanceof StartupError && error.message.startsWith(`Cannot restore into ${file}/below: `),
  )
})

test('archive lag: counts from the first write after a start, and a look closes the segment in time', async () => {
  let now = Date.now()
  const lag = new ArchiveLag(dataDir(), archive(), () => now)
  const passed = async (seconds: number) => {
    now += seconds * 1000
    await lag.look()
  }
  const segment = async () =>
    String(await ask(await manageEmbedded(dataDir()), 'SELECT pg_walfile_name(pg_current_wal_insert_lsn())'))
  const isArchived = (name: string) =>
    ['', '.gz'].some((ending) => existsSync(join(folder(), 'wal', `${name}${ending}`)))
  /** Waits for PostgreSQL's archiver; no virtual time passes. */
  const archived = async (name: string) => {
    while (!isArchived(name)) await sleep(20)
    await passed(0)
    assert.equal(await unarchivedSince(dataDir()), null)
  }
  // Writes from before count from the first look on.
  await write(81, 81)
  const first = await segment()
  await passed(0)
  await passed(600)
  await archived(first)

  await passed(1000)
  const before = now
  await write(82, 85)
  const second = await segment()
  await passed(5)
  assert.equal(await unarchivedSince(dataDir()), before)
  await passed(400)
  assert.equal(await segment(), second, 'the segment may be filled for 600 s')
  await passed(190)
  await archived(second)
  await lag.end()
})

test('archive: a command that names its folder alone keeps the noted interval', async () => {
  const joined = await start(dataDir(), { archive: { folder: folder() } })
  assert.equal(joined.archive?.seconds, 600)
  await joined.stop()
})

test('archive lag: an unkept --backup-wal-seconds is reported, also of a server that was killed', async () => {
  const lag = new ArchiveLag(dataDir(), archive(), () => Date.now() - 3_600_000)
  await write(86, 90)
  await lag.look()
  const state = () => stateOf({ ...archive(), pgdata: server.archive?.pgdata ?? '' }, dataDir(), 86_400)
  const { failing, lagSeconds } = await state()
  assert.ok(lagSeconds >= 3600)
  assert.match(
    String(failing),
    /^writes of the last \d+ s are not archived, and --backup-wal-seconds is 600$/,
  )
  await lag.end()
  assert.equal((await state()).failing, null)
})

test('archive lag: grows from the last look that succeeded, or from the start, while looks fail', async () => {
  let now = Date.now()
  const lost = join(root, 'no-server')
  mkdirSync(lost)
  const lag = new ArchiveLag(lost, archive(), () => now)
  const started = now
  for (let look = 0; look < 2; look++) {
    now += 5000
    await assert.rejects(lag.look())
    assert.equal(await unarchivedSince(lost), started)
  }
  await lag.end()
  assert.equal(await unarchivedSince(lost), null)
})

test('an archive that may not be read is not one without backups', async () => {
  const directory = join(root, 'unreadable')
  mkdirSync(join(directory, 'backup.json'), { recursive: true })
  await assert.rejects(restoreTo(join(root, 'from-it'), { folder: directory, target: null }), /chown -R/)
})

test('what cannot be restored is refused before anything is made', async () => {
  const to = (name: string, time: Date) =>
    restoreTo(join(root, name), { folder: folder(), target: { time }, durable: false })
  await assert.rejects(to('never', new Date(0)), /earliest time that can be restored/)
  await assert.rejects(to('earlier', new Date()), /is not empty/)
  await assert.rejects(
    restoreTo(join(root, 'never'), { folder: folder(), target: { point: 'never' } }),
    /Restore point .* not found/,
  )
  const wal = readdirSync(join(folder(), 'wal'))
    .filter((name) => name.endsWith('.gz'))
    .sort()
  const hole = join(folder(), 'wal', wal.at(-2) ?? '')
  renameSync(hole, join(root, 'aside'))
  await assert.rejects(restoreTo(join(root, 'never'), { folder: folder(), target: null }), /has a gap/)
  renameSync(join(root, 'aside'), hole)
  assert.equal(existsSync(join(root, 'never')), false)
})

test('contents that are not archived or not copied are reported, and repaired when possible', async () => {
  const state = () => stateOf({ ...archive(), pgdata: server.archive?.pgdata ?? '' }, dataDir(), 86_400)
  assert.equal((await state()).failing, null)
  renameSync(join(folder(), 'files'), join(folder(), 'away'))
  const { contents } = backups()
  const store = new Filestore(filesDirectory(dataDir(), 'shop'), true, (key) => contents.keep('shop', key))
  // A file stands where its folder would be: nothing can be copied.
  const key = await store.put(Buffer.from('another content'))
  assert.ok(await store.get(key))
  rmSync(join(folder(), 'files'), { recursive: true, force: true })
  renameSync(join(folder(), 'away'), join(folder(), 'files'))
  assert.equal(await contents.catchUp(), 0)

  const full = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC', path: dataDir() }))
  const managed = await manageEmbedded(dataDir())
  const bases = readdirSync(join(folder(), 'base'))
  await assert.rejects(
    takeBase(managed, folder(), full, () => undefined),
    (error) => error instanceof StartupError && error.message.startsWith(`${folder()} has no room left`),
  )
  assert.deepEqual(readdirSync(join(folder(), 'base')), bases)
})
