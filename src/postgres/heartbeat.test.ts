// Heartbeats: over one kept connection, and in time also when the connection died silently.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWay } from '../../test/support/muffled.ts'
import { Connection } from './connection.ts'
import { type Embedded, startTemporary } from './embedded/index.ts'
import { Heartbeat } from './heartbeat.ts'

let server: Embedded
before(async () => {
  server = await startTemporary()
})
after(() => server?.stop())

async function ours(name: string): Promise<number> {
  const connection = await Connection.connect({ ...server, database: 'postgres' })
  const [row] = await connection.query('SELECT count(*)::int FROM pg_stat_activity WHERE datname = $1', [
    name,
  ])
  await connection.close()
  return Number(row?.[0])
}

test('many who ask open one connection, and it is kept', async () => {
  const pulse = new Heartbeat({ ...server, database: 'template1' })
  for (let round = 0; round < 5; round++) {
    const beats = await Promise.all(Array.from({ length: 10 }, () => pulse.feel()))
    assert.ok(beats.every(({ writable }) => writable))
    assert.equal(await ours('template1'), 1)
  }
  await pulse.close()
  await assert.rejects(pulse.feel())
})

test('a kept line that died is not taken for the server; a server that says nothing is no server that answers', async (t) => {
  const way = await openWay(server)
  // A new line comes about within that on a slow machine too.
  const pulse = new Heartbeat({ ...server, port: way.port, database: 'postgres' }, 5000)
  // Whatever failed: what is open keeps the process.
  t.after(async () => {
    await pulse.close()
    await way.close()
  })
  await pulse.feel()
  way.muffle()
  assert.equal((await pulse.feel()).writable, true, 'a new line gets through')
  way.muffleAll()
  await assert.rejects(pulse.feel())
  way.open()
  assert.equal((await pulse.feel()).writable, true)
})

test('a server that only follows another one and one that takes writes are told apart', async () => {
  const pulse = new Heartbeat({ ...server, url: readOnlyUrl(), database: 'postgres' })
  assert.equal((await pulse.feel()).writable, false)
  await pulse.close()
})

function readOnlyUrl(): string {
  const { host, port, user, password } = server
  const address = new URL(`postgres://${user}:${password}@localhost:${port}/postgres`)
  address.hostname = host.startsWith('/') ? 'localhost' : host
  address.searchParams.set('options', '-c default_transaction_read_only=on')
  return address.href
}
