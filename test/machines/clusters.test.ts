// Databases on two PostgreSQL servers: names are unique over both, a database goes from one to the other
// while it is used, and a server that is down costs its own databases only.
// Begins first: it takes 7 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addCluster, clusterFacts, Databases, removeCluster, useCluster } from '../../src/databases/index.ts'
import { NotFound, ServiceUnavailable, UserError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { type Embedded, startEmbedded } from '../../src/postgres/embedded/index.ts'
import { Connection, translate } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { changes } from '../../src/services/changes/index.ts'
import { sql } from '../../src/sql/index.ts'
import '../support/patience.ts'
import { makeDataDir, makeTemp } from '../support/temp.ts'

const ground = makeDataDir('clusters')
// Not what all tests begin with: two servers of one origin are one.
const further = makeTemp('clusters-further')
const node = makeTemp('clusters-node')
let servers: Embedded[] = []
/** The first moves databases; the second receives its announcements; the third receives none. */
const nodes: Databases[] = []
let key: string

const urlOf = ({ user, password, host, port }: Embedded) => `postgres://${user}:${password}@${host}:${port}/`

before(async () => {
  servers = await Promise.all(
    [ground, further].map(({ path }) =>
      startEmbedded({ dataDir: path, durable: false, log: () => undefined }),
    ),
  )
  for (let i = 0; i < 3; i++)
    nodes.push(
      await Databases.open({
        dataDir: node.path,
        databaseUrl: urlOf(servers[0] as Embedded),
        modules: modules.filter((module) => module.name === 'base'),
        pool: { max: 4 },
      }),
    )
  const [mover, , deaf] = nodes as [Databases, Databases, Databases]
  await mover.create('shop')
  key = await createKey(mover, 'shop', 'admin', { scope: null, name: 'till', days: 1 })
  await deaf.announcements.close()
})
after(async () => {
  for (const node of nodes) await node.close()
  for (const server of servers) await server.stop()
  for (const { remove } of [ground, further, node]) remove()
})

function run(server: Databases, method: string, named: Record<string, unknown>): Promise<string> {
  const request = {
    database: 'shop',
    credential: { kind: 'key', key } as const,
    model: 'res.partner',
    method,
    body: () => ({ context: {}, named }),
    remote: '127.0.0.1',
    requestId: 'test',
  }
  return call(server, request).then(({ json }) => json)
}

/** Waits for a change by another node, which is announced a moment later. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5)
}

const write = (server: Databases, name: string) => run(server, 'create', { vals_list: [{ name }] })

/** All rows of all tables, as a digest by table; the feed's name aside, which is another after a move. */
async function contents(server: Databases): Promise<unknown> {
  const { address } = await server.clusters.of('shop')
  const connection = await Connection.connect({ ...address, database: 'shop' })
  try {
    const tables = await connection.query(
      "SELECT quote_ident(relname) FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace ORDER BY 1",
    )
    const counts: [string, unknown][] = []
    for (const [table] of tables as [string][]) {
      if (/^comptoir_(feed$|node|change)/.test(table)) continue
      const row = /_seq$/.test(table) ? 'last_value' : 't'
      const [digest] = await connection.query(
        `SELECT md5(string_agg(${row}::text, ',' ORDER BY ${row}::text)) FROM ${table} t`,
      )
      counts.push([table, digest?.[0]])
    }
    return counts
  } finally {
    await connection.close()
  }
}

test('a cluster is entered once, under a name of its own, and never as itself', async () => {
  const [mover, other] = nodes as [Databases, Databases]
  const [main, far] = servers.map(urlOf) as [string, string]
  await assert.rejects(addCluster(mover, 'again', main, null), /This server is the cluster main/)
  await assert.rejects(addCluster(mover, 'main', far, null), UserError)
  assert.deepEqual(await addCluster(mover, 'far', far, null), [])
  await assert.rejects(addCluster(mover, 'further', far, null), /This server is the cluster far/)
  await until(async () => (await clusterFacts(other)).length === 2)
  const facts = await clusterFacts(other)
  assert.deepEqual(
    facts.map(({ name, databases, takesNew, down }) => [name, databases, takesNew, down]),
    [
      ['main', 1, true, null],
      ['far', 0, false, null],
    ],
  )
  assert.doesNotMatch(JSON.stringify(facts), /@/)
})

test('a database is moved while it is written to: nothing is lost, nothing done twice, all of it is there', async () => {
  const [mover, other, deaf] = nodes as [Databases, Databases, Databases]
  await mover.move('shop', 'far')
  await mover.move('shop', 'main')
  // At rest first: what comes out is what went in.
  const before = await contents(mover)
  const session = await (await mover.database('shop')).system((env) =>
    env.query(
      sql`INSERT INTO comptoir_idempotency VALUES (2, '\\x00', '\\x00', now(), 'm', 'm', 'kept', TRUE) RETURNING answer`,
    ),
  )
  assert.deepEqual(session, [['kept']])
  const filled = await contents(mover)
  assert.notDeepEqual(filled, before)
  await mover.move('shop', 'far')
  assert.deepEqual(await contents(mover), filled)

  const acknowledged: string[] = []
  const refused: unknown[] = []
  let isOver = false
  const writers = nodes.map(async (server, w) => {
    for (let n = 0; !isOver || n < 3; n++) {
      const name = `writer ${w} ${n}`
      await write(server, name).then(
        () => acknowledged.push(name),
        (error: unknown) => refused.push(error),
      )
    }
  })
  await run(other, 'search_count', { domain: [] })
  await run(deaf, 'search_count', { domain: [] })
  await mover.move('shop', 'main')
  isOver = true
  await Promise.all(writers)
  const rows = await (await other.database('shop')).system((env) =>
    env.query(sql`SELECT name FROM res_partner WHERE name LIKE 'writer %' ORDER BY id`),
  )
  const names = rows.map(([name]) => String(name))
  assert.deepEqual(
    acknowledged.filter((name) => !names.includes(name)),
    [],
  )
  assert.equal(new Set(names).size, names.length)
  // A node without announcements may be cut off during COMMIT, and reports an unknown outcome.
  const unsure = refused.filter((error) => error instanceof ServiceUnavailable && error.outcome === 'unknown')
  for (const error of refused)
    assert.ok(
      error instanceof ServiceUnavailable && (error.repeats || error.outcome === 'unknown'),
      String(error),
    )
  assert.ok(names.length <= acknowledged.length + unsure.length)
  assert.deepEqual(await other.list(), ['shop'])
})

test('a place in the feed of before is answered with its reason, and the feed goes on', async () => {
  const [mover, other] = nodes as [Databases, Databases]
  const owner = { database: 'shop', credential: { kind: 'key', key } as const, remote: '127.0.0.1' }
  const ask = (server: Databases, more: object) =>
    changes(server, {
      ...owner,
      requestId: 'test',
      body: () => ({ models: { 'res.partner': {} }, ...more }),
    } as never)
  const { cursor } = await ask(other, { from: 'now' })
  await mover.move('shop', 'far')
  await assert.rejects(ask(other, { cursor }), /moved/)
})

test('a move that died is completed by the next process that opens the database, on the side that the map names', async () => {
  const [mover, other] = nodes as [Databases, Databases]
  const { clusters } = mover
  const { register } = clusters
  const far = await clusters.named('far')
  const [mainClient, farClient] = [clusters.main.maker.admin, far.maker.admin]
  // Closed already, and the copy has its name: the map was not changed any more.
  await mainClient.createDatabase('shop')
  await register.place('shop', 'far', 'main')
  await farClient.closeDatabase('shop', 0)
  for (const server of [mover, other]) await server.forget('shop')
  assert.ok(Number(await run(other, 'search_count', { domain: [] })) > 0)
  assert.equal(await mainClient.databaseExists('shop'), false)
  // The map was changed, and the old one is still there.
  await mainClient.createDatabase('shop')
  await mainClient.closeDatabase('shop', 0)
  await register.place('shop', 'far', 'main')
  assert.deepEqual(await other.list(), ['shop'])
  await mover.move('shop', 'main')
  assert.equal(await farClient.databaseExists('shop'), false)
  assert.ok(Number(await run(other, 'search_count', { domain: [] })) > 0)
})

test('a move that fails leaves the database in service, and nothing of the copy', async () => {
  const [mover, other] = nodes as [Databases, Databases]
  const far = await mover.clusters.named('far')
  const inShop = async (text: string) =>
    (await other.database('shop')).pool.use((connection) => connection.simple(text))
  await inShop('CREATE SCHEMA aside; CREATE TABLE aside.things (id integer)')
  await assert.rejects(mover.move('shop', 'far'), /aside\.things/)
  await inShop('DROP SCHEMA aside CASCADE')
  assert.deepEqual(await far.maker.admin.listDatabases(() => true), ['postgres'])
  await write(other, 'after a failed move')
})

test('names are unique over clusters, and databases of another cluster are managed as those of the main one', async () => {
  const [mover, other] = nodes as [Databases, Databases]
  await mover.move('shop', 'far')
  await assert.rejects(other.create('shop'), /exists already/)
  await mover.rename('shop', 'store')
  await until(async () => (await other.list()).join() === 'store')
  await mover.duplicate('store', 'shop')
  await until(async () => (await other.list()).join() === 'shop,store')
  const facts = await other.facts(['shop', 'store'])
  for (const { bytes } of facts) assert.ok(Number(bytes) > 0)
  await assert.rejects(removeCluster(mover, 'far'), UserError)
  assert.equal(await other.drop('store'), true)
  await assert.rejects(other.database('store'), NotFound)
  assert.deepEqual(await mover.list(), ['shop'])
  await useCluster(mover, 'far')
  await until(async () => (await other.clusters.forNew()).name === 'far')
  await useCluster(mover, 'main')
})

test('a cluster that is down costs its own databases only, and lists are whole', async () => {
  const [mover, other] = nodes as [Databases, Databases]
  await mover.create('near')
  await servers[1]?.stop()
  const isAway = (error: unknown) => translate(error) instanceof ServiceUnavailable
  await assert.rejects(run(other, 'search_count', { domain: [] }), isAway)
  await other.forget('shop')
  await assert.rejects(other.database('shop'), isAway)
  assert.deepEqual(await other.list(), ['near', 'shop'])
  assert.equal(await (await other.database('near')).system(async (env) => env.uid), 1)
  assert.deepEqual(
    (await other.facts(['near', 'shop'])).map(({ bytes }) => bytes === null),
    [false, true],
  )
  const down = (await clusterFacts(other)).map(({ name, down }) => [name, down === null])
  assert.deepEqual(down, [
    ['main', true],
    ['far', false],
  ])
})
