// Tests of cluster.ts: one server for many users, found again after kill -9, recovered, and never two on the
// same files.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import { Connection } from '../connection.ts'
import { isRoot } from './account.ts'
import type { Embedded, EmbeddedAddress } from './cluster.ts'
import { attachEmbedded, startEmbedded } from './cluster.ts'

let dataDir: string
const pidFile = () => join(dataDir, 'postgres', 'postmaster.pid')
const serverPid = () => Number(readFileSync(pidFile(), 'utf8').split('\n')[0])
const start = () => startEmbedded({ dataDir, log: () => undefined })

before(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'comptoir-cluster-'))
  chmodSync(dataDir, 0o711)
})

after(async () => {
  const left = existsSync(pidFile()) ? await start() : undefined
  await left?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function ask(server: EmbeddedAddress, text: string, database = 'postgres'): Promise<unknown> {
  const connection = await Connection.connect({ ...server, database })
  try {
    return (await connection.query(text))[0]?.[0]
  } finally {
    await connection.close()
  }
}

/** Another process that starts or joins the server and stays. */
async function otherProcess(): Promise<{ child: ChildProcess; started: boolean }> {
  const script = `import { startEmbedded } from ${JSON.stringify(new URL('./cluster.ts', import.meta.url).href)}
    const server = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: () => {} })
    console.log(server.started); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { child, started: String(line).trim() === 'true' }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('several start at once: one makes the server, the last out stops it', async () => {
  assert.equal(await attachEmbedded(dataDir), null)
  const servers: Embedded[] = await Promise.all([start(), start(), start()])
  assert.deepEqual(servers.map((server) => server.started).sort(), [false, false, true])
  assert.equal(new Set(servers.map((server) => server.port)).size, 1)
  const [first, second, third] = servers
  assert.ok(first && second && third)
  await first.stop()
  await first.stop()
  await second.stop()
  assert.equal(await ask(third, 'SELECT 1'), 1)
  assert.equal((await attachEmbedded(dataDir))?.port, third.port)
  await third.stop()
  assert.equal(await attachEmbedded(dataDir), null)
  assert.equal(existsSync(pidFile()), false)
})

test('the password is for the owner only, data is durable, text by code point', async () => {
  assert.equal(statSync(join(dataDir, 'postgres.json')).mode & 0o777, 0o600)
  const server = await start()
  await assert.rejects(Connection.connect({ ...server, password: 'guess' }), /password/)
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    assert.equal(await ask(server, `SHOW ${setting}`), 'on')
  assert.equal(await ask(server, "SELECT 'Z' < 'a' AND 'É' ILIKE 'é'"), true)
  await server.stop()
})

test('a server whose parent was killed is joined, and stopped by who leaves last', async () => {
  const { child, started } = await otherProcess()
  assert.equal(started, true)
  const pid = serverPid()
  await kill(child)
  const server = await start()
  assert.equal(server.started, false)
  assert.equal(serverPid(), pid)
  await server.stop()
  assert.equal(existsSync(pidFile()), false)
})

test('a user in another process keeps the server', async () => {
  const mine = await start()
  const { child, started } = await otherProcess()
  assert.equal(started, false)
  await mine.stop()
  assert.equal(existsSync(pidFile()), true)
  await kill(child)
})

test('after kill -9 of everything the next start recovers what was committed', async () => {
  const { child } = await otherProcess()
  const server = await attachEmbedded(dataDir)
  assert.ok(server)
  await ask(server, 'CREATE DATABASE shop')
  await ask(server, 'CREATE TABLE kept AS SELECT 7 AS a', 'shop')
  process.kill(serverPid(), 'SIGKILL')
  await kill(child)
  const again = await start()
  assert.equal(again.started, true)
  assert.equal(await ask(again, 'SELECT a FROM kept', 'shop'), 7)
  await again.stop()
})

test('a server that ends while it is used is started again where it was, once for all who use it', async () => {
  const messages: string[] = []
  const options = { dataDir, log: (message: string) => messages.push(message) }
  const [first, other] = [await startEmbedded(options), await startEmbedded(options)]
  try {
    const dead = serverPid()
    process.kill(dead, 'SIGKILL')
    // It comes back within a second or so; nothing but that ends the wait.
    let answer: unknown
    while (answer === undefined) {
      await sleep(50)
      answer = serverPid() === dead ? undefined : await ask(first, 'SELECT 1').catch(() => undefined)
    }
    assert.equal(answer, 1)
    assert.equal(await ask(other, 'SELECT 1'), 1)
    assert.deepEqual(messages, ['PostgreSQL ended unexpectedly; restarting it'])
  } finally {
    await first.stop()
    await other.stop()
  }
  assert.ok(!existsSync(pidFile()), 'the last out stops the new one')
})

test('a process that got the dead server’s number does not stand in the way', async () => {
  await (await start()).stop()
  writeFileSync(
    pidFile(),
    `${process.pid}\n${join(dataDir, 'postgres')}\n1\n1\n\n127.0.0.1\n         0         0\nready   \n`,
  )
  assert.equal(await attachEmbedded(dataDir), null)
  const server = await start()
  assert.equal(server.started, true)
  await server.stop()
})

test('without postgres.json the data is kept and gets a new password', async () => {
  const old = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'))
  rmSync(join(dataDir, 'postgres.json'))
  const server = await start()
  assert.notEqual(server.password, old.password)
  assert.equal(await ask(server, 'SELECT a FROM kept', 'shop'), 7)
  await server.stop()
})

test('a copy of the data directory is a server of its own, also while the first runs', {
  skip: process.platform === 'win32',
}, async () => {
  const copy = mkdtempSync(join(tmpdir(), 'comptoir-copied-'))
  chmodSync(copy, 0o711)
  // As an administrator copies it: with the owners kept.
  execFileSync('cp', ['-a', `${dataDir}/.`, copy])
  const [server, other] = [
    await start(),
    await startEmbedded({ dataDir: copy, log: () => undefined, durable: false }),
  ]
  assert.equal(other.started, true)
  assert.notEqual(other.port, server.port)
  await ask(other, 'DELETE FROM kept', 'shop')
  assert.equal(await ask(server, 'SELECT count(*)::int FROM kept', 'shop'), 1)
  await other.stop()
  await server.stop()
  rmSync(copy, { recursive: true })
})

test('copies that start at the same moment do not take each other for themselves', {
  skip: process.platform === 'win32',
}, async () => {
  // All prefer the same port and use the same password: a server that loses the race for the port must not
  // join the winner.
  const folders = Array.from({ length: 4 }, () => mkdtempSync(join(tmpdir(), 'comptoir-copied-')))
  for (const folder of folders) {
    chmodSync(folder, 0o711)
    execFileSync('cp', ['-a', `${dataDir}/.`, folder])
  }
  const servers = await Promise.all(
    folders.map((folder) => startEmbedded({ dataDir: folder, log: () => undefined, durable: false })),
  )
  assert.equal(new Set(servers.map((server) => server.port)).size, folders.length)
  const ports = folders.map(
    (folder) => readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3],
  )
  assert.deepEqual(
    ports,
    servers.map(({ port }) => String(port)),
  )
  await Promise.all(servers.map((server) => server.stop()))
  for (const folder of folders) rmSync(folder, { recursive: true })
})

test('files of another PostgreSQL version, and missing files, are reported', async () => {
  const version = join(dataDir, 'postgres', 'PG_VERSION')
  const right = readFileSync(version, 'utf8')
  writeFileSync(version, '14\n')
  await assert.rejects(
    start(),
    (error) => error instanceof StartupError && /PostgreSQL 14/.test(error.message),
  )
  rmSync(version)
  await assert.rejects(start(), (error) => error instanceof StartupError && /are missing/.test(error.message))
  writeFileSync(version, right)
})

test('root may have a data directory that no other account can enter', {
  skip: isRoot() ? false : 'needs root',
}, async () => {
  const closed = mkdtempSync(join(tmpdir(), 'comptoir-closed-'))
  const server = await startEmbedded({ dataDir: join(closed, 'data'), durable: false, log: () => undefined })
  const { pgdata } = JSON.parse(readFileSync(join(closed, 'data', 'postgres.json'), 'utf8'))
  assert.equal(await ask(server, 'SELECT 1'), 1)
  await server.stop()
  assert.equal(pgdata.startsWith(closed), false)
  rmSync(pgdata, { recursive: true })
  await assert.rejects(startEmbedded({ dataDir: join(closed, 'data'), log: () => undefined }), /are missing/)
  rmSync(closed, { recursive: true })
})
