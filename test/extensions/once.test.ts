// Idempotency keys: a call that may be sent again happens once, on every wire, over all nodes, whatever
// breaks in between.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { sha256 } from '../../src/kit/sha256.ts'
import { setLimits } from '../../src/limits.ts'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { id, join, sql } from '../../src/sql/index.ts'
import { meeting } from '../fixtures/modules/trials/counter.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { type AtCommit, openLine } from '../support/line.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { measured } from '../support/statements.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: [...modules.filter(({ name }) => name === 'base'), trials] })
})
after(() => nodes?.close())

let last = 0
let key: string
beforeEach(() => {
  key = `key-${++last}`
})
const keyed = (by = key) => ({ 'idempotency-key': `"${by}"` })
const create = (name: string, headers = keyed(), node = 0) =>
  nodes.call('res.partner/create', { vals_list: [{ name }] }, headers, node)
const named = (name: string) =>
  nodes.run(({ unit }) => unit.query(sql`SELECT id FROM res_partner WHERE name = ${name} ORDER BY id`))

test('idempotency: stored answers are limited per user; finished calls are answered anyway', async () => {
  setLimits({ 'kept-answers': 64 })
  try {
    let refused: Awaited<ReturnType<typeof create>> | undefined
    const [first, name] = [`${key}-0`, 'Kept']
    for (let n = 0; n < 100 && !refused; n++) {
      const response = await create(name, keyed(`${key}-${n}`))
      if (response.status !== 200) refused = response
    }
    assert.equal(refused?.status, 413)
    assert.match(refused.text, /kept-answers/)
    assert.equal((await create(name, keyed(first))).headers.get('idempotent-replayed'), 'true')
    assert.equal((await nodes.call('res.partner/create', { vals_list: [{ name }] })).status, 200)
  } finally {
    setLimits()
  }
})

test('idempotency: a repeated call returns the stored answer, on any node, and has no effect', async () => {
  const first = await create('Twice')
  assert.equal(first.headers.get('idempotent-replayed'), null)
  for (const node of [0, 1]) {
    const again = await create('Twice', keyed(), node)
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  }
  assert.equal((await named('Twice')).length, 1)
  assert.equal(
    (await create('Twice', { 'idempotency-key': key } as never)).headers.get('idempotent-replayed'),
    'true',
    'the bare form is the same key',
  )
})

test('idempotency: another call with the same key is rejected, and the first stays', async () => {
  await create('Mine')
  const other = await create('Other')
  assert.deepEqual([other.status, other.headers.get('error-code')], [422, 'idempotency_key_reused'])
  assert.equal((other.body as { name: string }).name, 'werkzeug.exceptions.UnprocessableEntity')
  assert.equal((await named('Other')).length, 0)
  assert.equal((await create('Mine')).status, 200)
})

test('idempotency: a retry is answered from its record even if it would be refused now, and nothing is executed', async () => {
  const state = (code: string, headers = {}) =>
    nodes.call(
      'res.country.state/create',
      { vals_list: [{ name: `State ${code}`, code, country_id: 1 }] },
      headers,
    )
  // The form is known then: all leaves in one flush.
  for (const code of ['K1', 'K2', 'K3', 'K4']) assert.equal((await state(code)).status, 200)
  const first = await state('K5', keyed())
  const drawn = () =>
    nodes.run(({ unit }) => unit.query(sql`SELECT last_value FROM res_country_state_id_seq`))
  const before = await drawn()
  for (let n = 0; n < 3; n++) {
    const { response, trips } = await measured(() => state('K5', keyed()))
    assert.deepEqual(
      [response.status, response.text, response.headers.get('idempotent-replayed'), trips],
      [200, first.text, 'true', 2],
    )
  }
  assert.deepEqual(await drawn(), before, 'the row was not tried')
  assert.equal((await state('K5')).status, 422, 'by another key, or none, it is refused')
})

test('idempotency: fifty concurrent calls on two nodes have one effect, and the same answer or a 409', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => create('Crowd', keyed(), n % 2)))
  const texts = new Set<string>()
  for (const { status, headers, text } of answers) {
    if (status === 200) texts.add(text)
    else
      assert.deepEqual(
        [status, headers.get('error-code'), headers.get('retry-after')],
        [409, 'idempotency_in_progress', '1'],
      )
  }
  assert.equal(texts.size, 1)
  assert.equal((await named('Crowd')).length, 1)
})

