// Three nodes of two workers each over two PostgreSQL servers: a worker and a whole node are killed
// under load. No acknowledged write is lost, and no user keeps a revoked right.
// Begins first: it takes 15 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installedServer } from '../external/server.ts'
import { nodesRounds } from './nodes.ts'

test('three nodes of two workers go on without a worker, and without a node', {
  skip: installedServer() ? false : 'this machine has no PostgreSQL of its own',
}, async () => {
  const report = await nodesRounds(2)
  const words = JSON.stringify(report)
  assert.deepEqual([report.lost, report.twice, report.undoneButThere], [0, 0, 0], words)
  assert.ok(report.rights.judged > 0)
  assert.deepEqual([report.rights.stale, report.rights.missing], [0, 0], words)
  // Clients that write to one record queue over all nodes; while a node is killed, a few may get a
  // conflict.
  const { 200: written = 0, 409: lost = 0 } = report.hot
  assert.ok(written > 0 && lost <= Math.max(2, written / 50), words)
  for (const status of Object.keys(report.hot)) assert.match(status, /^(?:200|409|503|no answer)$/)
})
