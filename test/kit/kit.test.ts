// The test kit as authors of modules use it: options, results, rollback, clock, and clean-up.
// Begins first: it takes 18 s.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildId } from '../../src/databases/index.ts'
import { UserError } from '../../src/errors.ts'
import saleModule from '../../src/modules/sale/index.ts'
import { Connection } from '../../src/postgres/index.ts'
import { sql } from '../../src/sql/index.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../src/testing.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { root } from '../support/serve.ts'
import { fillDataDir, makeTemp } from '../support/temp.ts'

const temp = makeTemp('kit')
const cache = join(temp.path, 'cache')
/** The folder that this build's data directory has. */
const build = buildId().slice(0, 12)
const outer = process.env.COMPTOIR_TEST_CACHE
before(() => {
  process.env.COMPTOIR_TEST_CACHE = cache
  fillDataDir(join(cache, build))
})
after(() => {
  if (outer === undefined) delete process.env.COMPTOIR_TEST_CACHE
  else process.env.COMPTOIR_TEST_CACHE = outer
  temp.remove()
})

/** Runs `work` with a server of these options. */
async function using<T>(
  options: Parameters<typeof startTestServer>[0],
  work: (server: TestServer) => Promise<T>,
): Promise<T> {
  await using server = await startTestServer(options)
  return await work(server)
}

const installed = async ({ client }: TestServer) =>
  (
    await client
      .model('ir.module.module')
      .searchRead({ domain: [['state', '=', 'installed']], fields: ['name'], order: 'name' })
  ).map(({ name }) => name)

/** Names of the databases that the shared PostgreSQL has; it runs as long as a server of ours does. */
async function databasesOf({ databases }: TestServer): Promise<string[]> {
  const connection = await Connection.connect({ ...databases.address, database: 'postgres' })
  const rows = await connection.query('SELECT datname::text FROM pg_database ORDER BY 1')
  await connection.close()
  return rows.map(([name]) => String(name))
}

test('test kit: has base, a ready client and a login by default', async () => {
  await using(undefined, async (server) => {
    assert.deepEqual(await installed(server), ['base'])
    const answer = await fetch(`${server.url}/json/2/res.users/search_count`, {
      method: 'POST',
      headers: {
        Authorization: `bearer ${server.key}`,
        'Content-Type': 'application/json',
        'X-Service-Database': server.database,
      },
      body: '{"domain": [["login", "=", "admin"]]}',
    })
    assert.deepEqual([answer.status, await answer.json()], [200, 1])
    const id = await server.run(async (env) =>
      (await env.model('res.partner').create([{ name: 'Ann' }])).ensureOne(),
    )
    assert.deepEqual(await server.client.model('res.partner').read([id], { fields: ['name'] }), [
      { id, name: 'Ann' },
    ])
    await assert.rejects(
      server.run(async (env) => {
        await env.model('res.partner').create([{ name: 'Bob' }])
        throw new Error('over')
      }),
      /over/,
    )
    assert.equal(await server.client.model('res.partner').searchCount({ domain: [['name', '=', 'Bob']] }), 0)
  })
})

test('test kit: modules are names, objects, or a list of both', async () => {
  assert.equal(saleModule.name, 'sale')
  const closure = ['account', 'base', 'mail', 'product', 'sale', 'sales_team', 'uom']
  await using([saleModule], async (server) => assert.deepEqual(await installed(server), closure))
  await using(['sale'], async (server) => assert.deepEqual(await installed(server), closure))
  await using({ modules: ['uom', works] }, async (server) =>
    assert.deepEqual(await installed(server), ['base', 'uom', 'works']),
  )
  await assert.rejects(
    startTestServer({ modules: ['sails'] }),
    (error) => error instanceof UserError && /sails.*sale_management/.test(error.message),
  )
})

const MORNING = '2026-03-01T09:00:00Z'
const shop = { modules: ['sale_management'], demo: true, clock: MORNING } satisfies TestServerOptions

