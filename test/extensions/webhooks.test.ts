// Webhooks: committed changes are sent, signed, in order, at least once, to endpoints whose user may
// see them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { InvalidWebhook, verifyWebhook } from '../../src/client/index.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { openReceiver, type Receiver, until } from '../support/receiver.ts'

/** Changes written on two nodes: COMPTOIR_TEST_CHANGES=10000 is a long run. */
const WRITES = Number(process.env.COMPTOIR_TEST_CHANGES ?? 120)

let nodes: Nodes
let hook: Receiver
before(async () => {
  nodes = await openNodes({
    count: 2,
    known: modules.filter(({ name }) => ['base', 'mail', 'uom', 'product'].includes(name)),
    webhookAllow: ['127.0.0.0/8'],
    webhookHttp: true,
  })
  hook = await openReceiver()
})
after(async () => {
  await nodes?.close()
  await hook?.close()
})
beforeEach(() => {
  hook.got.length = 0
  hook.answer = (_received, response) => response.writeHead(200).end('ok')
})

type Endpoint = { id: number; secret: string; state: string; reason: string | false; waiting: number }
type Delivery = {
  id: number
  event: string
  type: string
  res_id: number
  state: string
  attempts: number
  status: number | false
  error: string | false
  log: { status: number | null }[] | null
}

const register = async (vals: object, headers: Record<string, string> = {}) => {
  const response = await nodes.post('/x/1/webhooks', { url: hook.url, ...vals }, headers)
  assert.equal(response.status, 201, response.text)
  return response.body as Endpoint
}
const of = (endpoint: Endpoint) =>
  hook.got.filter(({ headers }) => String(headers['webhook-id']).endsWith(`_w${endpoint.id}`))
const remove = (endpoint: Endpoint) => nodes.call('comptoir.webhook/unlink', { ids: [endpoint.id] })
const deliveries = async (endpoint: Endpoint) =>
  (
    await nodes.call('comptoir.webhook.delivery/search_read', {
      domain: [['webhook_id', '=', endpoint.id]],
      order: 'id',
    })
  ).body as Delivery[]
const endpointOf = async ({ id }: Endpoint) =>
  ((await nodes.call('comptoir.webhook/overview', {})).body as Endpoint[]).find(
    (endpoint) => endpoint.id === id,
  ) as Endpoint
const create = async (vals: object, node = 0) =>
  ((await nodes.call('res.partner/create', { vals_list: [vals] }, {}, node)).body as [number])[0]
const write = (id: number, vals: object, node = 0) =>
  nodes.call('res.partner/write', { ids: [id], vals }, {}, node)
const briefly = (endpoint: Endpoint) => of(endpoint).map(({ body }) => `${body.type} ${body.data.id}`)
/** Makes waiting deliveries due now. */
const hurry = async (endpoint: Endpoint) => {
  await nodes.database.system((env) =>
    env.query(
      sql`UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' WHERE webhook_id = ${endpoint.id} AND state = 'waiting'`,
    ),
  )
}

test('webhooks: created, changed and removed records are sent in order, signed, with the requested values', async () => {
  const endpoint = await register({ events: ['res.partner.*'], fields: { 'res.partner': ['name', 'email'] } })
  const a = await create({ name: 'Ann', email: 'ann@x' }, 1)
  await write(a, { name: 'Anna' })
  await until(() => of(endpoint).length >= 2, 'two have come')
  await nodes.call('res.partner/unlink', { ids: [a] })
  await until(() => of(endpoint).length >= 3, 'three have come')
  const got = of(endpoint)
  assert.deepEqual(
    briefly(endpoint),
    ['created', 'updated', 'deleted'].map((what) => `res.partner.${what} ${a}`),
  )
  const last = got[2]?.body
  assert.deepEqual(Object.keys(last ?? {}), ['type', 'timestamp', 'sequence', 'database', 'data'])
  const verifier = new Webhook(endpoint.secret)
  for (const { headers, text } of got) verifier.verify(text, headers as Record<string, string>)
  const [first] = got
  assert.throws(() => verifier.verify(`${first?.text} `, first?.headers as Record<string, string>))
  const late = String(Number(first?.headers['webhook-timestamp']) - 600)
  assert.throws(() =>
    verifier.verify(first?.text as string, {
      ...(first?.headers as Record<string, string>),
      'webhook-timestamp': late,
    }),
  )
  // The client's own helper judges alike.
  const request = { body: first?.text ?? '', headers: first?.headers ?? {}, secret: endpoint.secret }
  assert.deepEqual(await verifyWebhook(request), first?.body)
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  await verifyWebhook({ ...request, secret: [other, endpoint.secret] })
  for (const wrong of [
    { body: `${first?.text} ` },
    { secret: other },
    { secret: '' },
    { headers: { ...first?.headers, 'webhook-timestamp': late } },
    { headers: { ...first?.headers, 'webhook-signature': 'v1,%%% v2,abc v1' } },
    { headers: {} },
  ])
    await assert.rejects(verifyWebhook({ ...request, ...wrong }), InvalidWebhook)
  await until(
    async () => (await deliveries(endpoint)).every(({ state }) => state === 'done'),
    'all are noted',
  )
  assert.deepEqual(
    (await deliveries(endpoint)).map(({ attempts, status }) => [attempts, status]),
    [
      [1, 200],
      [1, 200],
      [1, 200],
    ],
  )
  await remove(endpoint)
})

