// A failover to a standby server that confirms no commits: how much is lost, and who says so before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Server } from '../../src/main.ts'
import { Connection, forMaintenance } from '../../src/postgres/index.ts'
import { failover } from '../../src/services/doctor/failover.ts'
import { sql } from '../../src/sql/index.ts'
import { installedServer } from '../external/server.ts'
import { openPlace } from './failover.ts'
import { Load } from './load.ts'

const folder = installedServer()
const WRITES = 40

test('asynchronous failover: loses the acknowledged writes that the standby server had not received and none before them, and doctor says so first', {
  skip: folder ? false : 'this machine has no PostgreSQL of its own (Debian: apt-get install postgresql)',
}, async () => {
  const { pair, nodes, key, close } = await openPlace(folder as string, false)
  try {
    const { databases } = nodes[0] as Server
    const connection = await Connection.connect(forMaintenance(databases.address))
    const setup = { databaseUrl: pair.url, replicaUrl: undefined, lossyFailover: false }
    const { verdict: result, found: rowsFound } = await failover(connection, setup)
    connection.destroy()
    assert.deepEqual(
      [result, rowsFound],
      ['wrong', 'standby servers follow asynchronously: a failover loses the last acknowledged writes'],
    )

    const urls = nodes.map(({ url }) => url)
    const load = new Load(urls, 'shop', key)
    const { acknowledged } = load.tally
    load.start(4)
    await load.more(WRITES)
    const received = new Set(acknowledged)
    await pair.cutStandby()
    // Those under way at the cut may have been received before it, and be acknowledged after it.
    const { begun } = load
    await load.more(WRITES)
    const exposed = load.acknowledgedAfter(begun)
    await pair.failOver()
    await load.more(WRITES)
    await load.stop()

    const rows = await (await databases.database('shop')).system((env) =>
      env.query(sql`SELECT name FROM res_partner WHERE name LIKE 'write %'`),
    )
    const names = new Set(rows.map(([name]) => String(name)))
    const lost = new Set([...acknowledged].filter((name) => !names.has(name)))
    assert.ok(exposed.length > 0 && exposed.every((name) => lost.has(name)))
    assert.ok([...received].every((name) => !lost.has(name)))
    const { twice, undoneButThere } = await load.judge(databases)
    assert.deepEqual([twice, undoneButThere], [0, 0])
  } finally {
    await close()
  }
})
