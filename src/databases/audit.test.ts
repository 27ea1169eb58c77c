// The server's own audit log: one line for each event, in every case, and a listener that receives it.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeTemp } from '../../test/support/temp.ts'
import { AUDIT_FILE, type AuditLine, audit, lineOf } from './audit.ts'

const temp = makeTemp('audit')
after(() => temp.remove())

test('events are lines of JSON, also when many are written at once; only the owner may read them', async () => {
  const auditLines: AuditLine[] = []
  const target = { dataDir: join(temp.path, 'data'), onAudit: (line: AuditLine) => auditLines.push(line) }
  await audit(target, {
    event: 'database.create',
    database: 'shop',
    address: '10.0.0.1',
    detail: { text: 'two\nlines' },
  })
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => audit(target, { event: 'database.drop', database: `shop${i}` })),
  )
  const path = join(target.dataDir, AUDIT_FILE)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  assert.equal(lines.length, 51)
  const { time, ...first } = JSON.parse(lines[0] as string) as AuditLine
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(first, {
    event: 'database.create',
    database: 'shop',
    login: null,
    address: '10.0.0.1',
    detail: { text: 'two\nlines' },
  })
  assert.deepEqual(new Set(lines.slice(1).map((line) => (JSON.parse(line) as AuditLine).database)).size, 50)
  assert.equal(auditLines.length, 51)
  assert.equal(statSync(path).mode & 0o077, 0)
})

test('a line that cannot be written is a warning, not a failure of the operation', async () => {
  const file = join(temp.path, 'a file')
  writeFileSync(file, '')
  const warned = new Promise<Error>((done) => process.once('warning', done))
  const lines: AuditLine[] = []
  await audit({ dataDir: file, onAudit: (line) => lines.push(line) }, { event: 'master-password.failure' })
  assert.match((await warned).message, /audit log could not be written/)
  assert.equal(lines.length, 1)
})

test("entries of a database's own log look the same to the listener", () => {
  const row = {
    event: 'key.create',
    uid: 7,
    login: 'ann',
    address: null,
    model: 'res.users.apikeys',
    record: 3,
    name: 'sync',
    detail: { scope: 'rpc' },
  }
  const { time: _time, ...line } = lineOf('shop', row)
  assert.deepEqual(line, {
    event: 'key.create',
    database: 'shop',
    login: 'ann',
    address: null,
    detail: { uid: 7, model: 'res.users.apikeys', record: 3, name: 'sync', scope: 'rpc' },
  })
})