test('webhooks: rolled back changes are not sent; domains, changed fields and patterns filter', async () => {
  const [chosen, all] = [
    await register({
      events: ['res.partner.created', 'res.partner.updated'],
      model_domain: { 'res.partner': [['is_company', '=', true]] },
      changed_fields: { 'res.partner': ['email'] },
    }),
    await register({ events: ['res.partner.created'] }),
  ]
  await nodes.call('res.partner/create', { vals_list: [{ name: 'Dry' }] }, { prefer: 'tx=rollback' })
  assert.notEqual(
    (await nodes.call('res.partner/create', { vals_list: [{ name: 'X', email: 'x', country_id: 99999 }] }))
      .status,
    200,
  )
  const person = await create({ name: 'Person' })
  const shop = await create({ name: 'Shop', is_company: true })
  await write(person, { email: 'p@x' })
  await write(shop, { comment: 'nobody asked' })
  await write(shop, { email: 's@x' })
  await until(() => of(chosen).length >= 2 && of(all).length >= 2, 'both have come')
  assert.deepEqual(briefly(chosen), [`res.partner.created ${shop}`, `res.partner.updated ${shop}`])
  assert.deepEqual(of(chosen)[1]?.body.data, {
    model: 'res.partner',
    id: shop,
    fields: ['email', 'email_normalized'].filter((fieldName) =>
      of(chosen)[1]?.body.data.fields?.includes(fieldName),
    ),
  })
  assert.deepEqual(briefly(all), [`res.partner.created ${person}`, `res.partner.created ${shop}`])
  for (const endpoint of [chosen, all]) await remove(endpoint)
})

test('webhooks: an unstored computed field is reported when its dependencies change', async () => {
  const endpoint = await register({
    events: ['res.partner.updated'],
    changed_fields: { 'res.partner': ['country_code'] },
  })
  const shop = await create({ name: 'Abroad' })
  await write(shop, { comment: 'nobody asked' })
  await write(shop, { country_id: 20 })
  await write(shop, { city: 'Namur' })
  await write(shop, { country_id: false })
  await until(() => of(endpoint).length >= 2, 'both have come')
  assert.deepEqual(
    of(endpoint).map(({ body }) => [body.data.id, body.data.fields?.includes('country_id')]),
    [
      [shop, true],
      [shop, true],
    ],
  )
  await remove(endpoint)
})

