// Two PostgreSQL servers, one a replica of the other. Read-only calls may go to the replica: they see
// the caller's writes and current rights, and a replica that lags or dies costs no call its answer.
// When the primary server dies and the replica takes over, nodes find it by themselves, and no
// acknowledged write is lost.
// Begins first: it takes 20 s.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { ServiceUnavailable } from '../../src/errors.ts'
import { modules, type Server } from '../../src/main.ts'
import { Connection, forMaintenance } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { replica } from '../../src/services/doctor/replica.ts'
import { listKeys, restrictKey, revokeKeys } from '../../src/services/keys.ts'
import { installedServer } from '../external/server.ts'
import { startPgBouncer, withoutPgBouncer } from '../support/pgbouncer.ts'
import { openRelay } from '../support/relay.ts'
import { makeTemp } from '../support/temp.ts'
import { failOvers, openPlace, type Place } from './failover.ts'

const folder = installedServer()
const skip = folder ? false : 'this machine has no PostgreSQL of its own (Debian: apt-get install postgresql)'

describe('two servers', { skip }, () => {
  let place: Place
  const temp = makeTemp('failover-pooled')
  before(async () => {
    place = await openPlace(folder as string)
  })
  after(async () => {
    await place?.close()
    temp.remove()
  })

  const newKey = () =>
    createKey((place.nodes[0] as Server).databases, 'shop', 'admin', { scope: null, name: 'one', days: 1 })

  interface Asked {
    readonly key?: string
    readonly position?: string | null
    readonly prefer?: string
  }

  async function ask(
    method: string,
    body: object,
    { key = place.key, position, prefer = 'replica' }: Asked = {},
  ) {
    const answer = await fetch(`${place.nodes[0]?.url}/json/2/res.partner/${method}`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'content-type': 'application/json',
        prefer,
        ...(position ? { 'comptoir-position': position } : {}),
      },
      body: JSON.stringify(body),
    })
    return {
      status: answer.status,
      body: (await answer.json()) as { readonly length?: number },
      isFar: answer.headers.get('preference-applied')?.includes('replica') === true,
      position: answer.headers.get('comptoir-position'),
    }
  }

  const named = (name: string) => ({ domain: [['name', '=', name]], fields: ['name'] })

  /** Repeats the call until the replica answers it: a slow replica is skipped. */
  async function far(body: object, request: Asked = {}) {
    for (;;) {
      const answer = await ask('search_read', body, request)
      if (answer.isFar || answer.status !== 200) return answer
    }
  }

  /** Runs `work` while the replica does not follow. */
  async function behind(work: () => Promise<void>): Promise<void> {
    await place.pair.onStandby('SELECT pg_wal_replay_pause()')
    try {
      await work()
    } finally {
      await place.pair.onStandby('SELECT pg_wal_replay_resume()')
    }
  }

  test('the replica reads for who asks, and shows what the caller wrote before', async () => {
    const creation = await ask('create', { vals_list: [{ name: 'One' }] })
    assert.deepEqual([creation.status, creation.isFar], [200, false])
    const read = await far(named('One'), creation)
    assert.equal(read.body.length, 1)
    assert.match(String(read.position), /^\d+-[\dA-F]+\/[\dA-F]+$/)
  })

  test('one that is behind is not used for who wrote meanwhile, with a position or without', async () => {
    const before = await far(named('Two'))
    await behind(async () => {
      const creation = await ask('create', { vals_list: [{ name: 'Two' }] })
      for (const position of [creation.position, null]) {
        const read = await ask('search_read', named('Two'), { position })
        assert.deepEqual([read.isFar, read.body.length], [false, 1])
      }
      const earlier = await far(named('Two'), before)
      assert.equal(earlier.body.length, 0, 'who shows an earlier position asks for no more')
    })
  })

  test('the doctor says that one is halted, or receives nothing', async () => {
    const { databases } = place.nodes[0] as Server
    const look = async () => {
      const primary = await Connection.connect(forMaintenance(databases.address))
      const [finding] = await replica(databases, primary).finally(() => primary.destroy())
      return finding
    }
    const well = await look()
    assert.deepEqual([well?.verdict, well?.found.replace(/\d+/, 'n')], ['good', 'it followed within n ms'])
    await behind(async () => {
      await ask('create', { vals_list: [{ name: 'Halted' }] })
      const halted = await look()
      assert.equal(halted?.verdict, 'wrong')
      assert.match(String(halted?.found), /did not get them within 2 s: its replay is paused$/)
      assert.match(String(halted?.change), /pg_wal_replay_resume/)
    })
  })

  test('a key may say that all its reads may go there', async () => {
    const { databases } = place.nodes[0] as Server
    const key = await newKey()
    const [id] = (await listKeys(databases, 'shop', 'admin')).map((key) => key.id).sort((a, b) => b - a)
    const plain = () => ask('search_read', named('One'), { key, prefer: 'etag' })
    assert.equal((await plain()).isFar, false)
    await restrictKey(databases, 'shop', id as number, { replica: true })
    while (!(await plain()).isFar);
  })

  test('one that is behind opens nothing that was closed meanwhile', async () => {
    const { databases } = place.nodes[0] as Server
    const keys = [await newKey(), await newKey()]
    const { position } = await far(named('Three'), { key: keys[0] as string })
    await far(named('Three'), { key: keys[1] as string, position })
    const [narrowed, revoked] = (await listKeys(databases, 'shop', 'admin'))
      .map(({ id }) => id)
      .sort((a, b) => b - a)
    await behind(async () => {
      await revokeKeys(databases, 'shop', { ids: [revoked as number] })
      await restrictKey(databases, 'shop', narrowed as number, { scope: 'rpc model:res.country:r' })
      const statuses: number[] = []
      for (const key of [...keys, await newKey()])
        statuses.push((await ask('search_read', named('Three'), { key, position })).status)
      assert.deepEqual(statuses, [401, 403, 200])
    })
  })

  test('one that dies amid calls costs no answer, and is asked again once it is back', async () => {
    let { position } = await far(named('One'))
    const failures: unknown[] = []
    let isOver = false
    const reader = async () => {
      while (!isOver) {
        const { status, body } = await ask('search_read', named('One'), { position })
        if (status !== 200 || body.length !== 1) failures.push([status, body])
      }
    }
    const readers = Array.from({ length: 4 }, reader)
    await place.pair.killStandby()
    for (let n = 0; n < 20; n++) ({ position } = await ask('create', { vals_list: [{ name: `After ${n}` }] }))
    await place.pair.restartStandby()
    await far(named('One'), { position })
    isOver = true
    await Promise.all(readers)
    assert.deepEqual(failures, [])
  })

  test('behind a pooler no read is answered by a server that follows another one since', {
    skip: withoutPgBouncer,
  }, async () => {
    const [primary, standby] = [place.pair.primaryUrl, place.pair.standbyUrl].map((url) => new URL(url))
    const passed = (client: Socket, upstream: Socket) => void client.pipe(upstream).pipe(client)
    let relay = await openRelay(Number(primary?.port), passed)
    const behindRelay = { host: '127.0.0.1', port: relay.port, user: 'shop', password: '' }
    const settings = { ignore_startup_parameters: 'options' }
    const pooler = await startPgBouncer(behindRelay, { mode: 'transaction', settings })
    const node = await Databases.open({
      databaseUrl: `${pooler.url}?target_session_attrs=read-write`,
      pooler: 'transaction',
      directUrl: place.pair.url,
      dataDir: temp.path,
      modules,
      pool: { max: 2 },
    })
    const count = () => {
      const credential = { kind: 'key', key: place.key } as const
      const callOfReplica = { database: 'shop', credential, remote: '127.0.0.1', requestId: 'test' }
      const body = () => ({ context: {}, named: { domain: [] } })
      return call(node, { ...callOfReplica, model: 'res.partner', method: 'search_count', body })
    }
    try {
      assert.ok(Number((await count()).json) > 0)
      await relay.close()
      relay = await openRelay(Number(standby?.port), passed, relay.port)
      await assert.rejects(count(), ServiceUnavailable)
      await relay.close()
      relay = await openRelay(Number(primary?.port), passed, relay.port)
      assert.ok(Number((await count()).json) > 0, 'it is asked again once it takes writes')
    } finally {
      await node.close()
      await Promise.all([pooler.stop(), relay.close()])
    }
  })

  test('after a failover all acknowledged writes are there, those that were said to be undone are not, every refusal says which, and a right that was taken opened nothing', async () => {
    const report = await failOvers(place, 1, 8)
    assert.ok(report.acknowledged > 100)
    const { lost, undoneButThere, rights } = report
    assert.deepEqual(
      [lost, undoneButThere, rights.stale, rights.missing],
      [0, 0, 0, 0],
      JSON.stringify(report),
    )
    for (const kind of Object.keys(report.failures)) assert.match(kind, /^503 (undone|unknown) /)
  })
})
