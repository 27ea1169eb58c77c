// PgBouncer between nodes and PostgreSQL, in both modes: many sessions on few connections, no session
// runs a statement of another, and invalid settings are rejected at the start.
import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { limits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import { type Embedded, startEmbedded } from '../../src/postgres/embedded/index.ts'
import { Connection, sqlState } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { batch } from '../../src/services/batch/index.ts'
import { call } from '../../src/services/call.ts'
import { startPgBouncer, withoutPgBouncer } from '../support/pgbouncer.ts'
import { measured } from '../support/statements.ts'
import { makeDataDir } from '../support/temp.ts'

const skip = withoutPgBouncer
const base = modules.filter((module) => module.name === 'base')
const IGNORING = { ignore_startup_parameters: 'options' }
let server: Embedded
let direct: string
const temp = makeDataDir('pooler')

before(async () => {
  if (skip) return
  server = await startEmbedded({ dataDir: temp.path, durable: false, log: () => undefined })
  direct = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/`
})
after(async () => {
  await server?.stop()
  temp.remove()
})

interface Node {
  readonly url: string
  readonly pooler?: 'session' | 'transaction'
  readonly directUrl?: string
}

const open = ({ url, pooler, directUrl }: Node) =>
  Databases.open({
    dataDir: temp.path,
    databaseUrl: url,
    pooler,
    directUrl,
    modules: base,
    pool: { max: 6 },
  })

/** Calls of every kind at once on two nodes, whose statements differ in their order and number. */
async function crowd(nodes: readonly Databases[], name: string, who = 'Partner'): Promise<void> {
  const key = await createKey(nodes[0] as Databases, name, 'admin', { scope: null, name: 'till', days: 1 })
  const run = async (
    node: Databases,
    model: string,
    method: string,
    named: Record<string, unknown>,
    ids?: number[],
  ) => {
    const credential = { kind: 'key', key } as const
    const body = () => ({ ids, context: {}, named })
    const { json } = await call(node, {
      database: name,
      credential,
      model,
      method,
      body,
      remote: '127.0.0.1',
      requestId: 'test',
    })
    return JSON.parse(json)
  }
  const workOf = async (i: number) => {
    const node = nodes[i % nodes.length] as Databases
    const [id] = await run(node, 'res.partner', 'create', {
      vals_list: [{ name: `${who} ${i}`, comment: null }],
    })
    if (i % 3 === 0) await run(node, 'res.partner', 'write', { vals: { city: `City ${i}` } }, [id])
    const [row] = await run(
      node,
      'res.partner',
      'read',
      { fields: i % 2 ? ['name', 'city'] : ['city', 'name', 'create_date'] },
      [id],
    )
    assert.equal(row.name, `${who} ${i}`)
    assert.equal(row.city, i % 3 === 0 ? `City ${i}` : false)
    if (i % 2 === 0) assert.match(row.create_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.equal(
      await run(node, 'res.partner', 'search_count', { domain: [['name', '=', `${who} ${i}`]] }),
      1,
    )
  }
  for (let round = 0; round < 4; round++)
    await Promise.all(Array.from({ length: 15 }, (_, i) => workOf(round * 15 + i)))
  assert.equal(
    await run(nodes[0] as Databases, 'res.partner', 'search_count', {
      domain: [['name', '=like', `${who} %`]],
    }),
    60,
  )
}

/** Operations on a whole database bypass the pooler, whose connections to it must not be in the way. */
async function asWhole(first: Databases, other: Databases, name: string): Promise<void> {
  const file = join(temp.path, 'shop.zip')
  await pipeline(await first.backup(name, 'zip', '19.0'), createWriteStream(file))
  await first.restore('again', file)
  await crowd([first, other], 'again', 'Client')
  await other.rename('again', 'renamed')
  await crowd([first, other], 'renamed', 'Friend')
  assert.ok(await first.drop('renamed'))
}

for (const mode of ['session', 'transaction'] as const)
  test(`two nodes over PgBouncer lend each other connections, mode ${mode}`, { skip }, async () => {
    const pooler = await startPgBouncer(server, {
      mode,
      size: mode === 'session' ? 20 : 3,
      settings: IGNORING,
    })
    const way = { url: pooler.url, pooler: mode, ...(mode === 'transaction' ? { directUrl: direct } : {}) }
    const nodes = [await open(way), await open(way)]
    const [first, other] = nodes as [Databases, Databases]
    try {
      await first.create(`shop-${mode}`, { modules: ['base'] })
      await crowd(nodes, `shop-${mode}`)
      const settings =
        "SELECT current_setting('TimeZone'), current_setting('jit'), current_setting('statement_timeout')"
      const said = await (await first.database(`shop-${mode}`)).pool.use((connection) =>
        connection.query(settings),
      )
      assert.deepEqual(said, [['UTC', 'off', `${limits['statement-seconds']}s`]])
      if (mode === 'transaction') await asWhole(first, other, `shop-${mode}`)
      assert.deepEqual(
        (await other.list()).filter((name) => name.endsWith(mode)),
        [`shop-${mode}`],
      )
      assert.equal((await first.pulse()).writable, true)
    } finally {
      await Promise.all(nodes.map((node) => node.close()))
      await pooler.stop()
    }
  })

test('pooler: a server is judged by what it is now, and not by what it was when the pooler first reached it', {
  skip,
}, async () => {
  const database = 'standing'
  const owner = await Connection.connect({ ...server, database: 'postgres' })
  await owner.simple('CREATE DATABASE standing')
  await owner.simple('ALTER DATABASE standing SET default_transaction_read_only = on')
  const pooler = await startPgBouncer(server, { mode: 'transaction', settings: IGNORING })
  const url = `postgres://${server.user}:${server.password}@127.0.0.1:1,127.0.0.1:${pooler.port}/${database}`
  try {
    await assert.rejects(Connection.connect({ url, pooler: 'transaction' }), /not read-write/)
    await owner.simple(`ALTER DATABASE standing RESET default_transaction_read_only;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'standing'`)
    const connect = () => Connection.connect({ url, pooler: 'transaction' })
    // The pooler may lend a terminated connection once more before it notices.
    const connection = await connect().catch((error: unknown) => {
      assert.equal(sqlState(error), '57P01')
      return connect()
    })
    assert.deepEqual(await connection.query('SELECT 1'), [[1]])
    await connection.close()
  } finally {
    await pooler.stop()
    await owner.close()
  }
})

/** Contacts by two nodes, in calls and batches with keys, each sent several times at once. */
async function keyedCrowd(nodes: readonly Databases[], name: string): Promise<void> {
  const key = await createKey(nodes[0] as Databases, name, 'admin', { scope: null, name: 'once', days: 1 })
  const request = (repeated: string) => ({
    database: name,
    credential: { kind: 'key', key } as const,
    remote: '127.0.0.1',
    requestId: 'test',
    asks: { key: repeated, onlyKey: true, tell: () => undefined } as never,
  })
  const create = async (node: Databases, who: string) => {
    const body = () => ({ context: {}, named: { vals_list: [{ name: who }] } })
    const { json } = await call(node, { ...request(who), model: 'res.partner', method: 'create', body })
    return JSON.parse(json) as number[]
  }
  const createAll = async (node: Databases, who: string) => {
    const calls = ['a', 'b', 'c'].map((name) => ({
      model: 'res.partner',
      method: 'create',
      body: { vals_list: [{ name: `${who} ${name}` }] },
    }))
    const { results } = await batch(node, { ...request(who), tell: () => undefined, body: () => ({ calls }) })
    return results.flatMap(({ json }) => JSON.parse(json as string) as number[])
  }
  const [first] = nodes as [Databases]
  for (let n = 0; n < 5; n++) await Promise.all(nodes.map((node, i) => create(node, `Known ${n} ${i}`)))
  for (const [n, work] of [create, createAll].entries()) {
    const { trips } = await measured(() => work(first, `Alone ${n}`))
    assert.equal(trips, 1, 'all leaves in one flush')
  }
  // A call with the same key may still be running; then the other is rejected.
  const often = async (work: (node: Databases) => Promise<number[]>) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => work(nodes[n % 2] as Databases)),
    )
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        assert.equal(outcome.reason.code, 'idempotency_in_progress', `${outcome.reason}`)
    const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    return [...ids, await work(nodes[0] as Databases), await work(nodes[1] as Databases)]
  }
  const each = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const who = `Once ${n}`
      return { who, changes: await often((node) => (n % 3 ? create(node, who) : createAll(node, who))) }
    }),
  )
  const { pool } = await first.database(name)
  for (const { who, changes } of each) {
    const rowsOfRecord = await pool.use((connection) =>
      connection.query(
        `SELECT p.id, (SELECT array_agg(f.op) FROM comptoir_change f WHERE f.model = 'res.partner' AND p.id = ANY(f.ids))::text
          FROM res_partner p WHERE p.name ~ ('^' || $1 || '( .)?$') ORDER BY p.id`,
        [who],
      ),
    )
    for (const ids of changes)
      assert.deepEqual(
        ids.map((id) => [id, '{c}']),
        rowsOfRecord,
        who,
      )
  }
}

