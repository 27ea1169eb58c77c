// The primary PostgreSQL server dies under load and the one that followed it takes over: nodes find it by
// themselves, and nothing that was acknowledged is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installedServer } from '../external/server.ts'
import { failOvers } from './failover.ts'

const folder = installedServer()

test('after a failover all acknowledged writes are there, those that were said to be undone are not, and every refusal says which', {
  skip: folder ? false : 'this machine has no PostgreSQL of its own (Debian: apt-get install postgresql)',
}, async () => {
  const report = await failOvers(folder as string, 1, 8)
  assert.ok(report.acknowledged > 100)
  assert.deepEqual([report.lost, report.undoneButThere], [0, 0], JSON.stringify(report))
  for (const kind of Object.keys(report.failures)) assert.match(kind, /^503 (undone|unknown) /)
})