test('webhooks: a failed delivery is retried with the same bytes; only its record waits', async () => {
  const endpoint = await register({ events: ['res.partner.*'] })
  const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })]
  await until(() => of(endpoint).length >= 2, 'both are known')
  hook.got.length = 0
  hook.answer = ({ body }, response) => response.writeHead(body.data.id === a ? 500 : 200).end('no')
  await write(a, { email: '1' })
  await write(a, { email: '2' })
  await write(b, { email: '3' })
  await until(
    async () => (await deliveries(endpoint)).filter(({ attempts }) => attempts > 0).length >= 4,
    'the others went',
  )
  assert.deepEqual(briefly(endpoint).toSorted(), [`res.partner.updated ${a}`, `res.partner.updated ${b}`])
  hook.answer = (_received, response) => response.writeHead(200).end('ok')
  await hurry(endpoint)
  await until(() => of(endpoint).length >= 4, 'all went')
  const ofA = of(endpoint).filter(({ body }) => body.data.id === a)
  assert.equal(ofA[0]?.text, ofA[1]?.text)
  assert.deepEqual([...new Set(ofA.map(({ body }) => body.sequence))].length, 2)
  assert.ok(Number(ofA[1]?.body.sequence) < Number(ofA[2]?.body.sequence))
  await until(
    async () => (await deliveries(endpoint)).every(({ state }) => state === 'done'),
    'all are noted',
  )
  const tried = (await deliveries(endpoint)).find(({ attempts }) => attempts === 2)
  assert.deepEqual(
    tried?.log?.map(({ status }) => status),
    [500, 200],
  )
  await remove(endpoint)
})

test('webhooks: a delivery fails for good after the twelfth attempt, and can be sent again under the same id', async () => {
  const endpoint = await register({ events: ['res.partner.created'] })
  hook.answer = (_received, response) => response.writeHead(500).end()
  await create({ name: 'Never' })
  await until(async () => (await deliveries(endpoint))[0]?.attempts === 1, 'it was tried')
  await nodes.database.system((env) =>
    env.query(
      sql`UPDATE comptoir_webhook_delivery SET attempts = 11, next_at = now() AT TIME ZONE 'UTC' WHERE webhook_id = ${endpoint.id}`,
    ),
  )
  await until(async () => (await deliveries(endpoint))[0]?.state === 'dead', 'it is given up')
  hook.answer = (_received, response) => response.writeHead(200).end()
  const [dead] = await deliveries(endpoint)
  const replayed = await nodes.post(`/x/1/webhooks/${endpoint.id}/replay`, { since: '2000-01-01 00:00:00' })
  assert.deepEqual(replayed.body, { count: 1 })
  await until(async () => (await deliveries(endpoint))[0]?.state === 'done', 'it arrived')
  assert.deepEqual([...new Set(of(endpoint).map(({ headers }) => headers['webhook-id']))], [dead?.event])
  await nodes.call('comptoir.webhook.delivery/retry', { ids: [dead?.id] })
  await until(() => of(endpoint).length >= 4, 'it was sent once more')
  await remove(endpoint)
})

test('webhooks: deliveries in sequence wait for one that fails', async () => {
  const endpoint = await register({ events: ['res.partner.created'], ordered: true })
  let fails = 1
  hook.answer = (_received, response) => response.writeHead(fails-- > 0 ? 503 : 200).end()
  for (const name of ['A', 'B', 'C']) await create({ name })
  await until(async () => (await deliveries(endpoint)).some(({ attempts }) => attempts > 0), 'one was tried')
  assert.equal(of(endpoint).length, 1)
  await hurry(endpoint)
  await until(() => of(endpoint).length >= 4, 'all went')
  const sequences = of(endpoint).map(({ body }) => Number(body.sequence))
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
  await remove(endpoint)
})

test('webhooks: a new secret signs together with the old one, then alone; neither is shown anywhere', async () => {
  const endpoint = await register({ events: ['res.partner.created'] })
  const rotated = (await nodes.post(`/x/1/webhooks/${endpoint.id}/rotate_secret`, { hours: 1 })).body as {
    secret: string
  }
  await create({ name: 'Two' })
  await until(() => of(endpoint).length >= 1, 'it came')
  const verify = (secret: string, n: number) =>
    new Webhook(secret).verify(
      of(endpoint)[n]?.text as string,
      of(endpoint)[n]?.headers as Record<string, string>,
    )
  for (const secret of [endpoint.secret, rotated.secret]) verify(secret, 0)
  await nodes.database.system((env) =>
    env.query(sql`UPDATE comptoir_webhook_secret SET until = now() WHERE until < 'infinity'`),
  )
  await create({ name: 'One' })
  await until(() => of(endpoint).length >= 2, 'the next came')
  verify(rotated.secret, 1)
  assert.throws(() => verify(endpoint.secret, 1))
  const all = await nodes.call('comptoir.webhook/read', { ids: [endpoint.id] })
  const audit = await nodes.call('comptoir.audit/search_read', { domain: [['event', '=like', 'webhook.%']] })
  for (const { text } of [all, audit])
    assert.ok(!text.includes('whsec_') && !text.includes(rotated.secret.slice(6)))
  assert.match(audit.text, /webhook\.rotate/)
  await remove(endpoint)
})