test('what leaves in one flush happens once behind a pooler, with keys and in batches', {
  skip,
}, async () => {
  const pooler = await startPgBouncer(server, { mode: 'transaction', size: 3, settings: IGNORING })
  const way = { url: pooler.url, pooler: 'transaction', directUrl: direct } as const
  const nodes = [await open(way), await open(way)]
  try {
    await nodes[0]?.create('once', { modules: ['base'] })
    await keyedCrowd(nodes, 'once')
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
    await pooler.stop()
  }
})

test('what does not fit is refused at the start, with what to change', { skip }, async () => {
  const plain = await startPgBouncer(server, { mode: 'transaction' })
  const ignoring = await startPgBouncer(server, { mode: 'transaction', settings: IGNORING })
  const refused = (node: Node, words: RegExp) => assert.rejects(open(node), words)
  try {
    await refused(
      { url: plain.url },
      /is a pooler that refuses the session: .*options.* Set --pooler session or --pooler transaction/,
    )
    await refused({ url: ignoring.url }, /is a pooler that drops session settings. Set --pooler/)
    await refused({ url: plain.url, pooler: 'transaction' }, /--pooler transaction requires --direct-url/)
    await refused({ url: plain.url, pooler: 'session', directUrl: direct }, /pools by transaction/)
    await refused(
      { url: plain.url, pooler: 'transaction', directUrl: ignoring.url },
      /--direct-url is a pooler/,
    )
    await refused({ url: direct, directUrl: direct }, /--direct-url requires --pooler/)
  } finally {
    await plain.stop()
    await ignoring.stop()
  }
})
