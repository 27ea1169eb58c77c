// Back pressure: when the database is busy, calls queue in order, calls beyond the queue get 503 with
// Retry-After, and other databases are not affected.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { makeTemp } from '../support/temp.ts'

const CONNECTIONS = 2
const PLACES = 3

const temp = makeTemp('pressure')
let databases: Databases
let server: Server
const keys = new Map<string, string>()

before(async () => {
  const base = modules.filter((module) => module.name === 'base')
  databases = await Databases.open({
    dataDir: temp.path,
    modules: base,
    durable: false,
    pool: { max: CONNECTIONS, queueLimit: PLACES },
  })
  for (const name of ['slow', 'quick']) {
    await databases.create(name, { modules: [], login: 'admin', password: 'admin' })
    keys.set(name, await createKey(databases, name, 'admin', { scope: 'rpc', name: 'test', days: 1 }))
  }
  server = await createServer({ databases })
})
after(async () => {
  await server?.close()
  await databases?.close()
  temp.remove()
})

function count(database: string): Promise<Response> {
  const headers = {
    authorization: `bearer ${keys.get(database)}`,
    'content-type': 'application/json',
    'x-service-database': database,
  }
  return fetch(`${server.url}/json/2/res.country/search_count`, {
    method: 'POST',
    headers,
    body: '{"domain": []}',
  })
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 60_000 && !holds(); tries++) await sleep(5)
  assert.ok(holds())
}

test('back pressure: calls beyond the queue get 503 with Retry-After, queued ones are answered in order, other databases are unaffected', async () => {
  // Callers are known before the crowd comes.
  for (const name of keys.keys()) assert.equal((await count(name)).status, 200)
  const { pool } = await databases.database('slow')
  const held = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.acquire()))
  const answered: number[] = []
  const waiting: Promise<Response>[] = []
  for (let n = 0; n < PLACES; n++) {
    waiting.push(
      count('slow').then((response) => {
        answered.push(n)
        return response
      }),
    )
    await until(() => pool.stats().waiting === n + 1)
  }
  const refused = await Promise.all(Array.from({ length: 20 }, () => count('slow')))
  for (const response of refused) {
    assert.equal(response.status, 503)
    assert.ok(Number(response.headers.get('retry-after')) >= 1)
    assert.equal(response.headers.get('x-comptoir-outcome'), 'undone')
    const { name, message } = (await response.json()) as { name: string; message: string }
    assert.match(`${name} ${message}`, /ServiceUnavailable Too many requests are waiting/)
  }
  for (let n = 0; n < 10; n++) assert.equal((await count('quick')).status, 200)
  assert.deepEqual(answered, [])
  // One connection only, so that the order shows.
  pool.release(held[0] as never)
  for (const response of await Promise.all(waiting)) assert.equal(response.status, 200)
  assert.deepEqual(answered, [0, 1, 2])
  pool.release(held[1] as never)
  assert.equal((await count('slow')).status, 200)
  await until(() => pool.quiet)
})