test('idempotency: order of members, wire and envelope do not matter', async () => {
  const vals = { name: 'Wires', email: 'w@example.com' }
  const { body } = await nodes.call(
    'res.partner/create',
    { vals_list: [vals], context: { tz: 'UTC', lang: 'en_US' } },
    keyed(),
  )
  const mixed = { context: { lang: 'en_US', tz: 'UTC' }, vals_list: [{ email: vals.email, name: vals.name }] }
  assert.deepEqual((await nodes.call('res.partner/create', mixed, keyed())).body, body)
  const args = (list: unknown) => [
    'test',
    2,
    nodes.key,
    'res.partner',
    'create',
    [list],
    { context: mixed.context },
  ]
  const rpc = (list: unknown, id: number) =>
    nodes.post(
      '/jsonrpc',
      { jsonrpc: '2.0', id, params: { service: 'object', method: 'execute_kw', args: args(list) } },
      keyed(),
    )
  assert.deepEqual((await rpc([vals], 7)).body, { jsonrpc: '2.0', id: 7, result: body })
  const [id] = body as number[]
  const single = await rpc(vals, 8)
  assert.deepEqual(
    [single.body, single.headers.get('idempotent-replayed')],
    [{ jsonrpc: '2.0', id: 8, result: id }, 'true'],
  )
  const members = (object: object) =>
    Object.entries(object)
      .map(([name, value]) => `<member><name>${name}</name><value>${value}</value></member>`)
      .join('')
  const xml = `<methodCall><methodName>execute_kw</methodName><params>${['test', '<int>2</int>', nodes.key, 'res.partner', 'create', `<array><data><value><array><data><value><struct>${members(vals)}</struct></value></data></array></value></data></array>`, `<struct><member><name>context</name><value><struct>${members(mixed.context)}</struct></value></member></struct>`].map((argument) => `<param><value>${argument}</value></param>`).join('')}</params></methodCall>`
  const response = await nodes.post('/xmlrpc/2/object', xml, { ...keyed(), 'content-type': 'text/xml' })
  assert.match(response.text, new RegExp(`<int>${id}</int>|<i4>${id}</i4>`), response.text)
  assert.equal(response.headers.get('idempotent-replayed'), 'true')
  assert.equal((await named('Wires')).length, 1)
})

test("idempotency: XML-RPC's fault for None is stored as the answer of a call that ran once", async () => {
  const [id] = await nodes.run(async (env) => (await env.model('trials.counter').create([{ value: 0 }])).ids)
  const xml = `<methodCall><methodName>execute_kw</methodName><params>${['test', '<int>2</int>', nodes.key, 'trials.counter', 'grow', `<array><data><value><array><data><value><int>${id}</int></value></data></array></value></data></array>`].map((argument) => `<param><value>${argument}</value></param>`).join('')}</params></methodCall>`
  const grow = (headers: Record<string, string>, node: number) =>
    nodes.post('/xmlrpc/2/object', xml, { ...keyed(), 'content-type': 'text/xml', ...headers }, node)
  const answers: unknown[] = []
  for (const prefer of [{}, { prefer: 'values=typed' }] as Record<string, string>[]) {
    key = `none-${answers.length}`
    const responses = [await grow(prefer, 0), await grow(prefer, 1)]
    for (const { text } of responses) assert.match(text, /<fault>.*cannot marshal None unless allow_none/s)
    assert.equal(responses[0]?.text, responses[1]?.text)
    const { body: by } = await nodes.call('trials.counter/grow', { ids: [id] }, { ...keyed(), ...prefer })
    answers.push([responses.map(({ headers }) => headers.get('idempotent-replayed')), by])
  }
  assert.deepEqual(answers, [
    [[null, 'true'], null],
    [[null, 'true'], null],
  ])
  const value = nodes.run(({ unit }) => unit.query(sql`SELECT value FROM trials_counter WHERE id = ${id}`))
  assert.deepEqual(await value, [[2]])
})

test('idempotency: a key belongs to its user: a rotated API key replays, another user runs the call', async () => {
  const { body } = await create('Rotated')
  const rotated = await createKey(nodes.databases, 'test', 'admin', { scope: null, name: 'new', days: 1 })
  assert.deepEqual(
    (await create('Rotated', { ...keyed(), authorization: `bearer ${rotated}` } as never)).body,
    body,
  )
  await nodes.run(async (env) => {
    const groups = [await env.ref('base.group_user'), await env.ref('base.group_partner_manager')]
    await env
      .model('res.users')
      .create([{ name: 'Second', login: 'second', group_ids: [[6, 0, groups]] } as never])
  })
  const foreign = await createKey(nodes.databases, 'test', 'second', { scope: null, name: 'second', days: 1 })
  const rotatedCall = await create('Rotated', { ...keyed(), authorization: `bearer ${foreign}` } as never)
  assert.deepEqual([rotatedCall.status, rotatedCall.headers.get('idempotent-replayed')], [200, null])
  assert.equal((await named('Rotated')).length, 2)
})

