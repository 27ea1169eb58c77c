// Shipping of the audit log: to a file and to a syslog, in the order of the chain, also when a receiver is
// down for a while.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { Receivers } from '../../databases/index.ts'
import { modules } from '../../main.ts'
import { verifyAudit } from '../../models/rights/audit-seal.ts'
import { raw, sql } from '../../sql/index.ts'
import { auditLines } from './lines.ts'
import { keepAudit } from './ship.ts'

let db: TestDatabase
const folder = mkdtempSync(join(tmpdir(), 'comptoir-audit-'))
before(async () => {
  db = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
})
after(async () => {
  await db?.close()
  rmSync(folder, { recursive: true, force: true })
})

const note = (event: string) =>
  db.run((env) =>
    env.execute(
      sql`INSERT INTO comptoir_audit (time, event) VALUES (clock_timestamp() AT TIME ZONE 'UTC', ${event})`,
    ),
  )

interface Line {
  readonly event: string
  readonly position?: number
}

const linesIn = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

/** A syslog on the loopback that keeps the messages it gets. */
async function listen(port = 0, path?: string) {
  const server = createServer()
  const pieces: string[] = []
  server.on('connection', (socket) => socket.on('data', (data) => pieces.push(data.toString())))
  await new Promise<void>((resolve) =>
    server.listen(path === undefined ? { port, host: '127.0.0.1' } : { path }, resolve),
  )
  return { server, pieces, port: path === undefined ? (server.address() as { port: number }).port : 0 }
}

test('every entry reaches the file once, in the order of the chain, and whole databases are noted there too', async () => {
  const path = join(folder, 'audit.ndjson')
  const receivers = new Receivers({ file: path })
  await note('walk.one')
  await keepAudit(db.database, receivers)
  await Promise.all([note('walk.two'), note('walk.three')])
  await keepAudit(db.database, receivers)
  await keepAudit(db.database, receivers)
  const lines = linesIn(path)
  assert.deepEqual(
    lines.map(({ position }) => position),
    lines.map((_, n) => n + 1),
  )
  assert.deepEqual(lines.filter(({ event }) => event.startsWith('walk.')).length, 3)
  receivers.note({ time: '2026-01-01T00:00:00.000Z', event: 'database.drop', database: 'gone' })
  await receivers.flush()
  assert.equal(linesIn(path).at(-1)?.event, 'database.drop')
})

test('audit: a syslog that was down gets the entries that it missed, framed as in RFC 5424', async () => {
  const first = await listen()
  const { port } = first
  await new Promise((resolve) => first.server.close(resolve))
  const receivers = new Receivers({ syslog: { protocol: 'tcp', host: '127.0.0.1', port } })
  await note('walk.missed')
  await assert.rejects(keepAudit(db.database, receivers), { code: 'ECONNREFUSED' })
  const second = await listen(port)
  await keepAudit(db.database, receivers)
  await note('walk.later')
  await keepAudit(db.database, receivers)
  await new Promise((resolve) => second.server.close(resolve))
  const messages: string[] = []
  for (let rest = second.pieces.join(''); rest; ) {
    const [, count = '', text = ''] = /^(\d+) (.*)$/s.exec(rest) ?? []
    messages.push(text.slice(0, Number(count)))
    rest = text.slice(Number(count))
  }
  assert.match(messages.at(-1) ?? '', /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ comptoir \d+ walk\.later - \{"/)
  const [all] = await db.run((env) => env.query<[number]>(sql`SELECT count(*)::int FROM comptoir_audit_seal`))
  assert.equal(messages.length, all?.[0])
  assert.ok(messages.some((message) => message.includes('walk.missed')))
})

test('a syslog at a socket file gets the same messages', async () => {
  const path = join(folder, 'audit.sock')
  const receivers = new Receivers({ syslog: { protocol: 'unix', path } })
  await note('walk.local')
  await assert.rejects(keepAudit(db.database, receivers), { code: 'ENOENT' })
  const { server, pieces } = await listen(0, path)
  await keepAudit(db.database, receivers)
  await new Promise((resolve) => server.close(resolve))
  assert.match(pieces.join(''), /^\d+ <110>1 .* - \{.*walk\.local/s)
})

test('audit: processes that seal and send concurrently leave one chain, and send no line twice', async () => {
  const path = join(folder, 'together.ndjson')
  const events = Array.from({ length: 12 }, (_, n) => `walk.together.${n}`)
  await Promise.all(
    events.flatMap((event) => [note(event), keepAudit(db.database, new Receivers({ file: path }))]),
  )
  await keepAudit(db.database, new Receivers({ file: path }))
  const { broken, waiting } = await db.run(verifyAudit)
  assert.deepEqual([broken, waiting], [null, 0])
  const lines = linesIn(path)
  assert.deepEqual(
    lines.map(({ position }) => position),
    lines.map((_, n) => n + 1),
  )
  assert.deepEqual(
    lines
      .map(({ event }) => event)
      .filter((event) => event.startsWith('walk.together'))
      .toSorted(),
    events.toSorted(),
  )
})

test('an export takes a span of time or continues after a place', async () => {
  const all: Line[] = []
  for await (const { lines } of auditLines(db.database)) all.push(...lines.map((line) => JSON.parse(line)))
  const take = async (span: Parameters<typeof auditLines>[1]) => {
    const { value } = await auditLines(db.database, span).next()
    return value ? value.lines.length : 0
  }
  assert.equal(await take({ after: all.length - 1 }), 1)
  assert.equal(await take({ since: '2999-01-01T00:00:00Z' }), 0)
  assert.equal(await take({ until: '2999-01-01T00:00:00Z' }), all.length)
})

test('administrators read the order of the chain, and its links cannot be changed by SQL', async () => {
  const rows = await db.run((env) =>
    env
      .model('comptoir.audit.line')
      .search([['event', 'in', ['walk.one', 'walk.two', 'walk.three', 'walk.missed', 'walk.later']]]),
  )
  assert.equal(rows.ids.length, 5)
  await assert.rejects(
    db.run((env) => env.query(raw('UPDATE comptoir_audit_seal SET hash = hash'))),
    /only be appended to/,
  )
})
