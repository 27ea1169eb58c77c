// A locked record and other calls: reads continue, writers get an error within seconds, and calls whose
// client has gone release their places.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Databases } from '../../src/databases/index.ts'
import { setLimits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { makeDataDir } from '../support/temp.ts'

/** Seconds that are enough for whatever happens meanwhile, on slow machines too. */
const LONG = 900
const temp = makeDataDir('waiting')
let server: Databases
let keys: string[]

before(async () => {
  server = await Databases.open({
    dataDir: temp.path,
    modules: modules.filter((module) => module.name === 'base'),
    durable: false,
    pool: { max: 8, acquireTimeoutMs: LONG * 1000 },
  })
  await server.create('shop', { modules: ['base'] })
  const logins = ['one', 'two', 'three']
  await (await server.database('shop')).system(async (env) => {
    const groups = [[6, 0, [await env.ref('base.group_system'), await env.ref('base.group_partner_manager')]]]
    await env
      .model('res.users')
      .create(logins.map((login) => ({ name: login, login, group_ids: groups })) as never[])
  })
  keys = await Promise.all(
    logins.map((login) => createKey(server, 'shop', login, { scope: null, name: 'till', days: 1 })),
  )
})
after(async () => {
  setLimits()
  await server?.close()
  temp.remove()
})

type Named = Record<string, unknown>

function run(
  i: number,
  method: string,
  named: Named,
  { ids, gone }: { ids?: number[]; gone?: () => boolean } = {},
): Promise<string> {
  const credential = { kind: 'key', key: keys[i % keys.length] as string } as const
  const body = () => ({ ids, context: {}, named })
  const origin = { remote: '127.0.0.1', requestId: 'test', ...(gone ? { gone } : {}) }
  return call(server, { database: 'shop', credential, model: 'res.partner', method, body, ...origin }).then(
    ({ json }) => json,
  )
}

async function held(work: (id: number) => Promise<void>): Promise<void> {
  const [id] = JSON.parse(await run(0, 'create', { vals_list: [{ name: 'Held' }] }))
  const { pool } = await server.database('shop')
  await pool.use(async (connection) => {
    await connection.query('BEGIN')
    await connection.query('SELECT 1 FROM res_partner WHERE id = $1 FOR UPDATE', [id])
    await work(id).finally(() => connection.query('ROLLBACK'))
  })
}

/** Statements wait so long for what others hold: the connections learn of it when they are opened. */
async function waitAtMost(seconds: number): Promise<void> {
  setLimits({ 'lock-seconds': seconds })
  await server.forget('shop')
}

const writers = (id: number) =>
  Array.from({ length: 10 }, (_, i) => run(i, 'write', { vals: { name: `Writer ${i}` } }, { ids: [id] }))

test('writers of several users wait for a held record, and reads go on', async () => {
  await waitAtMost(LONG)
  let waiting = 10
  let all: Promise<string>[] = []
  await held(async (id) => {
    all = writers(id).map((writer) => writer.finally(() => waiting--))
    for (let i = 0; i < 20; i++)
      assert.match(await run(i, 'search_count', { domain: [['id', '=', id]] }), /^1$/)
    assert.equal(waiting, 10, 'all reads were answered while all writers waited')
  })
  await Promise.allSettled(all)
})

test('writers who wait for a held record get the reason within seconds', async () => {
  await waitAtMost(1)
  await held(async (id) => {
    for (const outcome of await Promise.allSettled(writers(id)))
      assert.match(
        outcome.status === 'rejected' ? String(outcome.reason) : 'somebody holds it',
        /have locked the records|connection became free/,
      )
  })
})

test('a call whose client is gone is ended, and what it waited for is somebody else’s', async () => {
  await waitAtMost(LONG)
  await held(async (id) => {
    let isGone = false
    const deserted = run(0, 'write', { vals: { name: 'Nobody' } }, { ids: [id], gone: () => isGone })
    const end = assert.rejects(deserted, /went away|was stopped/)
    const { pool } = await server.database('shop')
    const blocked = async () => {
      const [row] = await pool.use((connection) =>
        connection.query(
          "SELECT count(*)::int FROM pg_stat_activity WHERE datname = 'shop' AND wait_event_type = 'Lock'",
        ),
      )
      return Number(row?.[0])
    }
    while ((await blocked()) === 0) await sleep(10)
    isGone = true
    await end
    assert.equal(await blocked(), 0, 'nothing waits in PostgreSQL any more')
  })
})

test('a server that takes no writes any more is left, and found again', async () => {
  const { pool } = await server.database('shop')
  const readOnly = (value: string) =>
    pool.use((connection) =>
      connection.simple(`ALTER DATABASE shop SET default_transaction_read_only = ${value}`),
    )
  await readOnly('on')
  pool.shed()
  await assert.rejects(
    run(0, 'create', { vals_list: [{ name: 'Late' }] }),
    (error: Error & { repeats?: boolean }) => {
      assert.match(error.message, /does not accept changes/)
      return error.repeats === true
    },
  )
  assert.equal(await run(0, 'search_count', { domain: [['name', '=', 'Late']] }), '0')
  await pool.use(async (connection) => {
    await connection.simple('SET default_transaction_read_only = off')
    await connection.simple('ALTER DATABASE shop RESET default_transaction_read_only')
  })
  pool.shed()
  assert.match(await run(0, 'create', { vals_list: [{ name: 'Late' }] }), /^\[\d+\]$/)
})