test('idempotency: a retry of a failed call runs', async () => {
  const wrong = () => nodes.call('res.partner/write', { ids: [1], vals: { parent_id: 987654 } }, keyed())
  assert.equal((await wrong()).status, 422)
  assert.equal((await wrong()).status, 422)
  assert.equal((await create('After failure')).status, 200)
})

test('idempotency: an attempt that loses a conflict leaves one row', async () => {
  const ids = await nodes.run(async (env) => (await env.model('trials.counter').create([{ value: 0 }])).ids)
  let left = 2
  meeting.wait = async () => {
    if (left-- > 0)
      await nodes.run(({ unit }) =>
        unit.query(sql`UPDATE trials_counter SET calls = COALESCE(calls, 0) + 1 WHERE id = ${ids[0]}`),
      )
  }
  const bump = () => nodes.call('trials.counter/bump', { ids, bag: { by: 5 } }, keyed())
  try {
    assert.equal((await bump()).status, 200)
    assert.equal((await bump()).headers.get('idempotent-replayed'), 'true')
  } finally {
    meeting.wait = async () => undefined
  }
  const [row] = await nodes.run(({ unit }) =>
    unit.query(sql`SELECT value, calls FROM trials_counter WHERE id = ${ids[0]}`),
  )
  assert.deepEqual(row, [5, 2])
})

test("idempotency: a call whose twin has committed meanwhile rolls back, and returns the twin's answer", async () => {
  const ids = await nodes.run(async (env) => (await env.model('trials.counter').create([{ value: 0 }])).ids)
  const bump = () => nodes.call('trials.counter/bump', { ids, bag: { by: 5 } }, keyed())
  const first = await bump()
  const [twin] = await nodes.run(({ unit }) =>
    unit.query(sql`DELETE FROM comptoir_idempotency WHERE key_hash = ${sha256(key)}::bytea
      RETURNING uid, key_hash, fingerprint, model, method, answer, kept`),
  )
  // The look-up has passed, and has not seen it.
  let left = 1
  meeting.wait = async () => {
    if (left-- > 0)
      await nodes.run(({ unit }) =>
        unit.query(sql`INSERT INTO comptoir_idempotency (uid, key_hash, fingerprint, created, model, method, answer, kept)
          VALUES (${twin?.[0]}::int, ${twin?.[1]}::bytea, ${twin?.[2]}::bytea, now(), ${twin?.[3]}, ${twin?.[4]}, ${twin?.[5]}, ${twin?.[6]}::bool)`),
      )
  }
  try {
    const again = await bump()
    assert.deepEqual([again.status, again.text, left], [200, first.text, 0])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  } finally {
    meeting.wait = async () => undefined
  }
  const [row] = await nodes.run(({ unit }) =>
    unit.query(sql`SELECT value FROM trials_counter WHERE id = ${ids[0]}`),
  )
  assert.deepEqual(row, [5])
})

for (const how of ['cut-before', 'cut-after'] satisfies AtCommit[]) {
  test(`idempotency: the connection breaks during COMMIT (${how}): one effect and no 503`, async () => {
    const line = await openLine(nodes.databases.address.port as number)
    const databases = await Databases.open({
      ...nodes.databases.options,
      databaseUrl: nodes.address(line.port),
    })
    const server = await createServer({ databases })
    try {
      const send = () =>
        fetch(`${server.url}/json/2/res.partner/create`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `bearer ${nodes.key}`,
            'x-service-database': 'test',
            ...keyed(),
          },
          body: JSON.stringify({ vals_list: [{ name: how }] }),
        })
      // So that nothing but the call itself is committed.
      await databases.database('test')
      line.next = how
      const answer = await send()
      assert.equal(answer.status, 200, await answer.clone().text())
      assert.deepEqual(await answer.json(), (await named(how)).flat())
      assert.equal((await named(how)).length, 1)
    } finally {
      await server.close()
      await databases.close()
      await line.close()
    }
  })
}

test('idempotency: after an answer expires the call runs again, and the vacuum removes the row', async () => {
  await create('Old')
  await nodes.run(({ unit }) =>
    unit.query(sql`UPDATE comptoir_idempotency SET created = created - interval '8 days'`),
  )
  const anew = await create('Old')
  assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [200, null])
  assert.equal((await named('Old')).length, 2)
  // More than go by one statement, with young ones among them.
  await nodes.run(({ unit }) =>
    unit.query(sql`INSERT INTO comptoir_idempotency (uid, key_hash, fingerprint, created, model, method, kept)
      SELECT 2, int4send(n), '', now() - CASE WHEN n % 5000 = 0 THEN 1 ELSE 8 END * interval '1 day', 'm', 'm', FALSE
      FROM generate_series(1, 20500) AS n`),
  )
  await nodes.run((env) => env.model('ir.autovacuum').run_vacuum_cleaner({}))
  const [left] = await nodes.run(({ unit }) =>
    unit.query(sql`SELECT count(*)::int FROM comptoir_idempotency`),
  )
  assert.deepEqual(left, [1 + 4])
})

