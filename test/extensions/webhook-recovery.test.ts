// Endpoints that take nothing for a while: probes, and what the first success releases.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
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

const done = async (path: string, body: object) => {
  const response = await hooked.nodes.call(path, body)
  assert.equal(response.status, 200, response.text)
  return response.body
}
const query = (text: ReturnType<typeof sql>) => hooked.nodes.database.system((env) => env.query(text))
const register = async (vals: object = {}) => {
  const response = await hooked.nodes.post('/x/1/webhooks', {
    url: hooked.hook.url,
    events: ['res.partner.*'],
    fields: { 'res.partner': ['name', 'comment'] },
    ...vals,
  })
  assert.equal(response.status, 201, response.text)
  return (response.body as { id: number }).id
}
const remove = (endpoint: number) => done('comptoir.webhook/unlink', { ids: [endpoint] })
const create = async (name: string) =>
  ((await done('res.partner/create', { vals_list: [{ name }] })) as [number])[0]
/**
 * Has the receiver answer by what it is sent. Failures ask for hours of rest, so that nothing is sent again
 * within a test, nor probed, except by what the test does.
 */
const answerBy = (statusOf: (text: string) => number) => {
  hooked.hook.answer = ({ text }, response) => {
    const status = statusOf(text)
    response.writeHead(status, status === 200 ? {} : { 'retry-after': '32400' }).end()
  }
}
/** Attempts at each delivery that waits, and whether it waits for hours. */
const waiting = async (endpoint: number) =>
  (await query(sql`SELECT attempts, next_at > now() AT TIME ZONE 'UTC' + interval '1 hour' FROM comptoir_webhook_delivery
    WHERE webhook_id = ${endpoint}::int AND state = 'waiting' ORDER BY id`)) as [number, boolean][]
const failed = (endpoint: number, count: number) =>
  until(
    async () => (await waiting(endpoint)).filter(([attempts]) => attempts > 0).length === count,
    `${count} failed`,
  )
/** Moves the outage and what failed in it to an hour ago, as after the second attempt. */
const dateBack = async (endpoint: number) => {
  await query(
    sql`UPDATE comptoir_webhook_lease SET failing_since = failing_since - interval '1 hour' WHERE webhook_id = ${endpoint}::int`,
  )
  await query(sql`UPDATE comptoir_webhook_delivery SET attempts = 2,
      log = jsonb_set(log, '{0,at}', to_jsonb(to_char((log->0->>'at')::timestamp - interval '1 hour', 'YYYY-MM-DD HH24:MI:SS')))
    WHERE webhook_id = ${endpoint}::int AND state = 'waiting' AND attempts = 1`)
}
const probe = (endpoint: number) =>
  query(sql`UPDATE comptoir_webhook_lease SET probe_at = now() WHERE webhook_id = ${endpoint}::int`)
/** Waits until the outcome of a probe is written down: the next one is far away again. */
const probed = (endpoint: number) =>
  until(
    async () =>
      (
        await query(
          sql`SELECT FROM comptoir_webhook_lease WHERE webhook_id = ${endpoint}::int AND probe_at > now() + interval '1 hour'`,
        )
      ).length === 1,
    'the probe failed',
  )

for (const ordered of [false, true])
  test(`webhooks: outage${ordered ? ', ordered' : ''}: a failed probe costs no attempt, the first success releases the rest`, async () => {
    const endpoint = await register({ ordered })
    answerBy(() => 500)
    const ann = await create('Ann')
    await failed(endpoint, 1)
    await create('Bob')
    await done('res.partner/write', { ids: [ann], vals: { comment: 'second' } })
    await failed(endpoint, ordered ? 1 : 2)
    await until(async () => (await waiting(endpoint)).length === 3, 'all are taken up')
    await dateBack(endpoint)
    const before = await waiting(endpoint)
    hooked.hook.got.length = 0
    await probe(endpoint)
    await probed(endpoint)
    assert.equal(hooked.hook.got.length, 1)
    assert.match(hooked.hook.got[0]?.text ?? '', /created.*Ann/)
    assert.deepEqual(await waiting(endpoint), before)
    answerBy(() => 200)
    await probe(endpoint)
    await until(async () => (await waiting(endpoint)).length === 0, 'all arrived')
    const arrived = hooked.hook.got
      .slice(1)
      .map(({ body }) => `${body.type.split('.').at(-1)} ${body.data.values?.name}`)
    assert.equal(arrived[0], 'created Ann')
    assert.deepEqual(ordered ? arrived : arrived.toSorted(), ['created Ann', 'created Bob', 'updated Ann'])
    await remove(endpoint)
  })

test('webhook outage: the rest that a receiver asked for is not shortened by a failure that asks for none', async () => {
  const endpoint = await register()
  answerBy(() => 500)
  await create('Ann')
  await failed(endpoint, 1)
  hooked.hook.answer = (_received, response) => response.writeHead(500).end()
  await create('Bob')
  await failed(endpoint, 2)
  await probed(endpoint)
  await remove(endpoint)
})

test('webhook delivery that fails by itself: the success of another releases it once', async () => {
  const endpoint = await register()
  answerBy((text) => (text.includes('Ann') ? 500 : 200))
  await create('Ann')
  await failed(endpoint, 1)
  await dateBack(endpoint)
  await create('Bob')
  await until(async () => (await waiting(endpoint))[0]?.[0] === 3, 'the success of Bob released it')
  await create('Cid')
  await until(
    async () =>
      (
        await query(
          sql`SELECT FROM comptoir_webhook_lease WHERE webhook_id = ${endpoint}::int AND until <= now() AND failing_since IS NULL`,
        )
      ).length === 1,
    'Cid arrived, and nobody sends',
  )
  assert.deepEqual(await waiting(endpoint), [[3, true]])
  await remove(endpoint)
})

test('webhook refused with 429: keeps its time when another arrives, and replay sends it at once', async () => {
  const endpoint = await register()
  answerBy(() => 429)
  await create('Ann')
  await failed(endpoint, 1)
  await dateBack(endpoint)
  answerBy(() => 200)
  await create('Bob')
  await until(() => hooked.hook.got.some(({ text }) => text.includes('Bob')), 'Bob arrived')
  await until(async () => (await waiting(endpoint)).length === 1, 'that is noted')
  assert.deepEqual(await waiting(endpoint), [[2, true]])
  const replayed = await hooked.nodes.post(`/x/1/webhooks/${endpoint}/replay`, {
    since: '2000-01-01 00:00:00',
    states: ['waiting'],
  })
  assert.deepEqual(replayed.body, { count: 1 })
  await until(async () => (await waiting(endpoint)).length === 0, 'it arrived')
  await remove(endpoint)
})