test('webhooks: 410 ends an endpoint; a pause keeps changes; a ping returns the receiver’s answer', async () => {
  const endpoint = await register({ events: ['res.partner.created'] })
  const ping = (await nodes.post(`/x/1/webhooks/${endpoint.id}/ping`, {})).body as Delivery & {
    reply: string
  }
  assert.deepEqual([ping.type, ping.status, ping.reply], ['webhook.ping', 200, 'ok'])
  await nodes.call('comptoir.webhook/write', { ids: [endpoint.id], vals: { state: 'paused' } })
  await create({ name: 'Meanwhile' })
  await until(async () => (await deliveries(endpoint)).length === 2, 'it is kept')
  await nodes.call('comptoir.webhook/write', { ids: [endpoint.id], vals: { state: 'active' } })
  await until(() => of(endpoint).length >= 2, 'it went')
  hook.answer = (_received, response) => response.writeHead(410).end()
  await create({ name: 'Gone' })
  await until(async () => (await endpointOf(endpoint)).state === 'disabled', 'it is disabled')
  // The account page shows this reason with the state.
  assert.equal((await endpointOf(endpoint)).reason, 'The receiver answered 410 Gone.')
  const audit = await nodes.call('comptoir.audit/search_count', {
    domain: [['event', '=', 'webhook.disable']],
  })
  assert.equal(audit.body, 1)
  await remove(endpoint)
})

test('webhooks: a redirect is a failed attempt, and is not followed', async () => {
  const elsewhere = await openReceiver()
  const endpoint = await register({ events: ['res.partner.created'] })
  // To another place of the receiver, to another receiver, and to one that no endpoint may have.
  const locations = [elsewhere.url, '/other', 'http://169.254.169.254/latest']
  const answers = [300, 301, 302, 303, 307, 308].flatMap((status) =>
    locations.map((location) => ({ status, location })),
  )
  const answersSent = new Map<number, number>()
  hook.answer = ({ body }, response) => {
    const answer = answers[answersSent.size]
    // The others arrive, so that the receiver is one to go on with.
    if (!answer) return response.writeHead(200).end()
    answersSent.set(body.data.id, answer.status)
    return response.writeHead(answer.status, { location: answer.location }).end()
  }
  try {
    const count = answers.length + 10
    await nodes.call('res.partner/create', {
      vals_list: Array.from({ length: count }, (_, at) => ({ name: `Moved ${at}` })),
    })
    const tried = async () => (await deliveries(endpoint)).filter(({ status }) => status)
    await until(async () => (await tried()).length === count, 'all were tried')
    assert.equal(answersSent.size, answers.length)
    for (const { res_id, state, status } of await tried())
      assert.deepEqual(
        [state, status],
        answersSent.has(res_id) ? ['waiting', answersSent.get(res_id)] : ['done', 200],
      )
    assert.equal(of(endpoint).length, count)
    assert.equal(elsewhere.got.length, 0)
  } finally {
    await elsewhere.close()
    await remove(endpoint)
  }
})

test('webhooks: a hanging receiver does not delay others', async () => {
  const [slow, quick] = [
    await register({ events: ['res.partner.created'] }),
    await register({ events: ['res.partner.created'] }),
  ]
  const { promise, resolve } = Promise.withResolvers<void>()
  hook.answer = async ({ headers }, response) => {
    if (String(headers['webhook-id']).endsWith(`_w${slow.id}`)) await promise
    response.writeHead(200).end()
  }
  const count = 12
  for (let n = 0; n < count; n++) await create({ name: `Q${n}` }, n % 2)
  await until(
    async () => (await deliveries(quick)).filter(({ state }) => state === 'done').length === count,
    'all came',
  )
  // As many as may be under way at a time.
  assert.ok(of(slow).length <= 4 && (await deliveries(slow)).every(({ state }) => state === 'waiting'))
  resolve()
  await until(
    async () => (await deliveries(slow)).every(({ state }) => state === 'done'),
    'the others came too',
  )
  for (const endpoint of [slow, quick]) await remove(endpoint)
})

