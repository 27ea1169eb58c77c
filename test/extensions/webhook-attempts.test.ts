// Retries of webhooks, and the checks before each attempt: whether the user may still receive the
// change.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { type Hooked, openHooked } from '../support/hooked.ts'
import { until } from '../support/receiver.ts'

let hooked: Hooked
before(async () => {
  hooked = await openHooked()
})
after(() => hooked?.close())
beforeEach(() => {
  hooked.hook.got.length = 0
})

type Headers = Record<string, string>
const done = async (path: string, body: object, headers: Headers = {}) => {
  const response = await hooked.nodes.call(path, body, headers)
  assert.equal(response.status, 200, response.text)
  return response.body
}
const register = async (vals: object, headers: Headers = {}) => {
  const response = await hooked.nodes.post('/x/1/webhooks', { url: hooked.hook.url, ...vals }, headers)
  assert.equal(response.status, 201, response.text)
  return (response.body as { id: number }).id
}
const query = (text: ReturnType<typeof sql>) => hooked.nodes.database.system((env) => env.query(text))
const answer = (status: number, headers: Headers = {}) => {
  hooked.hook.answer = (_received, response) => response.writeHead(status, headers).end()
}
/** State, attempts, and seconds between the last attempt and the next one. */
const deliveries = (endpoint: number) =>
  query(sql`SELECT state, attempts, EXTRACT(EPOCH FROM next_at - (log->-1->>'at')::timestamp)::float8 FROM comptoir_webhook_delivery
    WHERE webhook_id = ${endpoint}::int ORDER BY id`)
const hurry = (endpoint: number) =>
  query(
    sql`UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' WHERE webhook_id = ${endpoint}::int AND state = 'waiting'`,
  )
/**
 * Waits until no process sends: the one that just did holds its lease the longer, the more attempts
 * failed.
 */
const left = () =>
  until(
    async () => (await query(sql`SELECT FROM comptoir_webhook_lease WHERE until > now()`)).length === 0,
    'nobody sends',
  )
const create = async (name: string) =>
  ((await done('res.partner/create', { vals_list: [{ name }] })) as [number])[0]

test('webhooks: each failed attempt has its pause, the twelfth none; Retry-After counts up to a day', async () => {
  const [second, minute, hour] = [1, 60, 3600]
  const pauses = [
    5 * second,
    30 * second,
    2 * minute,
    10 * minute,
    30 * minute,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
  ]
  const retryTimes = [
    ['7200', 7200, 7200],
    ['999999', 24 * hour, 24 * hour],
    [new Date(Date.now() + 3 * 3_600_000).toUTCString(), 3 * hour - 120, 3 * hour],
    ['soon', 4, 6],
  ] as const
  const events = ['res.partner.created']
  // An endpoint for each, so that none waits for another.
  const asking = new Map<number, (typeof retryTimes)[number]>()
  for (const retryTime of retryTimes) asking.set(await register({ events }), retryTime)
  const failing = new Map<number, number>()
  for (let attempts = 0; attempts <= pauses.length; attempts++)
    failing.set(await register({ events }), attempts)
  hooked.hook.answer = ({ headers }, response) => {
    const [after] = asking.get(Number(/_w(\d+)$/.exec(String(headers['webhook-id']))?.[1])) ?? []
    response.writeHead(503, after === undefined ? {} : { 'retry-after': after }).end()
  }
  await create('Never')
  const all = [...asking.keys(), ...failing.keys()]
  const tried = (endpoint: number, attempts: number) =>
    until(async () => (await deliveries(endpoint))[0]?.[1] === attempts, `attempt ${attempts} is noted`)
  for (const endpoint of all) await tried(endpoint, 1)
  await left()
  for (const [endpoint, attempts] of failing)
    await query(sql`UPDATE comptoir_webhook_delivery SET attempts = ${attempts}::int, next_at = now() AT TIME ZONE 'UTC'
      WHERE webhook_id = ${endpoint}::int`)
  for (const [endpoint, attempts] of failing) await tried(endpoint, attempts + 1)
  for (const endpoint of all) {
    const [[state, , waits] = []] = await deliveries(endpoint)
    const pause = pauses[failing.get(endpoint) ?? 0]
    if (failing.has(endpoint) && pause === undefined) {
      assert.equal(state, 'dead')
      continue
    }
    const [, least, most] = asking.get(endpoint) ?? [0, Number(pause) * 0.8, Number(pause) * 1.2]
    assert.equal(state, 'waiting')
    // The attempt is noted to the second, and written down when the machine comes to it.
    assert.ok(Number(waits) >= least - 2 && Number(waits) <= most + 60, `${least} to ${most}: ${waits}`)
  }
  await done('comptoir.webhook/unlink', { ids: all })
})

