// Jobs: queued by a header, done once by one of the nodes with the rights of then, fetched as often as
// wanted.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { exportCommand, importCommand } from '../../src/cli/rows.ts'
import { createClient, InvalidValue, ValidationError } from '../../src/client/index.ts'
import { setLimits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { doBulk } from '../../src/services/jobs/bulk/run.ts'
import { end, endWith, LostJob } from '../../src/services/jobs/store.ts'
import { listKeys, restrictKey, revokeKeys } from '../../src/services/keys.ts'
import { createUser } from '../../src/services/people.ts'
import { linesOf as textOf } from '../../src/services/row-lines.ts'
import { sql } from '../../src/sql/index.ts'
import { type Heard, type Nodes, openNodes } from '../support/nodes.ts'
import { makeTemp } from '../support/temp.ts'

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
const countLike = async (name: string) =>
  Number((await nodes.call('res.partner/search_count', { domain: [['name', '=like', name]] })).body)
const count = async (name: string) =>
  Number((await nodes.call('res.partner/search_count', { domain: [['name', '=', name]] })).body)

test('jobs: a call is queued and runs; its result can be read repeatedly, also in ranges', async () => {
  const queued = await create('Later')
  assert.equal(queued.status, 202)
  const id = idOf(queued)
  assert.equal(queued.headers.get('location'), `/x/1/jobs/${id}`)
  assert.equal(queued.headers.get('preference-applied'), 'respond-async')
  assert.equal(queued.headers.get('retry-after'), '2')
  assert.deepEqual(Object.keys(queued.body as object), ['id', 'state'])
  const job = await over(id)
  assert.deepEqual([job.state, job.status, job.progress], ['done', 200, { of: 1, done: 1 }])
  const ids = job.result as number[]
  const whole = await get(job.result_url as string)
  assert.deepEqual([whole.text, whole.status], [JSON.stringify(ids), 200])
  const etag = whole.headers.get('etag') ?? ''
  assert.equal((await get(job.result_url as string, { 'if-none-match': etag })).status, 304)
  const part = await get(job.result_url as string, { range: 'bytes=0-0' })
  assert.deepEqual([part.status, part.text], [206, '['])
  assert.equal(await count('Later'), 1)
})

test('jobs: a caller that waits gets the plain answer and no job, errors included', async () => {
  const jobs = () => nodes.run(({ unit }) => unit.query(sql`SELECT count(*)::int FROM comptoir_job`))
  const before = await jobs()
  const creation = await create('Waited for', { prefer: 'respond-async, wait=30' })
  assert.equal(creation.status, 200)
  assert.ok(Array.isArray(creation.body))
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

test('jobs: two nodes run each of many jobs once; a key returns the same job', async () => {
  const queued = await Promise.all(Array.from({ length: 20 }, (_, n) => create('Once', {}, n % 2)))
  await Promise.all(queued.map((job) => over(idOf(job))))
  assert.equal(await count('Once'), 20)
  const keyed = { 'idempotency-key': '"one-job"' }
  const [first, second] = [await create('Keyed', keyed), await create('Keyed', keyed, 1)]
  assert.deepEqual([first.status, second.status], [202, 202], first.text + second.text)
  assert.equal(idOf(first), idOf(second))
  const replayed = (response: { headers: Headers }) => response.headers.get('idempotent-replayed')
  assert.deepEqual([replayed(first), replayed(second)], [null, 'true'])
  const job = await over(idOf(first))
  assert.equal(job.state, 'done', JSON.stringify(job))
  // The job is done, so there is no Retry-After, and a call that waits for it gets the answer at once.
  const done = await create('Keyed', keyed)
  assert.deepEqual([done.body, done.headers.get('retry-after')], [{ id: idOf(first), state: 'done' }, null])
  const answer = await create('Keyed', { ...keyed, prefer: 'respond-async, wait=5' }, 1)
  assert.deepEqual([answer.status, replayed(answer)], [200, 'true'])
  assert.equal(await count('Keyed'), 1)
  assert.equal((await create('Other', keyed)).status, 422)
})

test('jobs: a batch is one job, atomic and in one transaction', async () => {
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

test('jobs: a job that was taken over, cancelled or lost its key commits nothing; other users do not see it', async () => {
  const name = 'revoked soon'
  const key = await createKey(nodes.databases, 'test', 'admin', { scope: 'rpc', name, days: 1 })
  const keyId = (await listKeys(nodes.databases, 'test', 'admin')).find((key) => key.name === name)?.id ?? 0
  // A job as a worker has it that claimed it: in one statement, for the nodes look for jobs themselves.
  const insert = async () => {
    const id = crypto.randomUUID()
    const work = {
      kind: 'call',
      model: 'res.partner',
      method: 'create',
      body: { named: { vals_list: [{ name: 'Late' }] } },
    } as const
    const [row] = await nodes.run(({ unit }) =>
      unit.query(sql`WITH job AS (
          INSERT INTO comptoir_job (id, uid, key_hash, call, state, attempts, lease_no, claimed)
          SELECT ${id}::uuid, user_id, key_hash, ${JSON.stringify({ work, asks: {} })}, 'running', 1, 1, now()
          FROM res_users_apikeys WHERE id = ${keyId}::int RETURNING id, key_hash),
        lease AS (INSERT INTO comptoir_job_lease (job, until) SELECT id, now() + interval '1 minute' FROM job)
        SELECT key_hash FROM job`),
    )
    const keyHash = row?.[0] as Buffer
    return { id, lease: 1, attempts: 1, state: 'running', keyHash, work, asks: {} } as const
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
  await createUser(nodes.databases, 'test', {
    login: 'other',
    name: 'Other',
    password: 'a long one',
    roles: ['user'],
  })
  const others = await createKey(nodes.databases, 'test', 'other', { scope: 'rpc', name: 'o', days: 1 })
  for (const [path, verb] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/result', 'GET'],
  ])
    assert.equal(
      (await get(`/x/1/jobs/${taken.id}${path}`, { authorization: `bearer ${others}` }, verb)).status,
      404,
    )
  const stranger = { authorization: `bearer ${key}` }
  assert.equal((await get('/x/1/jobs/none', stranger)).status, 404)
  await restrictKey(nodes.databases, 'test', keyId, { scope: 'rpc batch' })
  assert.equal((await create('closed', stranger)).status, 403)
  await restrictKey(nodes.databases, 'test', keyId, { scope: 'rpc' })
  // Whose key is revoked while it runs: its last statements find no key, and nothing of it stays.
  const running = await insert()
  await assert.rejects(
    nodes.run(async ({ unit }) => {
      await unit.query(sql`SELECT FROM res_users_apikeys WHERE id = ${keyId}::int`)
      await nodes.run(({ unit: other }) =>
        other.query(sql`UPDATE res_users_apikeys SET name = 'locked' WHERE id = ${keyId}::int`),
      )
      await endWith(unit as never, running, '[1]')
    }),
    /serialize/,
  )
  await end(nodes.database, running, 'failed', { status: 500 })
  const queued = await insert()
  await nodes.run(({ unit }) =>
    unit.query(sql`UPDATE comptoir_job SET state = 'queued' WHERE id = ${queued.id}::uuid`),
  )
  await revokeKeys(nodes.databases, 'test', { ids: [keyId] })
  await create('Wakes the worker')
  assert.equal((await over(queued.id)).state, 'cancelled')
  assert.equal(await count('Late'), 0)
})

const ndjson = 'application/x-ndjson'
const sendRows = async (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) => {
  const response = await fetch(`${nodes.servers[0]?.url}/x/1/bulk/${path}`, {
    method: 'POST',
    headers: {
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
      'content-type': ndjson,
      ...headers,
    },
    body,
  })
  const problem = (await response.json()) as Record<string, unknown>
  return { status: response.status, code: response.headers.get('error-code'), body: problem }
}
const linesOf = async (id: unknown) => {
  const result = await get(`/x/1/jobs/${id}/result`)
  assert.equal(result.headers.get('content-type'), `${ndjson}; charset=utf-8`)
  return result.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
const keysKept = () => nodes.run(({ unit }) => unit.query(sql`SELECT count(*)::int FROM comptoir_job_key`))
const keysGone = async () => {
  // The worker forgets them when the job is over.
  while (JSON.stringify(await keysKept()) !== '[[0]]') await sleep(20)
}
const rowsText = (count: number, prefix: string, bad: readonly number[] = []) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      external_id: `bulk.${prefix}_${n}`,
      name: `${prefix} ${n}`,
      ...(bad.includes(n) ? { color: 'red' } : {}),
    }),
  )

test('jobs: any number of rows become records; each is reported with its line, in JSON lines and in CSV', async () => {
  const lines = rowsText(520, 'many', [3, 510, 511])
  lines.splice(10, 0, '', '{"broken": ')
  const queued = await sendRows('res.partner?on_error=skip', `${lines.join('\n')}\n`)
  assert.equal(queued.status, 202, JSON.stringify(queued.body))
  const job = await over(String(queued.body.id))
  assert.deepEqual([job.state, job.progress], ['done', { of: 521, done: 521 }], JSON.stringify(job))
  const resultLines = await linesOf(queued.body.id)
  const failed = resultLines.filter(({ status }) => status === 'failed')
  assert.deepEqual(
    failed.map(({ line }) => line),
    [4, 12, 513, 514],
  )
  assert.deepEqual(resultLines.at(-1), {
    $end: { rows: 521, created: 517, updated: 0, unchanged: 0, failed: 4 },
  })
  const range = await get(`/x/1/jobs/${queued.body.id}/result`, { range: 'bytes=0-8' })
  assert.deepEqual([range.status, range.text], [206, '{"line":1'])
  const packed = gzipSync(rowsText(3, 'many').join('\n'))
  const again = await sendRows('res.partner', packed, { 'content-encoding': 'gzip' })
  await over(String(again.body.id))
  assert.deepEqual((await linesOf(again.body.id)).at(-1), {
    $end: { rows: 3, created: 0, updated: 0, unchanged: 3, failed: 0 },
  })
  const csv =
    'id,name,is_company,country_id,color\nbulk.csv_1,"Ann, ""A""",1,Belgium,3\nbulk.csv_2,Bea,,Nowhere,\n'
  const table = await sendRows('res.partner?on_error=skip', csv, { 'content-type': 'text/csv' })
  await over(String(table.body.id))
  const [first, second] = await linesOf(table.body.id)
  assert.deepEqual([first?.status, second?.status, second?.line], ['created', 'failed', 3])
  const fields = ['name', 'country_id', 'color']
  const [read] = (await nodes.call('res.partner/read', { ids: [first?.id], fields })).body as Record<
    string,
    unknown
  >[]
  assert.deepEqual(
    [read?.name, JSON.stringify(read?.country_id).includes('Belgium'), read?.color],
    ['Ann, "A"', true, 3],
  )
  const kept = await nodes.run(({ unit }) => unit.query(sql`SELECT count(*)::int FROM comptoir_job_input`))
  assert.deepEqual(kept, [[0]])
})

test('jobs: a failed row ends an import, unless rows are independent; an atomic one rolls back', async () => {
  const stays = await sendRows('res.partner', rowsText(506, 'ends', [503]).join('\n'))
  const job = await over(String(stays.body.id))
  assert.deepEqual([job.state, job.status], ['failed', 422])
  const lines = await linesOf(stays.body.id)
  assert.deepEqual([lines.at(-2)?.line, lines.at(-2)?.status], [504, 'failed'])
  assert.equal(await countLike('ends %'), 500)
  const atomic = await sendRows('res.partner?atomic=true', rowsText(506, 'one', [503]).join('\n'))
  assert.equal((await over(String(atomic.body.id))).state, 'failed')
  assert.equal(await countLike('one %'), 0)
  const whole = await sendRows('res.partner?atomic=true', rowsText(506, 'one').join('\n'))
  assert.equal((await over(String(whole.body.id))).state, 'done')
  assert.equal(await countLike('one %'), 506)
  // So many of a chunk fail that they are looked for among fewer.
  const bad = Array.from({ length: 70 }, (_, n) => n)
  const most = await sendRows('res.partner?on_error=skip', rowsText(80, 'most', bad).join('\n'))
  await over(String(most.body.id))
  assert.deepEqual((await linesOf(most.body.id)).at(-1), {
    $end: { rows: 80, created: 10, updated: 0, unchanged: 0, failed: 70 },
  })
})

test('jobs: a key occurs once in an import, however far its rows are apart', async () => {
  const lines = rowsText(1003, 'far')
  // The same as the tenth, in other portions and in other words.
  for (const n of [12, 700, 1002]) lines[n] = '{"external_id": "bulk.far_9", "name": "twice"}'
  const skips = await sendRows('res.partner?on_error=skip', lines.join('\n'))
  assert.equal((await over(String(skips.body.id))).state, 'done')
  const resultLines = await linesOf(skips.body.id)
  assert.deepEqual(resultLines.at(-1), {
    $end: { rows: 1003, created: 1000, updated: 0, unchanged: 0, failed: 3 },
  })
  const failed = resultLines.filter(({ status }) => status === 'failed')
  assert.deepEqual(
    failed.map(({ line, error }) => [line, (error as Error).message]),
    [13, 701, 1003].map((line) => [line, 'The row in line 10 has the same key.']),
  )
  assert.equal(await countLike('twice'), 0)
  for (const [query, stay] of [
    ['', 500],
    ['?atomic=true', 0],
  ] as const) {
    const ends = rowsText(710, `ends${stay}`).with(700, `{"external_id": "bulk.ends${stay}_9", "name": "x"}`)
    const sent = await sendRows(`res.partner${query}`, ends.join('\n'))
    const job = await over(String(sent.body.id))
    assert.deepEqual([job.state, job.status], ['failed', 422])
    const result = await get(`/x/1/jobs/${job.id}/result`)
    assert.match(result.text, /"line":701,"status":"failed".*line 10 has/)
    assert.equal(await countLike(`ends${stay} %`), stay)
  }
  // Fields that are unique, in other words: their values are compared as they are kept.
  const cells = Array.from({ length: 600 }, (_, n) => `param.${n},v`).with(550, ' param.3,w')
  const csv = ['key,value', ...cells, 'param.4,w'].join('\n')
  const type = { 'content-type': 'text/csv' }
  const table = await sendRows('ir.config_parameter?key=key&on_error=skip', csv, type)
  await over(String(table.body.id))
  const rows = await linesOf(table.body.id)
  assert.deepEqual(
    rows.filter(({ status }) => status === 'failed').map(({ line }) => line),
    [602],
    JSON.stringify(rows.at(-1)),
  )
  await keysGone()
})

test('jobs: a process that takes an import over continues it; keys, rights and limits are the current ones', async () => {
  const id = crypto.randomUUID()
  const kept = (from: number) =>
    rowsText(1000, 'taken')
      .with(900, '{"external_id": "bulk.taken_3", "name": "twice"}')
      .slice(from, from + 500)
      .map((text, n) => `${from + n + 1}\t${text}`)
      .join('\n')
  const rows = { kind: 'bulk', model: 'res.partner', key: 'external_id', onError: 'skip' } as const
  const work = { ...rows, atomic: false, cells: false }
  const keyHash = await nodes.run(async ({ unit }) => {
    const [row] = await unit.query(sql`WITH job AS (
        INSERT INTO comptoir_job (id, uid, key_hash, call, type, state, attempts, lease_no, claimed)
        SELECT ${id}::uuid, user_id, key_hash, ${JSON.stringify({ work, asks: {} })}, 'application/x-ndjson; charset=utf-8', 'running', 1, 1, now()
        FROM res_users_apikeys WHERE name = 'nodes' RETURNING id, key_hash),
      lease AS (INSERT INTO comptoir_job_lease (job, until) SELECT id, now() + interval '1 minute' FROM job)
      SELECT key_hash FROM job`)
    for (const n of [0, 500])
      await unit.query(
        sql`INSERT INTO comptoir_job_input (job, n, count, rows) VALUES (${id}::uuid, ${n}::bigint, 500, ${kept(n)})`,
      )
    return row?.[0] as Buffer
  })
  const dead = { id, lease: 1, attempts: 1, state: 'running', keyHash, work, asks: {} } as const
  const owner = {
    database: 'test',
    credential: { kind: 'hash', hash: dead.keyHash },
    remote: '',
  } as const
  // Its process ends after the first half.
  await assert.rejects(
    doBulk(nodes.databases, dead, work, {
      owner,
      tell: () => Promise.reject(new Error('killed')),
    }),
    /killed/,
  )
  assert.equal(await countLike('taken %'), 500)
  await nodes.run(async ({ unit }) => {
    await unit.query(
      sql`UPDATE comptoir_job SET claimed = now() - interval '5 minutes' WHERE id = ${id}::uuid`,
    )
    await unit.query(
      sql`UPDATE comptoir_job_lease SET until = now() - interval '1 minute' WHERE job = ${id}::uuid`,
    )
  })
  await create('Wakes the workers')
  assert.equal((await over(id)).state, 'done')
  assert.equal(await countLike('taken %'), 999)
  const [twice] = (await linesOf(id)).filter(({ status }) => status === 'failed')
  assert.deepEqual(
    [twice?.line, (twice?.error as Error | undefined)?.message],
    [901, 'The row in line 4 has the same key.'],
  )
  await assert.rejects(doBulk(nodes.databases, dead, work, { owner, tell: async () => true }), LostJob)
  const keyed = { 'idempotency-key': 'rows-1' }
  const text = rowsText(2, 'keyed').join('\n')
  const first = await sendRows('res.partner', text, keyed)
  const two = await sendRows('res.partner', text, keyed)
  assert.deepEqual([first.status, two.body.id], [202, first.body.id])
  await over(String(first.body.id))
  assert.deepEqual((await sendRows('res.partner', text, keyed)).body, { id: first.body.id, state: 'done' })
  const other = await sendRows('res.partner', rowsText(3, 'keyed').join('\n'), keyed)
  assert.equal(other.code, 'idempotency_key_reused')
  assert.equal((await sendRows('res.partner', text, { 'content-type': 'text/plain' })).status, 415)
  assert.equal((await sendRows('res.partner', 'x', { 'content-encoding': 'gzip' })).status, 400)
  assert.equal((await sendRows('res.partner?key=email', text)).code, 'no_declared_key')
  assert.equal((await sendRows('res.nothing', text)).status, 404)
  assert.equal((await sendRows('res.partner?on_error=maybe', text)).status, 422)
  setLimits({ 'bulk-rows': 1 })
  try {
    assert.equal((await sendRows('res.partner', text)).status, 413)
  } finally {
    setLimits()
  }
  const open = await nodes.run(({ unit }) =>
    unit.query(sql`SELECT count(*)::int FROM comptoir_job WHERE state = 'receiving'`),
  )
  assert.deepEqual(open, [[0]])
})

test('jobs: exports have one row per line, in any number, with the count at the end', async () => {
  const total = Number((await nodes.call('res.partner/search_count', { domain: [] })).body)
  assert.ok(total > 2000)
  const fields = ['name', 'parent_id', 'active', 'email', 'child_ids', 'contact_address']
  const ask = (accept: string, body: object = {}) =>
    nodes.call('res.partner/search_read', { domain: [], fields, order: 'id', ...body }, { accept })
  const whole = (await nodes.call('res.partner/search_read', { domain: [], fields, order: 'id' })).body as {
    id: number
  }[]
  const json = await ask(ndjson)
  assert.match(json.headers.get('content-type') ?? '', /^application\/x-ndjson/)
  const lines = json.text.trimEnd().split('\n')
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { $end: { rows: total } })
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    whole,
  )
  const csv = await ask('text/csv', { limit: 2, domain: [['parent_id', '=', false]] })
  const [header, first] = csv.text.split('\r\n')
  assert.equal(header, 'id,name,parent_id,active,email,child_ids,contact_address')
  assert.match(first ?? '', /^1,[^,]+,,true,[^,]*,"?\[/)
  const none = await ask('text/csv', { domain: [['id', '=', 0]] })
  assert.equal(none.text, `${header}\r\n`)
  const creation = await nodes.call(
    'res.partner/create',
    { vals_list: [{ name: 'a,"b"' }] },
    { accept: ndjson },
  )
  assert.deepEqual(creation.headers.get('content-type'), 'application/json; charset=utf-8')
  const ids = creation.body
  const paths = { ids, fields_to_export: ['name', 'parent_id/name'] }
  const broken = async function* () {
    yield ['{"id":1}']
    throw new Error('broken off')
  }
  const some: string[] = []
  const passed = { rows: 0 }
  const form = { form: 'ndjson', model: undefined, columns: null } as const
  await assert.rejects(async () => {
    for await (const line of textOf(broken(), form, passed)) some.push(line)
  }, /broken off/)
  assert.deepEqual(some, ['{"id":1}\n'], 'what breaks off has no end')
  const exported = await nodes.call('res.partner/export_data', paths, { accept: 'text/csv' })
  assert.equal(exported.text, 'name,parent_id/name\r\n"a,""b""",\r\n')
  // However many: what one answer holds bounds a piece, not the whole.
  const every = { ids: whole.map(({ id }) => id), fields_to_export: ['.id', 'name', 'child_ids/name'] }
  const rows = ((await nodes.call('res.partner/export_data', every)).body as { datas: string[][] }).datas
  setLimits({ cells: 2 * total })
  try {
    assert.equal((await nodes.call('res.partner/export_data', every)).status, 413)
    const many = await nodes.call('res.partner/export_data', every, { accept: ndjson })
    const lines = many.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    assert.deepEqual(lines.pop(), { $end: { rows: rows.length } })
    assert.deepEqual(
      lines.map((row) => Object.values(row)),
      rows,
    )
  } finally {
    setLimits()
  }
  // Envelopes have no lines, however many rows there are, and no answers for later.
  const args = ['test', 2, nodes.key, 'res.partner', 'search_read', [[]], { fields: ['name'] }]
  const params = { service: 'object', method: 'execute_kw', args }
  const envelope = (headers: Record<string, string>) =>
    nodes.post('/jsonrpc', { jsonrpc: '2.0', id: 1, params }, headers)
  const { body } = await envelope({ accept: ndjson, prefer })
  assert.equal((body as { result: unknown[] }).result.length, total + 1)
  const strict = await envelope({ prefer: `${prefer}, handling=strict` })
  assert.equal(strict.headers.get('error-code'), 'unknown_preference')
  const query = `model=res.partner&domain=[["name","=like","many%25"]]&fields=name&order=id`
  const file = await get(`/x/1/export?${query}`, { prefer: 'values=typed' })
  assert.equal(file.text.trimEnd().split('\n').length, 518)
  let [next, pages] = [`/x/1/export?${query}&limit=300`, 0]
  for (; next && pages < 9; pages++)
    next = /<(.*)>; rel="next"/.exec((await get(next)).headers.get('link') ?? '')?.[1] ?? ''
  assert.equal(pages, 2)
  // No limit is no limit, as for search_read; a place to begin at, or a wish for pages, is a page.
  const linesOfPage = async (more: string, headers = {}) => {
    const { text, headers: answerHeaders } = await get(`/x/1/export?${query}${more}`, headers)
    return [text.trimEnd().split('\n').length - 1, answerHeaders.get('link') !== null]
  }
  for (const none of ['0', 'null', 'false'])
    assert.deepEqual(await linesOfPage(`&limit=${none}`), [517, false], none)
  assert.deepEqual(await linesOfPage('', { prefer: 'paging=keyset' }), [80, true])
  const cursor = (await get(`/x/1/export?${query}&limit=500`)).headers
    .get('link')
    ?.match(/cursor=([^&>]+)/)?.[1]
  assert.deepEqual(await linesOfPage(`&cursor=${cursor}`), [17, false])
  for (const wrong of ['-1', '1.5', '"2"x', '3000'])
    assert.equal((await get(`/x/1/export?${query}&limit=${wrong}`)).status, 422, wrong)
  assert.equal((await get('/x/1/export?model=res.partner&domain=[')).status, 422)
  await nodes.call('res.users/create', { vals_list: [{ name: 'Nobody', login: 'nobody' }] })
  const key = await createKey(nodes.databases, 'test', 'nobody', { scope: null, name: 'n', days: 1 })
  assert.equal((await get(`/x/1/export?${query}`, { authorization: `bearer ${key}` })).status, 422)
})

test('jobs: the client and the command line send and fetch any number of rows', async () => {
  const folder = makeTemp('rows')
  try {
    const to = { url: nodes.servers[0]?.url ?? '', database: 'test', key: nodes.key }
    const client = createClient(to)
    const seen: number[] = []
    const rows = Array.from({ length: 3 }, (_, n) => ({ external_id: `c.r${n}`, name: `client ${n}` }))
    const result = await client.import('res.partner', rows, { onProgress: (done) => seen.push(done) })
    assert.deepEqual([result.created, seen.at(-1)], [3, 3])
    await assert.rejects(client.import('res.partner', [{ external_id: 'c.x', color: 'red' }]), InvalidValue)
    const domain = [['name', '=like', 'client %']]
    const names = []
    for await (const { name } of client.export('res.partner', { domain, fields: ['name'], order: 'id' }))
      names.push(name)
    assert.deepEqual(names, ['client 0', 'client 1', 'client 2'])
    const where = ['--url', to.url, '--database', 'test', '--key', nodes.key]
    const file = join(folder.path, 'out.csv')
    const run = (command: ReturnType<typeof importCommand>, args: string[]) =>
      command.exitOverride().parseAsync([...args, ...where], { from: 'user' })
    const out = ['res.partner', file, '--fields', 'name', '--domain', JSON.stringify(domain)]
    await run(exportCommand(), out)
    assert.match(readFileSync(file, 'utf8'), /^id,name\r\n\d+,client 0\r\n/)
    const json = join(folder.path, 'out.ndjson')
    await run(exportCommand(), out.with(1, json))
    assert.equal(readFileSync(json, 'utf8').trimEnd().split('\n').length, 3)
    const input = join(folder.path, 'in.csv')
    writeFileSync(input, 'id,name,color\nc.r0,client 0,\nc.r7,client 7,7\nc.r8,x,red\n')
    await run(importCommand(), ['res.partner', input, '--skip'])
    assert.equal(await countLike('client %'), 4)
    await assert.rejects(run(importCommand(), ['res.partner', input]), ValidationError)
  } finally {
    folder.remove()
  }
})

test('jobs: results expire', async () => {
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
