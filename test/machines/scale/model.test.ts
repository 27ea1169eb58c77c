// The arithmetic of the model, by figures that can be reckoned by hand; and that the page says what it gives.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../support/serve.ts'
import { breaking, compared, measured, planned } from './deployments.ts'
import { expected, type Figures, type Limits, plan, type Workload } from './model.ts'

const figures: Figures = {
  deeds: {
    read: { node: 0.001, postgres: 0.002, wal: 0, wire: 1000, disk: 0 },
    write: { node: 0.004, postgres: 0.008, wal: 4000, wire: 600, disk: 400 },
  },
  database: {
    disk: 30e6,
    files: 1000,
    opened: { node: 0.03, postgres: 0.1, memory: 1e6 },
    look: { node: 0.006, postgres: 0.03 },
    idle: 0.001,
  },
  memory: { process: 400e6, connection: 30e6 },
}
const workload: Workload = {
  databases: 100,
  daily: { read: 2700, write: 900 },
  busiestHour: 0.1,
  burst: 2,
  inUse: 0.5,
}
const limits: Limits = {
  postgresCores: 4,
  busy: 0.5,
  wal: 1e6,
  connections: 100,
  connectionsEach: 2,
  openDatabases: 10,
  files: 50_000,
  machines: 2,
  lookEvery: 100,
}
const near = (value: number, wanted: number) =>
  assert.ok(Math.abs(value - wanted) <= 1e-9 * Math.abs(wanted), `${value} is not ${wanted}`)

test('a mix costs the mean of its deeds by their numbers', () => {
  const cost = expected(figures.deeds, { read: 3, write: 1 })
  near(cost.node, (3 * 0.001 + 0.004) / 4)
  near(cost.postgres, (3 * 0.002 + 0.008) / 4)
  near(cost.wal, 1000)
  near(cost.wire, 900)
  near(cost.disk, 100)
  assert.throws(() => expected(figures.deeds, { call: 1 }), /Not measured: call/)
})

test('a plan is the sum of deeds, of looks into databases and of databases at rest', () => {
  const said = plan(figures, workload, limits)
  // 360,000 deeds a day, a tenth of them in an hour, twice as fast for minutes.
  near(said.rate, 20)
  // Two machines look into 100 databases every 100 seconds.
  near(said.ownCores, 2 * 0.006)
  near(said.nodeCores, 20 * 0.00175 + 0.012)
  near(said.postgresCores, 20 * 0.0035 + 2 * 0.03 + 100 * 0.001)
  near(said.wal, 20_000)
  near(said.walDaily, 360_000 * 1000)
  near(said.disk, 100 * 30e6)
  near(said.diskYearly, 360_000 * 365 * 100)
})

test('there are as many of each as what is asked for most wants', () => {
  const said = plan(figures, workload, limits)
  // Fifty databases in use, ten of which a process keeps open.
  assert.equal(said.processes, 5)
  assert.equal(said.connections, 50 * 2 + 2 * 5)
  near(said.nodeMemory, 5 * 400e6 + 50 * 1e6)
  near(said.connectionMemory, 110 * 30e6)
  // Files of 100 databases are twice what a server should have; connections 1.1 times.
  assert.equal(said.servers, 2)
  assert.deepEqual(
    said.breaks.slice(0, 3).map(({ what, share }) => [what, share]),
    [
      ['databases that one process keeps open', 5],
      ['files of one PostgreSQL server', 2],
      ['connections of one PostgreSQL server', 1.1],
    ],
  )
  // A database is not spread over servers.
  const single = plan(figures, { ...workload, databases: 1, daily: { write: 1e9 } }, limits)
  assert.equal(single.servers, 1)
  assert.ok((single.breaks[0]?.share ?? 0) > 1)
})

test('docs/scale.md says what the model gives for the figures that are kept', () => {
  const page = readFileSync(join(root, 'docs/scale.md'), 'utf8')
  for (const part of [measured, compared, planned, breaking])
    assert.ok(page.includes(part()), `The page does not have this:\n${part()}`)
})
