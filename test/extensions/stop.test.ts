// A server that stops gives at once what it holds back: pages of the feed, jobs that are waited for, and
// pings of webhooks.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { pulse } from '../../src/services/changes/index.ts'
import { awaited } from '../../src/services/jobs/index.ts'
import { raw } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { openReceiver, until } from '../support/receiver.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({
    count: 3,
    known: modules.filter(({ name }) => name === 'base'),
    webhookAllow: ['127.0.0.0/8'],
    webhookHttp: true,
  })
})
after(() => nodes?.close())

type Page = { readonly changes: unknown[]; readonly cursor: string; readonly more: boolean }
const bearer = () => ({ authorization: `bearer ${nodes.key}` })
const ask = async (node: number, body: object) => {
  const { status, body: answer } = await nodes.post('/x/1/changes', body, bearer(), node)
  assert.equal(status, 200, JSON.stringify(answer))
  return answer as Page
}

test('shutdown: a waiting page is answered when the server stops, and nothing is lost after its cursor', async () => {
  const server = nodes.servers[1]
  assert.ok(server)
  const question = { models: { 'res.partner': { fields: ['name'] } } }
  const { cursor } = await ask(1, { ...question, from: 'now' })
  const heart = await pulse(server.databases, 'test')
  const held = Promise.withResolvers<void>()
  const next = heart.next.bind(heart)
  // Time alone ends no wait here.
  heart.next = (patience) => {
    held.resolve()
    return next({ ...patience, milliseconds: 2 ** 30 })
  }
  const page = ask(1, { ...question, cursor, wait: 60 })
  await held.promise
  await server.close()
  const { changes, more, cursor: behind } = await page
  assert.deepEqual({ changes, more }, { changes: [], more: false })
  await nodes.call('res.partner/create', { vals_list: [{ name: 'Later' }] })
  const after = await ask(0, { ...question, cursor: behind })
  assert.deepEqual(
    after.changes.map((change) => (change as { values: { name: string } }).values.name),
    ['Later'],
  )
})

test('shutdown: a call that waits for a job gets its current state when the server stops', async () => {
  const id = '01890000-0000-7000-8000-000000000001'
  await nodes.run(({ unit }) =>
    // A job whose rows are still being received is not started.
    unit.query(
      raw(
        `INSERT INTO comptoir_job (id, uid, key_hash, call, state) VALUES ('${id}', 2, '\\x00', '{}', 'receiving') RETURNING id`,
      ),
    ),
  )
  const { databases } = nodes
  const stopping = new AbortController()
  const owner = { database: 'test', credential: { kind: 'key', key: nodes.key }, remote: '' } as const
  const waiting = awaited(databases, owner, id, { seconds: 2 ** 30, signal: stopping.signal })
  stopping.abort()
  const job = await waiting
  assert.deepEqual([job?.state, job?.finished], ['receiving', null])
})

test('shutdown: a ping without an answer gets its current state when the server stops', async () => {
  const server = nodes.servers[2]
  assert.ok(server)
  const hook = await openReceiver()
  try {
    hook.answer = () => undefined
    const vals = { url: hook.url, events: ['res.partner.created'] }
    const { body } = await nodes.post('/x/1/webhooks', vals, bearer())
    const { id } = body as { id: number }
    const ping = nodes.post(`/x/1/webhooks/${id}/ping`, {}, bearer(), 2)
    await until(() => hook.got.length > 0, 'the ping is with its receiver')
    // Time alone ends no wait here.
    const now = performance.now()
    const still = mock.method(performance, 'now', () => now)
    const closed = server.close()
    const { status, body: answer } = await ping.finally(() => still.mock.restore())
    assert.deepEqual([status, (answer as { state: string; attempts: number }).state], [200, 'waiting'])
    await nodes.call('comptoir.webhook/unlink', { ids: [id] })
    await closed
  } finally {
    await hook.close()
  }
})
