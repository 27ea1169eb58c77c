// Jobs that somebody cancels: while they wait and while they run, by whom it may be, and what is left.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../src/client/index.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, revokeKeys } from '../../src/services/keys.ts'
import { createUser } from '../../src/services/people.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { makeTemp } from '../support/temp.ts'

let nodes: Nodes
let [ownKey, others, narrow] = ['', '', '']
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
  const password = 'a long one'
  for (const login of ['own', 'others'])
    await createUser(nodes.databases, 'test', { login, name: login, password, roles: ['user'] })
  const key = (login: string, scope: string) =>
    createKey(nodes.databases, 'test', login, { scope, name: scope, days: 1 })
  await nodes.run(({ unit }) =>
    unit.query(sql`INSERT INTO res_groups_users_rel (gid, uid) SELECT d.res_id, u.id FROM ir_model_data d, res_users u
      WHERE d.module = 'base' AND d.name = 'group_partner_manager' AND u.login = 'own'`),
  )
  ;[ownKey, others, narrow] = [
    await key('own', 'rpc'),
    await key('others', 'rpc'),
    await key('own', 'rpc batch'),
  ]
})
after(() => nodes?.close())

interface Job {
  readonly id: string
  readonly state: string
  readonly status: number | null
  readonly finished: string | null
  readonly result?: unknown
}