test('test kit: the clock sets records, days, SQL, expirations and demo data', async () => {
  await using(shop, async (server) => {
    const { client } = server
    const orders = await client
      .model('sale.order')
      .searchRead({ fields: ['date_order', 'create_date'], order: 'date_order desc', limit: 1 })
    assert.deepEqual(
      orders.map(({ date_order, create_date }) => [date_order, create_date]),
      [['2026-03-01 09:00:00', '2026-03-01 09:00:00']],
    )
    const [partner = 0] = await client.model('res.partner').search({ limit: 1 })
    await client.model('res.company').write([1], { quotation_validity_days: 10 })
    const order = await client.model('sale.order').create({ partner_id: partner })
    const look = async () =>
      (
        await client.model('sale.order').read([order], {
          fields: ['date_order', 'create_date', 'write_date', 'validity_date', 'is_expired'],
        })
      )[0]
    assert.deepEqual(await look(), {
      id: order,
      date_order: '2026-03-01 09:00:00',
      create_date: '2026-03-01 09:00:00',
      write_date: '2026-03-01 09:00:00',
      validity_date: '2026-03-11',
      is_expired: false,
    })
    const moments = () =>
      server.run((env) =>
        env.query(sql`SELECT now()::text, clock_timestamp()::text, ${env.now().toISOString()}`),
      )
    assert.deepEqual(await moments(), [
      ['2026-03-01 09:00:00+00', '2026-03-01 09:00:00+00', '2026-03-01T09:00:00.000Z'],
    ])
    const key = String(
      await client
        .model('res.users.apikeys')
        .call('generate', { key: server.key, scope: null, name: 'short', expiration_date: '2026-03-02' }),
    )
    const send = () =>
      fetch(`${server.url}/json/2/res.users/context_get`, {
        method: 'POST',
        headers: { Authorization: `bearer ${key}`, 'X-Service-Database': server.database },
      })
    assert.equal((await send()).status, 200)

    await server.setClock('2026-03-12T00:30:00+01:00')
    assert.deepEqual(await moments(), [
      ['2026-03-11 23:30:00+00', '2026-03-11 23:30:00+00', '2026-03-11T23:30:00.000Z'],
    ])
    assert.equal((await send()).status, 401)
    await client.model('sale.order').write([order], { client_order_ref: 'late' })
    assert.deepEqual([(await look())?.write_date, (await look())?.is_expired], ['2026-03-11 23:30:00', false])
    assert.equal(
      await client.model('sale.order').searchCount({ domain: [['write_date', '>', 'now -1d']] }),
      1,
    )
    await server.setClock(new Date('2026-03-12T12:00:00Z'))
    assert.equal((await look())?.is_expired, true)

    await server.reset()
    assert.deepEqual((await moments())[0]?.[0], '2026-03-01 09:00:00+00')
  })
})

test('test kit: the clock needs a moment with its zone, and a server that has one', async () => {
  for (const clock of ['2026-03-01', '2026-03-01T09:00:00', 'noon', new Date(Number.NaN)])
    await assert.rejects(
      startTestServer({ clock }),
      (error) => error instanceof UserError && /is not a time/.test(error.message),
    )
  await using({}, (server) => assert.rejects(server.setClock(MORNING), /started without a clock/))
})

test('test kit: reset restores records, numbers, models, files and modules', async () => {
  await using(shop, async (server) => {
    const { client } = server
    const counted = async () => [
      await client.model('sale.order').searchCount(),
      await client.model('ir.model').searchCount(),
      await client.model('ir.attachment').searchCount(),
    ]
    const first = await counted()
    const make = async () => {
      const [partner = 0] = await client.model('res.partner').search({ limit: 1 })
      const id = await client.model('sale.order').create({ partner_id: partner })
      const [order] = await client.model('sale.order').read([id], { fields: ['name'] })
      await client
        .model('ir.attachment')
        .create({ name: 'a.txt', raw: Buffer.from('contents').toString('base64') })
      return [id, order?.name]
    }
    const boat = await make()
    await client.model('ir.model').create({ name: 'Boat', model: 'x_boat' })
    await client.model('sale.order').unlink([1])
    assert.notDeepEqual(await counted(), first)
    // Twice: the second copy was made while the first was in use.
    for (const _ of [1, 2]) {
      await server.reset()
      assert.deepEqual(await counted(), first)
      assert.deepEqual(await make(), boat)
      await assert.rejects(client.untyped('x_boat').searchCount(), /The model 'x_boat' does not exist/)
    }
    await server.reset()
    assert.deepEqual(existsSync(join(server.databases.options.dataDir, 'filestore', server.database)), false)
  })
})

test('test kit: two servers of one process do not see each other', async () => {
  await using({}, async (first) => {
    await using({}, async (other) => {
      await first.client.model('res.partner').create({ name: 'Ann' })
      assert.equal(await other.client.model('res.partner').searchCount({ domain: [['name', '=', 'Ann']] }), 0)
      await first.databases.create(`${first.database}_second`)
    })
    assert.ok((await databasesOf(first)).includes(`${first.database}_second`))
  })
  await using({}, async (server) =>
    assert.deepEqual(
      (await databasesOf(server)).filter((name) => name.startsWith('test_')),
      [server.database],
    ),
  )
})

/** A test process of somebody: starts a server, says so, then waits for a line or for its end. */
function stranger(options: TestServerOptions, folder = cache): ChildProcess {
  const program = `
    import { startTestServer } from ${JSON.stringify(join(root, 'src/testing.ts'))}
    const server = await startTestServer(${JSON.stringify(options)})
    console.log(server.database, await server.client.untyped('res.partner').searchCount())
    process.stdin.once('data', () => server.close().then(() => process.stdin.destroy()))`
  return run(program, folder)
}

