// Findings of the doctor, and of a server that starts, about set-ups whose failover loses acknowledged
// writes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { base } from '../../modules/base/index.ts'
import type { Connection } from '../../postgres/index.ts'
import { failover, warnOfFailover } from './failover.ts'

let fixture: TestDatabase
before(async () => {
  fixture = await openTestDatabase([base])
})
after(() => fixture?.close())

const pair = 'postgres://comptoir@db1,db2/'
const single = 'postgres://comptoir@proxy/'
/** A server with these settings and standby servers. */
const server = (row: readonly unknown[]) => ({ query: async () => [row] }) as unknown as Connection

test('failover: asynchronous standby servers are wrong unless that loss is accepted, synchronous ones are good', async () => {
  const setup = { databaseUrl: pair, replicaUrl: undefined, lossyFailover: false }
  for (const [settings, change, severity, words] of [
    [['*', 'on', 1, 1], {}, 'good', /a failover loses nothing/],
    [['*', 'remote_apply', 2, 2], {}, 'good', /remote_apply/],
    [['*', 'on', 0, 0], {}, 'wrong', /confirms each commit/],
    [['ANY 2 (db1, db2, db3)', 'on', 1, 1], {}, 'wrong', /confirms each commit/],
    [['ANY 2 (db1, db2, db3)', 'on', 3, 3], {}, 'good', /confirms each commit/],
    [['FIRST 2 (db1, db2)', 'on', 2, 1], {}, 'wrong', /confirms each commit/],
    [['2 ("db1", db2)', 'on', 2, 2], {}, 'good', /confirms each commit/],
    [['*', 'local', 1, 1], {}, 'wrong', /asynchronously/],
    [['', 'on', 1, 0], {}, 'wrong', /loses the last acknowledged writes$/],
    [['', 'on', 1, 0], { lossyFailover: true }, 'good', /--lossy-failover accepts/],
    [['', 'on', 1, 0], { databaseUrl: single }, 'wrong', /asynchronously/],
    [['', 'on', 1, 0], { databaseUrl: single, replicaUrl: pair }, 'advice', /asynchronously/],
    [['', 'on', 0, 0], { databaseUrl: single }, 'good', /no standby server/],
    [['', 'on', 0, 0], { databaseUrl: undefined }, 'good', /no standby server/],
  ] as const) {
    const finding = await failover(server(settings), { ...setup, ...change })
    assert.equal(finding.verdict, severity, JSON.stringify([settings, change, finding]))
    assert.match(finding.found, words)
  }
})

test('failover: a server that starts warns of what it may lose, asked of PostgreSQL itself', async () => {
  const warnings: unknown[] = []
  const warn = (message: string, facts: object) => warnings.push([message, facts])
  const setup = { databaseUrl: pair, replicaUrl: undefined, lossyFailover: false }
  await warnOfFailover(fixture.databases, { ...setup, lossyFailover: true }, warn)
  assert.deepEqual(warnings, [])
  await warnOfFailover(fixture.databases, setup, warn)
  assert.match(
    JSON.stringify(warnings),
    /^\[\["Failover: standby servers follow asynchronously: .*--lossy-failover yes/,
  )
})