test('webhooks: a user who loses a group gets no more of its records; waiting deliveries are cancelled unsent', async () => {
  const { nodes, hook } = hooked
  const [group, member] = await nodes.run(async (env) => [
    await env.ref('base.group_system'),
    await env.ref('base.group_user'),
  ])
  const [user] = (await done('res.users/create', {
    vals_list: [{ name: 'Boss', login: 'boss', group_ids: [[6, 0, [group, member]]] }],
  })) as [number]
  const boss = {
    authorization: `bearer ${await createKey(nodes.databases, 'test', 'boss', { scope: null, name: 'b', days: 1 })}`,
  }
  const [model] = (await query(sql`SELECT id FROM ir_model WHERE model = 'res.partner'`)) as [[number]]
  await done('ir.model.fields/create', {
    vals_list: [
      {
        name: 'x_secret',
        model_id: model[0],
        ttype: 'char',
        field_description: 'Secret',
        groups: [[6, 0, [group]]],
      },
    ],
  })
  const parameters = await register({ events: ['ir.config_parameter.*'] }, boss)
  const valued = await register(
    { events: ['res.partner.*'], fields: { 'res.partner': ['name', 'x_secret'] } },
    boss,
  )
  answer(200)
  const ann = await create('Ann')
  await done('res.partner/write', { ids: [ann], vals: { x_secret: 'told to some' } })
  await until(() => hook.got.length === 2, 'both came')
  assert.match(hook.got[1]?.text ?? '', /"x_secret":"told to some"/)
  answer(500)
  await done('res.partner/write', { ids: [ann], vals: { x_secret: 'told to nobody' } })
  await done('ir.config_parameter/set_param', { key: 'x.hook', value: 'told to nobody' })
  const tried = async (endpoint: number) =>
    (await deliveries(endpoint)).some(([state, attempts]) => state === 'waiting' && attempts === 1)
  await until(async () => (await tried(parameters)) && (await tried(valued)), 'both were tried')
  await done('res.users/write', { ids: [user], vals: { group_ids: [[3, group]] } })
  answer(200)
  const before = hook.got.length
  for (const endpoint of [parameters, valued]) {
    await hurry(endpoint)
    await until(
      async () => (await deliveries(endpoint)).every(([state]) => state !== 'waiting'),
      'nothing waits',
    )
    assert.equal((await deliveries(endpoint)).at(-1)?.[0], 'cancelled')
  }
  // New deliveries are built with the user's current rights.
  await done('res.partner/write', { ids: [ann], vals: { x_secret: 'told to nobody' } })
  await done('res.partner/write', { ids: [ann], vals: { x_secret: 'told to nobody', name: 'Anna' } })
  await done('ir.config_parameter/set_param', { key: 'x.hook', value: 'nor this' })
  await until(() => hook.got.slice(before).some(({ text }) => text.includes('"Anna"')), 'the name came')
  for (const { text } of hook.got.slice(before))
    assert.doesNotMatch(text, /x_secret|told to nobody|x\.hook|nor this/)
  assert.equal(hook.got.length, before + 1)
  const endpointOfUser = await nodes.post(
    '/x/1/webhooks',
    { url: hook.url, events: ['res.partner.updated'], fields: { 'res.partner': ['x_secret'] } },
    boss,
  )
  assert.ok(endpointOfUser.status === 403 || endpointOfUser.status === 422, endpointOfUser.text)
  for (const endpoint of [parameters, valued]) await done('comptoir.webhook/unlink', { ids: [endpoint] })
})

test('webhooks: a user who leaves a company gets no more of its records, except for removals', async () => {
  const { nodes, hook } = hooked
  const member = await nodes.run((env) => env.ref('base.group_user'))
  const [company] = (await done('res.company/create', { vals_list: [{ name: 'Left' }] })) as [number]
  const [mine] = (await query(sql`SELECT company_id FROM res_users WHERE login = 'admin'`)) as [[number]]
  const [user] = (await done('res.users/create', {
    vals_list: [
      {
        ...{ name: 'Leaver', login: 'leaver', group_ids: [[6, 0, [member]]] },
        ...{ company_id: mine[0], company_ids: [[6, 0, [mine[0], company]]] },
      },
    ],
  })) as [number]
  const leaver = {
    authorization: `bearer ${await createKey(nodes.databases, 'test', 'leaver', { scope: null, name: 'l', days: 1 })}`,
  }
  const endpoint = await register({ events: ['res.partner.*'], fields: { 'res.partner': ['name'] } }, leaver)
  answer(500)
  const [[kept, removed, shared]] = [
    (await done('res.partner/create', {
      vals_list: [
        { name: 'Kept', company_id: company },
        { name: 'Removed', company_id: company },
        { name: 'Shared' },
      ],
    })) as [number, number, number],
  ]
  await until(async () => (await deliveries(endpoint)).length === 3, 'all wait')
  await done('res.partner/unlink', { ids: [removed] })
  await until(async () => (await deliveries(endpoint)).length === 4, 'the removal waits too')
  await left()
  await done('res.users/write', { ids: [user], vals: { company_ids: [[6, 0, [mine[0]]]] } })
  hook.got.length = 0
  answer(200)
  await hurry(endpoint)
  await until(
    async () => (await deliveries(endpoint)).every(([state]) => state !== 'waiting'),
    'nothing waits',
  )
  const events = hook.got.map(({ body }) => `${body.data.id} ${body.type}`)
  assert.ok(events.includes(`${shared} res.partner.created`), events.join())
  assert.ok(events.includes(`${removed} res.partner.deleted`), events.join())
  assert.ok(!events.some((line) => line.startsWith(`${kept} `)), events.join())
  await done('comptoir.webhook/unlink', { ids: [endpoint] })
})