test('idempotency: a secret is returned once, is in no table, and a retry says so', async () => {
  const make = () =>
    nodes.call(
      'res.users.apikeys/generate',
      {
        key: nodes.key,
        scope: 'rpc',
        name: 'once',
        expiration_date: new Date(Date.now() + 864e5).toISOString().slice(0, 10),
      },
      keyed(),
    )
  await nodes.run((env) =>
    env.model('ir.config_parameter').set_param({ key: 'base.enable_programmatic_api_keys', value: 'True' }),
  )
  const creation = await make()
  assert.equal(creation.status, 200, creation.text)
  const again = await make()
  assert.deepEqual([again.status, again.headers.get('error-code')], [409, 'idempotency_answer_not_kept'])
  const [counts] = await nodes.run(({ unit }) =>
    unit.query(
      sql`SELECT (SELECT count(*)::int FROM res_users_apikeys WHERE name = 'once'), (SELECT count(*)::int FROM comptoir_idempotency WHERE answer LIKE ${`%${creation.body}%`})`,
    ),
  )
  assert.deepEqual(counts, [1, 0])
  assert.deepEqual(await tablesWith(creation.body as string), [])
  // A control: the search does find a text that is in a table.
  assert.deepEqual(await tablesWith('base.enable_programmatic_api_keys'), ['ir_config_parameter'])
})

/** Tables with a row in which a text stands. */
async function tablesWith(text: string): Promise<unknown[]> {
  return nodes.run(async ({ unit }) => {
    const tables = await unit.query(
      sql`SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    const parts = tables.map(
      ([name]) =>
        sql`SELECT ${String(name)} WHERE EXISTS (SELECT FROM ${id(String(name))} t WHERE strpos(t::text, ${text}) > 0)`,
    )
    return (await unit.query(join(parts, ' UNION ALL '))).flat()
  })
}

test('idempotency: a keyed call takes as many round trips as one without, a replay two', async () => {
  for (const warm of ['a', 'b']) await create('Warm', keyed(`warm ${warm}`.replace(' ', '-')))
  await nodes.call('res.partner/create', { vals_list: [{ name: 'Warm' }] })
  const plain = await measured(() => nodes.call('res.partner/create', { vals_list: [{ name: 'Counted' }] }))
  // The lookup of the key is sent with the credential check, and its row with the change.
  const first = await measured(() => create('Counted'))
  assert.deepEqual([first.trips, first.statements], [plain.trips, plain.statements])
  assert.equal((await measured(() => create('Counted'))).trips, 2)
})

test('idempotency: a database may require keys for some calls, on every node', async () => {
  const want = (value: string | false) =>
    nodes.call('ir.config_parameter/set_param', { key: 'comptoir.idempotency_required', value })
  await want('res.partner/create, trials.*/*')
  try {
    for (const node of [0, 1]) {
      const refused = await nodes.call('res.partner/create', { vals_list: [{ name: 'No key' }] }, {}, node)
      assert.deepEqual([refused.status, refused.headers.get('error-code')], [400, 'idempotency_key_required'])
      const [, path] = /^<(.+)>; rel="describedby"$/.exec(refused.headers.get('link') ?? '') ?? []
      const page = await fetch(`${nodes.servers[node]?.url}${path}`, {
        headers: { accept: 'application/json' },
      })
      assert.equal(((await page.json()) as { code: string }).code, 'idempotency_key_required')
    }
    assert.equal((await create('With key')).status, 200)
    assert.equal((await nodes.call('res.partner/search_count', { domain: [] })).status, 200)
  } finally {
    await want(false)
  }
  assert.equal((await nodes.call('res.partner/create', { vals_list: [{ name: 'No key' }] })).status, 200)
})

test('idempotency: a malformed header is rejected before anything runs', async () => {
  for (const header of ['', '"', '"open', 'two words', `"${'x'.repeat(256)}"`, '"a", "b"', '"a"b']) {
    const refused = await create('Malformed', { 'idempotency-key': header } as never)
    assert.deepEqual([refused.status, refused.headers.get('error-code')], [400, 'malformed_header'], header)
  }
  assert.equal(
    (await create('Malformed', { ...keyed(), prefer: 'handling=strict, made=up' } as never)).headers.get(
      'error-code',
    ),
    'unknown_preference',
  )
  assert.equal((await named('Malformed')).length, 0)
  assert.equal(
    (await create('Malformed', { ...keyed(), prefer: 'made="up, here"; why=not, other' } as never)).status,
    200,
  )
})