test('webhooks: a slow answer delays only its own record', async () => {
  const endpoint = await register({ events: ['res.partner.*'], concurrency: 2 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const stuck = await create({ name: 'Stuck' })
  await until(() => of(endpoint).length === 1, 'it is known')
  hook.answer = async ({ body }, response) => {
    if (body.data.id === stuck) await promise
    response.writeHead(200).end()
  }
  await write(stuck, { email: '1' })
  await until(() => of(endpoint).length === 2, 'it hangs')
  // More about it than what is looked up at a time.
  for (let n = 0; n < 60; n++) await write(stuck, { phone: `${n}` }, n % 2)
  for (let n = 0; n < 3; n++) {
    const other = await create({ name: `O${n}` }, n % 2)
    await write(stuck, { email: `${n + 2}` })
    await until(() => briefly(endpoint).includes(`res.partner.created ${other}`), 'others come meanwhile')
  }
  const sent = () => of(endpoint).filter(({ body }) => body.data.id === stuck)
  assert.equal(sent().length, 2)
  resolve()
  await until(async () => (await deliveries(endpoint)).every(({ state }) => state === 'done'), 'all came')
  const places = sent().map(({ body }) => Number(body.sequence))
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.equal(new Set(of(endpoint).map(({ headers }) => headers['webhook-id'])).size, of(endpoint).length)
  await remove(endpoint)
})

test('webhooks: non-public addresses, other schemes, unknown events and forbidden models are rejected', async () => {
  const refused = async (vals: object) => {
    const response = await nodes.post('/x/1/webhooks', {
      url: hook.url,
      events: ['res.partner.created'],
      ...vals,
    })
    return [response.status, response.headers.get('error-code')]
  }
  for (const url of [
    'http://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://[::ffff:10.0.0.1]/',
    'https://[::1]/',
    'https://0x7f.1:22/',
    'https://user:secret@example.com/',
    'ftp://example.com/',
    'https://example.com:25/',
    'nonsense',
  ])
    assert.deepEqual(await refused({ url }), [422, 'url_refused'], url)
  assert.equal((await refused({ events: ['res.partner.crated'] }))[0], 422)
  assert.equal((await refused({ events: [] }))[0], 422)
  assert.equal((await refused({ fields: { 'res.partner': ['nonsense'] } }))[0], 422)
  assert.equal((await refused({ model_domain: { 'res.partner': [['name']] } }))[0], 422)
  for (const path of ['nonsense', 'country_id.nonsense'])
    assert.deepEqual(await refused({ model_domain: { 'res.partner': [[path, '=', 1]] } }), [
      422,
      'unknown_field',
    ])
  assert.equal((await refused({ concurrency: 1000 }))[0], 422)
})

test('webhooks: deliveries of a process that dies are sent again by another, under the same id', async () => {
  const endpoint = await register({ events: ['res.partner.created'] })
  const lease = (text: string) =>
    nodes.database.system((env) =>
      env.query(
        sql`UPDATE comptoir_webhook_lease SET holder = gen_random_uuid(), until = ${text}::timestamptz WHERE webhook_id = ${endpoint.id}`,
      ),
    )
  const { promise, resolve } = Promise.withResolvers<void>()
  hook.answer = async (_received, response) => {
    await promise
    response.writeHead(200).end()
  }
  await create({ name: 'Lost' })
  await until(() => of(endpoint).length === 1, 'it is under way')
  // To the others it looks as if the process was gone, and a third had the endpoint.
  await lease('infinity')
  resolve()
  hook.answer = (_received, response) => response.writeHead(200).end()
  await create({ name: 'Next' })
  await until(async () => (await deliveries(endpoint)).length === 2, 'the next is taken up')
  assert.deepEqual(
    (await deliveries(endpoint)).map(({ state }) => state),
    ['waiting', 'waiting'],
  )
  await lease('-infinity')
  await until(async () => (await deliveries(endpoint)).every(({ state }) => state === 'done'), 'all arrived')
  const [first, second] = of(endpoint)
  assert.deepEqual([first?.headers['webhook-id'], first?.text], [second?.headers['webhook-id'], second?.text])
  await remove(endpoint)
})

test('webhooks: two nodes send many changes once each, in order for every record', async () => {
  const endpoint = await register({ events: ['res.partner.*'], concurrency: 16 })
  const people: number[] = []
  for (let n = 0; n < WRITES / 12; n++) people.push(await create({ name: `P${n}` }, n % 2))
  let count = people.length
  const numbers = Array.from({ length: WRITES }, (_, n) => n).values()
  const writer = async () => {
    for (const n of numbers) {
      const { status } = await write(people[n % people.length] as number, { comment: `${n}` }, n % 2)
      if (status === 200) count++
    }
  }
  await Promise.all(Array.from({ length: 30 }, writer))
  await until(() => of(endpoint).length >= count, 'all have come', 20 + WRITES / 50)
  const ids = of(endpoint).map(({ headers }) => String(headers['webhook-id']))
  assert.deepEqual([ids.length, new Set(ids).size], [count, count])
  for (const [record, deliveriesOfRecord] of Map.groupBy(of(endpoint), ({ body }) => body.data.id)) {
    const sequences = deliveriesOfRecord.map(({ body }) => Number(body.sequence))
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
      `record ${record}`,
    )
  }
  await remove(endpoint)
})

test('webhooks: users get nothing that they may not see; scoped keys cannot create endpoints', async () => {
  const { database } = nodes
  const clerk = await database.system(async (env) => {
    const [user] = (
      await env
        .model('res.users')
        .create([{ name: 'Hook', login: 'hook', password: 'hook of a clerk' }] as never)
    ).ids
    return user as number
  })
  const headersOfHook = {
    authorization: `bearer ${await createKey(nodes.databases, 'test', 'hook', { scope: null, name: 'h', days: 1 })}`,
  }
  const refused = await nodes.post(
    '/x/1/webhooks',
    { url: hook.url, events: ['ir.config_parameter.updated'] },
    headersOfHook,
  )
  assert.equal(refused.status, 403)
  assert.equal(
    (
      await nodes.post(
        '/x/1/webhooks',
        { url: hook.url, events: ['res.partner.created'], user_id: 2 },
        headersOfHook,
      )
    ).status,
    403,
  )
  const endpoint = await register(
    { events: ['res.partner.*'], fields: { 'res.partner': ['name'] } },
    headersOfHook,
  )
  assert.equal(
    (
      await nodes.call(
        'comptoir.webhook/search_count',
        { domain: [['id', '!=', endpoint.id]] },
        headersOfHook,
      )
    ).body,
    0,
  )
  const narrow = await createKey(nodes.databases, 'test', 'hook', {
    scope: 'rpc webhooks model:res.partner:r',
    name: 'n',
    days: 1,
  })
  const byNarrow = await nodes.post(
    '/x/1/webhooks',
    { url: hook.url, events: ['res.partner.created'] },
    { authorization: `bearer ${narrow}` },
  )
  assert.deepEqual([byNarrow.status, byNarrow.headers.get('error-code')], [403, 'scope_missing'])
  assert.match(byNarrow.text, /lacks rpc without model, method or company/)
  const [company] = (await nodes.call('res.company/create', { vals_list: [{ name: 'Elsewhere' }] })).body as [
    number,
  ]
  const hidden = await create({ name: 'Hidden', company_id: company })
  const seen = await create({ name: 'Seen' })
  await until(() => of(endpoint).some(({ body }) => body.data.id === seen), 'the one came')
  assert.ok(!of(endpoint).some(({ body }) => body.data.id === hidden))
  // Deliveries that still wait when their user is archived are not sent.
  hook.answer = (_received, response) => response.writeHead(500).end()
  await write(seen, { name: 'Secret by now' })
  await until(
    async () =>
      (await deliveries(endpoint)).some(({ attempts, type }) => attempts > 0 && type.endsWith('updated')),
    'it waits',
  )
  const before = of(endpoint).length
  await nodes.call('res.users/write', { ids: [clerk], vals: { active: false } })
  await hurry(endpoint)
  await until(
    async () => (await deliveries(endpoint)).some(({ state }) => state === 'cancelled'),
    'it is cancelled',
  )
  assert.equal(of(endpoint).length, before)
  await remove(endpoint)
})
