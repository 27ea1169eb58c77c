// Jobs: queued by a header, done once by one of the nodes with the rights of then, fetched as often as
// wanted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, restrictKey, revokeKeys } from '../../src/services/keys.ts'
import { claim, end, endWith, LostJob } from '../../src/services/later/store.ts'
import { sql } from '../../src/sql/index.ts'
import { type Heard, type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

interface Job {
  readonly id: string
  readonly state: string
  readonly status: number | null
  readonly progress: { readonly done: number; readonly of: number | null }
  readonly result?: unknown
  readonly error?: { readonly name: string }
  readonly result_url?: string
}

const prefer = 'respond-async'
const get = async (path: string, headers: Record<string, string> = {}, verb = 'GET') => {
  const response = await fetch(`${nodes.servers[0]?.url}${path}`, {
    method: verb,
    headers: { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test', ...headers },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}
const look = async (id: string, headers = {}) =>
  JSON.parse((await get(`/x/1/jobs/${id}`, headers)).text) as Job
const idOf = ({ body }: Heard) => (body as Job).id
async function over(id: string): Promise<Job> {
  for (;;) {
    const job = await look(id)
    if (!['queued', 'running'].includes(job.state)) return job
    await sleep(20)
  }
}
const create = (name: string, headers: Record<string, string> = {}, node = 0) =>
  nodes.call('res.partner/create', { vals_list: [{ name }] }, { prefer, ...headers }, node)
const count = async (name: string) =>
  Number((await nodes.call('res.partner/search_count', { domain: [['name', '=', name]] })).body)

test('a call is queued and done; its result is there as often as wanted, in parts too', async () => {
  const queued = await create('Later')
  assert.equal(queued.status, 202)
  const id = idOf(queued)
  assert.equal(queued.headers.get('location'), `/x/1/jobs/${id}`)
  assert.equal(queued.headers.get('preference-applied'), 'respond-async')
  assert.equal(queued.headers.get('retry-after'), '2')
  assert.deepEqual(Object.keys(queued.body as object), ['id', 'state'])
  const job = await over(id)
  assert.deepEqual([job.state, job.status, job.progress], ['done', 200, { of: 1, done: 1 }])
  const made = job.result as number[]
  const whole = await get(job.result_url as string)
  assert.deepEqual([whole.text, whole.status], [JSON.stringify(made), 200])
  const etag = whole.headers.get('etag') ?? ''
  assert.equal((await get(job.result_url as string, { 'if-none-match': etag })).status, 304)
  const part = await get(job.result_url as string, { range: 'bytes=0-0' })
  assert.deepEqual([part.status, part.text], [206, '['])
  assert.equal(await count('Later'), 1)
})

test('who waits gets the plain answer, and no job is left; refusals too', async () => {
  const jobs = () => nodes.run(({ unit }) => unit.query(sql`SELECT count(*)::int FROM comptoir_job`))
  const before = await jobs()
  const made = await create('Waited for', { prefer: 'respond-async, wait=30' })
  assert.equal(made.status, 200)
  assert.ok(Array.isArray(made.body))
  const refused = await nodes.call(
    'res.partner/write',
    { ids: [1], vals: { parent_id: 987654 } },
    { prefer: 'respond-async, wait=30' },
  )
  assert.equal(
    refused.status,
    (await nodes.call('res.partner/write', { ids: [1], vals: { parent_id: 987654 } })).status,
  )
  assert.deepEqual(await jobs(), before)
  assert.equal((await nodes.call('res.partner/nothing', {}, { prefer })).status, 404)
  assert.equal((await nodes.call('res.partner/create', { nonsense: 1 }, { prefer })).status, 422)
  assert.equal((await create('x', { prefer: 'respond-async, tx=rollback' })).status, 400)
  const expiration_date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const secret = { key: nodes.key, scope: null, name: 'x', expiration_date }
  assert.equal((await nodes.call('res.users.apikeys/generate', secret, { prefer })).status, 422)
})

test('many jobs over two nodes: each is done once; a key gives the same job', async () => {
  const queued = await Promise.all(Array.from({ length: 20 }, (_, n) => create('Once', {}, n % 2)))
  await Promise.all(queued.map((one) => over(idOf(one))))
  assert.equal(await count('Once'), 20)
  const keyed = { 'idempotency-key': '"one-job"' }
  const [first, second] = [await create('Keyed', keyed), await create('Keyed', keyed, 1)]
  assert.deepEqual([first.status, second.status], [202, 202], first.text + second.text)
  assert.equal(idOf(first), idOf(second))
  const job = await over(idOf(first))
  assert.equal(job.state, 'done', JSON.stringify(job))
  assert.equal(await count('Keyed'), 1)
  assert.equal((await create('Other', keyed)).status, 422)
})

test('a batch is one job, atomic and in one transaction', async () => {
  const calls = [
    { model: 'res.partner', method: 'create', body: { vals_list: [{ name: 'In a batch' }] } },
    { model: 'res.partner', method: 'write', body: { ids: [1], vals: { parent_id: 987654 } } },
  ]
  const failed = await over(idOf(await nodes.post('/x/1/batch', { calls }, { prefer })))
  assert.equal(failed.state, 'failed')
  assert.equal(await count('In a batch'), 0)
  const done = await over(idOf(await nodes.post('/x/1/batch', { calls: calls.slice(0, 1) }, { prefer })))
  assert.equal(done.state, 'done')
  assert.equal(await count('In a batch'), 1)
})

test('whoever was taken over, cancelled or lost the key commits nothing; others do not see the job', async () => {
  const name = 'revoked soon'
  const key = await createKey(nodes.databases, 'test', 'admin', { scope: 'rpc', name, days: 1 })
  const keyId = (await listKeys(nodes.databases, 'test', 'admin')).find((one) => one.name === name)?.id ?? 0
  // Rows of a job as a node makes them that is about to claim it: nobody is told.
  const insert = async () => {
    const id = crypto.randomUUID()
    const work = {
      kind: 'call',
      model: 'res.partner',
      method: 'create',
      body: { named: { vals_list: [{ name: 'Late' }] } },
    }
    await nodes.run(({ unit }) =>
      unit.query(sql`INSERT INTO comptoir_job (id, uid, key_hash, call) SELECT ${id}::uuid, user_id, key_hash, ${JSON.stringify({ work, asks: {} })}
        FROM res_users_apikeys WHERE id = ${keyId}::int`),
    )
    const job = await claim(nodes.database)
    assert.equal(job?.id, id)
    return job as NonNullable<typeof job>
  }
  const [taken, cancelled] = [await insert(), await insert()]
  await nodes.run(({ unit }) =>
    unit.query(sql`UPDATE comptoir_job SET lease_no = lease_no + 1 WHERE id = ${taken.id}::uuid`),
  )
  await assert.rejects(
    nodes.run(async ({ unit }) => endWith(unit as never, taken, '[1]')),
    LostJob,
  )
  assert.equal((await get(`/x/1/jobs/${cancelled.id}`, {}, 'DELETE')).status, 200)
  await assert.rejects(
    nodes.run(async ({ unit }) => endWith(unit as never, cancelled, '[1]')),
    LostJob,
  )
  await end(nodes.database, { ...taken, lease: taken.lease + 1 }, 'failed', { status: 500 })
  const stranger = { authorization: `bearer ${key}` }
  assert.equal((await get('/x/1/jobs/none', stranger)).status, 404)
  await restrictKey(nodes.databases, 'test', keyId, { scope: 'rpc batch' })
  assert.equal((await create('closed', stranger)).status, 403)
  await restrictKey(nodes.databases, 'test', keyId, { scope: 'rpc' })
  const queued = await insert()
  await nodes.run(({ unit }) =>
    unit.query(sql`UPDATE comptoir_job SET state = 'queued' WHERE id = ${queued.id}::uuid`),
  )
  await revokeKeys(nodes.databases, 'test', { ids: [keyId] })
  await create('Wakes the worker')
  assert.equal((await over(queued.id)).state, 'cancelled')
  assert.equal(await count('Late'), 0)
})

test('results expire', async () => {
  const id = idOf(await create('Expires'))
  await over(id)
  await nodes.run(async (env) => {
    await env.query(
      sql`UPDATE comptoir_job SET finished = now() - interval '100 hours' WHERE id = ${id}::uuid`,
    )
    await env.model('ir.autovacuum').run_vacuum_cleaner()
  })
  const gone = await get(`/x/1/jobs/${id}/result`)
  assert.deepEqual([gone.status, gone.headers.get('error-code')], [410, 'job_expired'])
})
