// PgBouncer ends and comes back while two nodes use it: acknowledged writes are present, rejected calls
// report that they were undone or have an unknown outcome, and the nodes recover by themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type Server } from '../../src/main.ts'
import { startEmbedded } from '../../src/postgres/embedded/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { startPgBouncer, withoutPgBouncer } from '../support/pgbouncer.ts'
import { makeDataDir } from '../support/temp.ts'
import { Load } from './load.ts'
import { until } from './patroni-cluster.ts'

/** Writes that each node acknowledges before and after each end of the pooler. */
const WRITES = 30

for (const mode of ['session', 'transaction'] as const)
  test(`PgBouncer that dies and comes back, mode ${mode}, loses nothing`, {
    skip: withoutPgBouncer,
  }, async () => {
    const temp = makeDataDir('pooler-restart')
    const postgres = await startEmbedded({ dataDir: temp.path, durable: false, log: () => undefined })
    const directUrl = `postgres://${postgres.user}:${postgres.password}@${postgres.host}:${postgres.port}/`
    const settings = { ignore_startup_parameters: 'options' }
    const started = (port?: number) => startPgBouncer(postgres, { mode, size: 8, settings, port })
    let pooler = await started()
    const nodes: Server[] = []
    try {
      const way = { databaseUrl: pooler.url, pooler: mode, ...(mode === 'transaction' && { directUrl }) }
      for (let i = 0; i < 2; i++) nodes.push(await createServer({ ...way, dataDir: temp.path, poolSize: 4 }))
      const { databases } = nodes[0] as Server
      await databases.create('shop', { modules: ['base'] })
      const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
      const load = new Load(
        nodes.map(({ url }) => url),
        'shop',
        key,
      )
      const { tally } = load
      const more = () => {
        const wanted = nodes.map(({ url }) => [url, (tally.byNode.get(url) ?? 0) + WRITES] as const)
        return until('each node acknowledges writes', () =>
          wanted.every(([url, count]) => (tally.byNode.get(url) ?? 0) >= count),
        )
      }
      load.start(8)
      try {
        for (let round = 0; round < 3; round++) {
          await more()
          const failed = tally.failures.size
          await pooler.stop()
          await until('calls are refused', () => tally.failures.size > failed || tally.undone.size > round)
          pooler = await started(pooler.port)
          await more()
        }
      } finally {
        await load.stop()
      }
      const report = await load.judge(databases)
      const { lost, twice, undoneButThere, failures } = report
      assert.deepEqual([lost, twice, undoneButThere], [0, 0, 0], JSON.stringify(report))
      for (const kind of Object.keys(failures))
        assert.match(kind, /^503 (undone|unknown) (?!without)|^409 {2}A call with this Idempotency-Key/)
    } finally {
      await Promise.all(nodes.map((node) => node.close()))
      await pooler.stop()
      await postgres.stop()
      temp.remove()
    }
  })