const ask = async (verb: string, path: string, key: string, body?: object, headers: object = {}) => {
  const response = await fetch(`${nodes.servers[0]?.url}${path}`, {
    method: verb,
    headers: {
      authorization: `bearer ${key}`,
      'x-service-database': 'test',
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, job: (await response.json()) as Job }
}
const queue = async (name: string, key = ownKey, headers: object = {}) => {
  const body = { vals_list: [{ name }] }
  return (await ask('POST', '/json/2/res.partner/create', key, body, { prefer: 'respond-async', ...headers }))
    .job
}
const look = async ({ id }: Job, key = ownKey) => (await ask('GET', `/x/1/jobs/${id}`, key)).job
async function until(job: Job, state: string): Promise<Job> {
  for (;;) {
    const now = await look(job)
    if (now.state === state) return now
    assert.ok(['queued', 'running'].includes(now.state), `${now.state} instead of ${state}`)
    await sleep(20)
  }
}
const countLike = async (name: string) =>
  Number((await nodes.call('res.partner/search_count', { domain: [['name', '=like', name]] })).body)
/** Runs `work` while a lock keeps contacts from being created, so that jobs keep running meanwhile. */
const held = (work: () => Promise<void>) =>
  nodes.run(async ({ unit }) => {
    await unit.query(sql`LOCK TABLE res_partner IN SHARE ROW EXCLUSIVE MODE`)
    await work()
  })

test('jobs: are cancelled while they wait and while they run, by their user and by administrators', async () => {
  await held(async () => {
    const keyed = { 'idempotency-key': 'waits' }
    const running = [await queue('cancelled 1'), await queue('cancelled 2')] as const
    for (const job of running) await until(job, 'running')
    // Two of a user run at a time.
    const waits = await queue('cancelled 3', ownKey, keyed)
    assert.equal((await look(waits)).state, 'queued')
    const cancel = (job: Job, key: string) => ask('DELETE', `/x/1/jobs/${job.id}`, key)
    for (const [key, status] of [
      [others, 404],
      [narrow, 403],
      ['wrong', 401],
    ] as const)
      assert.equal((await cancel(running[0], key)).status, status)
    assert.equal((await look(running[0])).state, 'running')
    const { status, job } = await cancel(waits, ownKey)
    assert.deepEqual([status, job.state, job.status], [200, 'cancelled', null])
    assert.ok(job.finished)
    assert.deepEqual((await cancel(waits, ownKey)).job, job, 'once more changes nothing')
    // Administrators see and cancel those of others.
    assert.equal((await look(running[0], nodes.key)).state, 'running')
    assert.equal((await cancel(running[0], nodes.key)).job.state, 'cancelled')
    assert.equal((await cancel(running[1], ownKey)).job.state, 'cancelled')
    for (const job of [...running, waits]) {
      assert.equal((await look(job)).state, 'cancelled')
      assert.equal((await ask('GET', `/x/1/jobs/${job.id}/result`, ownKey)).status, 404)
    }
    // Its key is that of the job, which is not done after all.
    assert.deepEqual(await queue('cancelled 3', ownKey, keyed), { id: waits.id, state: 'cancelled' })
  })
  await until(await queue('goes on'), 'done')
  assert.deepEqual([await countLike('cancelled %'), await countLike('goes on')], [0, 1])
})

test('jobs: a narrowed key sees its own jobs, and none of another key of its user', async () => {
  const open = { scope: 'rpc jobs model:res.partner:rc', name: 'narrowed', days: 1 }
  const narrowed = await createKey(nodes.databases, 'test', 'own', open)
  const places = ({ id }: Job) => [`/x/1/jobs/${id}`, `/x/1/jobs/${id}/result`]
  const wide = await until(await queue('wide'), 'done')
  const narrowJob = await until(await queue('narrow', narrowed), 'done')
  for (const path of places(wide)) assert.equal((await ask('GET', path, narrowed)).status, 404)
  assert.equal((await ask('DELETE', `/x/1/jobs/${wide.id}`, narrowed)).status, 404)
  for (const path of places(narrowJob)) assert.equal((await ask('GET', path, narrowed)).status, 200)
})

test("jobs: an import is cancelled by the client's signal, and by Ctrl-C on the command line", async () => {
  const folder = makeTemp('cancel')
  const to = { url: nodes.servers[0]?.url ?? '', database: 'test', key: nodes.key }
  const last = async () => {
    const [row] = await nodes.run(({ unit }) =>
      unit.query(
        sql`SELECT id::text, state FROM comptoir_job WHERE type LIKE '%ndjson%' ORDER BY id DESC LIMIT 1`,
      ),
    )
    return row ?? []
  }
  const running = async (not?: unknown) => {
    for (;;) {
      const [id, state] = await last()
      if (id !== not && state === 'running') return id
      await sleep(20)
    }
  }
  try {
    await held(async () => {
      const leaving = new AbortController()
      const rows = [{ external_id: 'left.1', name: 'left 1' }]
      const importing = createClient(to).import('res.partner', rows, { signal: leaving.signal })
      const refused = assert.rejects(importing, /nobody waits/)
      const first = await running()
      leaving.abort(new Error('nobody waits'))
      await refused
      assert.deepEqual(await last(), [first, 'cancelled'])
      const file = join(folder.path, 'in.ndjson')
      writeFileSync(file, '{"external_id": "left.2", "name": "left 2"}\n')
      const bin = join(import.meta.dirname, '../../bin/comptoir.js')
      const args = ['import', 'res.partner', file, '--url', to.url, '--database', 'test']
      const env = { ...process.env, COMPTOIR_KEY: nodes.key }
      const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
      const second = await running(first)
      child.kill('SIGINT')
      assert.deepEqual(await once(child, 'exit'), [130, null], said)
      assert.match(said, /The import was cancelled\. Rows that were imported before stay/)
      assert.deepEqual(await last(), [second, 'cancelled'])
    })
    await until(await queue('after all'), 'done')
    assert.equal(await countLike('left %'), 0)
  } finally {
    folder.remove()
  }
})

test('jobs: an invalid batch is refused when it is queued', async () => {
  const queued = await ask('POST', '/x/1/batch', ownKey, { calls: 5 }, { prefer: 'respond-async' })
  assert.equal(queued.status, 422)
})

/** A key of its own, and what revokes it. */
async function passing(): Promise<{ key: string; revoke: () => Promise<unknown> }> {
  const name = `passing ${crypto.randomUUID()}`
  const key = await createKey(nodes.databases, 'test', 'own', { scope: 'rpc', name, days: 1 })
  const id = (await listKeys(nodes.databases, 'test', 'own')).find((key) => key.name === name)?.id ?? 0
  return { key, revoke: () => revokeKeys(nodes.databases, 'test', { ids: [id] }) }
}
const rowOf = ({ id }: Job) =>
  nodes.run(({ unit }) =>
    unit.query(
      sql`SELECT state, status, attempts, (SELECT count(*)::int FROM comptoir_job_input WHERE job = j.id) FROM comptoir_job j WHERE id = ${id}::uuid`,
    ),
  )
const admins = async (job: Job, state: string) => {
  for (;;) {
    const now = await look(job, nodes.key)
    if (now.state === state) return
    assert.ok(['queued', 'running'].includes(now.state), `${now.state} instead of ${state}`)
    await sleep(20)
  }
}

test('jobs: one whose key is revoked while it waits, runs or is retried ends as cancelled, once', async () => {
  const [waits, runs, again] = [await passing(), await passing(), await passing()]
  let jobs: readonly Job[] = []
  await held(async () => {
    const running = await queue('of no key 1', runs.key)
    await admins(running, 'running')
    const retried = await queue('of no key 2', again.key)
    await admins(retried, 'running')
    // Two of a user run: the third waits.
    const waiting = await queue('of no key 3', waits.key)
    for (const key of [waits, runs, again]) await key.revoke()
    // As if its process were lost.
    await nodes.run(({ unit }) =>
      unit.query(sql`WITH lease AS (UPDATE comptoir_job_lease SET until = now() - interval '1 hour' WHERE job = ${retried.id}::uuid)
        UPDATE comptoir_job SET claimed = now() - interval '1 hour', lease_no = lease_no + 1 WHERE id = ${retried.id}::uuid`),
    )
    jobs = [running, retried, waiting]
  })
  for (const job of jobs) await admins(job, 'cancelled')
  assert.equal(await countLike('of no key %'), 0)
  const [running, retried, waiting] = await Promise.all(jobs.map(rowOf))
  assert.deepEqual(running, [['cancelled', 401, 1, 0]])
  assert.deepEqual(retried, [['cancelled', 401, 2, 0]])
  assert.deepEqual(waiting, [['cancelled', 401, 1, 0]])
})

test('jobs: when a key is revoked, finished rows and their results stay, and the job ends at once', async () => {
  const { key, revoke } = await passing()
  await nodes.call('res.partner/upsert', {
    key: ['external_id'],
    vals_list: [{ external_id: 'bulk.stops_600', name: 'stops there' }],
  })
  const rows = Array.from({ length: 601 }, (_, n) =>
    JSON.stringify({ external_id: `bulk.stops_${n}`, name: `stops ${n}` }),
  )
  let job: Job | undefined
  // A record of a later portion is locked, so that the job waits after its first portion.
  await nodes.run(async ({ unit }) => {
    await unit.query(sql`SELECT FROM res_partner WHERE name = 'stops there' FOR UPDATE`)
    const response = await fetch(`${nodes.servers[0]?.url}/x/1/bulk/res.partner`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'x-service-database': 'test',
        'content-type': 'application/x-ndjson',
      },
      body: rows.join('\n'),
    })
    job = (await response.json()) as Job
    const place = async () =>
      nodes.run(({ unit: other }) =>
        other.query(sql`SELECT position::int FROM comptoir_job WHERE id = ${job?.id}::uuid`),
      )
    while (JSON.stringify(await place()) !== '[[500]]') await sleep(20)
    await revoke()
  })
  assert.ok(job)
  await admins(job, 'cancelled')
  assert.deepEqual(await rowOf(job), [['cancelled', 401, 1, 0]])
  assert.equal(await countLike('stops %'), 501)
  const kept = await nodes.run(({ unit }) =>
    unit.query(
      sql`SELECT sum(o.size)::int = j.size, count(*)::int FROM comptoir_job_output o JOIN comptoir_job j ON j.id = o.job WHERE j.id = ${job?.id}::uuid GROUP BY j.size`,
    ),
  )
  assert.deepEqual(kept, [[true, 1]])
})