/** A program in a process of its own, with its cache in the folder. */
function run(program: string, folder: string): ChildProcess {
  return spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
    {
      cwd: temp.path,
      env: { ...process.env, COMPTOIR_TEST_CACHE: folder, NODE_TEST_CONTEXT: '' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
}

async function said(child: ChildProcess): Promise<string> {
  const [line] = (await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data'),
    once(child, 'exit'),
  ])) as [Buffer | number]
  assert.ok(Buffer.isBuffer(line), `it ended with ${String(line)}`)
  return String(line).split(' ')[0] as string
}

test('test kit: processes share one PostgreSQL and one template, and the last one stops it', async () => {
  const folder = join(temp.path, 'shared')
  fillDataDir(join(folder, build))
  const children = [1, 2, 3].map(() => stranger({}, folder))
  const names = await Promise.all(children.map(said))
  assert.equal(new Set(names).size, 3)
  const dataDir = join(folder, build)
  assert.equal(readdirSync(join(dataDir, 'templates')).length, 1)
  const events = readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => /"event":"database\.create"/.test(line))
  assert.equal(events.length, 1, 'one made what the others waited for')
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.stdin?.write('\n')
  assert.deepEqual(
    (await Promise.all(ended)).map(([code]) => code),
    [0, 0, 0],
  )
  assert.equal(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), false)
})

test('test kit: a killed process leaves nothing for long; an interrupted one leaves nothing', async () => {
  await using({}, async (server) => {
    const killed = stranger({})
    const left = await said(killed)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    assert.ok((await databasesOf(server)).includes(left))

    const interrupted = stranger({})
    const gone = await said(interrupted)
    assert.ok(!(await databasesOf(server)).includes(left), 'swept by the next')
    interrupted.kill('SIGINT')
    assert.deepEqual(await once(interrupted, 'exit'), [null, 'SIGINT'])
    assert.ok(!(await databasesOf(server)).includes(gone))
  })
})

test('test kit: PostgreSQL starts once per process, and stops with it, also after process.exit', async () => {
  const folder = join(temp.path, 'kept')
  fillDataDir(join(folder, build))
  const pidFile = join(folder, build, 'postgres', 'postmaster.pid')
  const program = `
    import { readFileSync } from 'node:fs'
    import { startTestServer } from ${JSON.stringify(join(root, 'src/testing.ts'))}
    const pids = []
    for (const _ of [1, 2]) {
      const server = await startTestServer()
      pids.push(readFileSync(${JSON.stringify(pidFile)}, 'utf8').split('\\n')[0])
      await server.close()
    }
    console.log(new Set(pids).size)`
  for (const end of ['', 'process.exit()']) {
    const child = run(`${program}\n${end}`, folder)
    assert.equal(await said(child), '1\n')
    if (child.exitCode === null) await once(child, 'exit')
    const stopped = () => !existsSync(pidFile)
    // A process that calls process.exit does not wait for it.
    if (end) for (let tries = 0; !stopped() && tries < 60_000; tries++) await sleep(20)
    assert.ok(stopped(), `it runs on after ${end || 'the last line'}`)
  }
})

test('test kit: database files that were not shut down are created anew', async () => {
  const folder = join(temp.path, 'unclean')
  fillDataDir(join(folder, build))
  const child = stranger({}, folder)
  await said(child)
  const files = join(folder, build, 'postgres')
  const pid = Number(readFileSync(join(files, 'postmaster.pid'), 'utf8').split('\n')[0])
  child.kill('SIGKILL')
  await once(child, 'exit')
  process.kill(pid, 'SIGKILL')
  while (existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '')
    await sleep(10)
  writeFileSync(join(files, 'mark'), '')
  const next = stranger({}, folder)
  await said(next)
  assert.equal(existsSync(join(files, 'mark')), false)
  next.stdin?.write('\n')
  await once(next, 'exit')
})

test('test kit: templates and builds unused for long are removed', async () => {
  const old = (days: number) => new Date(Date.now() - days * 86_400_000)
  const templates = join(cache, build, 'templates')
  for (let i = 1; i <= 12; i++) {
    writeFileSync(join(templates, `_comptoir_old_${i}`), '')
    utimesSync(join(templates, `_comptoir_old_${i}`), old(i), old(i))
  }
  for (const [i, name] of ['a'.repeat(12), 'b'.repeat(12), 'c'.repeat(12)].entries()) {
    mkdirSync(join(cache, name))
    writeFileSync(join(cache, name, 'used'), '')
    utimesSync(join(cache, name, 'used'), old(i + 1), old(i + 1))
  }
  await using({ clock: '2030-01-01T00:00:00Z' }, async () => {
    assert.equal(readdirSync(templates).length, 8)
    assert.equal(existsSync(join(templates, '_comptoir_old_12')), false)
    assert.deepEqual(readdirSync(cache).sort(), [build, 'a'.repeat(12), 'b'.repeat(12)].sort())
  })
})
