// A key that changes while it is in use: what is open then (a stream, a long wait, a job of rows) ends or is
// refused, on every node, whatever changed: its scope, its addresses, its days, or that it is there at all.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, restrictKey, revokeKeys } from '../../src/services/keys.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

let keyCount = 0
/** A key of the administrator's, with its id. */
async function newKey(scope = 'rpc') {
  const name = `in use ${++keyCount}`
  const key = await createKey(nodes.databases, 'test', 'admin', { scope, name, days: 1 })
  const id = (await listKeys(nodes.databases, 'test', 'admin')).find((key) => key.name === name)?.id ?? 0
  return { key, id, headers: { authorization: `bearer ${key}`, 'x-service-database': 'test' } }
}

/** Changes of a key, and the status of a later call with it. */
const changes: Readonly<Record<string, { become: (id: number) => Promise<unknown>; status: number }>> = {
  'its scope closes the model': {
    become: (id) => restrictKey(nodes.databases, 'test', id, { scope: 'rpc model:res.country:r' }),
    status: 403,
  },
  'its scope closes the feed': {
    become: (id) => restrictKey(nodes.databases, 'test', id, { scope: 'rpc batch' }),
    status: 403,
  },
  'it is for other addresses': {
    become: (id) => restrictKey(nodes.databases, 'test', id, { addresses: '192.0.2.0/24' }),
    status: 401,
  },
  'it is over': {
    become: (id) =>
      nodes.run(({ unit }) =>
        unit.query(
          sql`UPDATE res_users_apikeys SET expiration_date = now() AT TIME ZONE 'UTC' - interval '1 minute' WHERE id = ${id}::int`,
        ),
      ),
    status: 401,
  },
  'it is revoked': {
    become: (id) => revokeKeys(nodes.databases, 'test', { ids: [id] }),
    status: 401,
  },
}

const touch = (phone: string) => nodes.call('res.partner/write', { ids: [1], vals: { phone } })

for (const [what, { become, status }] of Object.entries(changes))
  test(`narrowed keys: a key that waits for changes while ${what}`, async () => {
    const { id, headers } = await newKey()
    const question = { models: { 'res.partner': { fields: ['phone'] } } }
    const begun = await nodes.post('/x/1/changes', { ...question, from: 'now' }, headers, 1)
    const { cursor } = begun.body as { cursor: string }
    // A stream and a long wait on the other node, both waiting.
    const ending = new AbortController()
    const stream = await fetch(
      `${nodes.servers[1]?.url}/x/1/changes?models=res.partner&fields.res.partner=phone&from=now`,
      { headers: { ...headers, accept: 'text/event-stream' }, signal: ending.signal },
    )
    assert.equal(stream.status, 200)
    let text = ''
    let isOver = false
    const reading = (async () => {
      for await (const piece of stream.body ?? []) text += Buffer.from(piece).toString()
      isOver = true
    })().catch(() => undefined)
    const waiting = nodes.post('/x/1/changes', { ...question, cursor, wait: 40 }, headers, 1)
    await touch(`before ${what}`)
    await until(() => text.includes(`before ${what}`), 'the stream tells')
    assert.equal((await waiting).status, 200)
    const next = ((await waiting).body as { cursor: string }).cursor
    const again = nodes.post('/x/1/changes', { ...question, cursor: next, wait: 40 }, headers, 1)
    await sleep(200)
    await become(id)
    await touch(`after ${what}`)
    const response = await again
    assert.equal(response.status, status, response.text)
    assert.ok(!response.text.includes('after'))
    await until(() => isOver, 'the stream ends')
    ending.abort()
    await reading
    assert.ok(!text.includes(`after ${what}`), text)
  })

for (const [what, { become }] of Object.entries(changes))
  test(`narrowed keys: rows that arrive while ${what === 'its scope closes the feed' ? 'its scope closes jobs' : what} create no records`, async () => {
    const { key, id, headers } = await newKey()
    const lines = Array.from({ length: 40 }, (_, n) =>
      JSON.stringify({ external_id: `use.k${id}_${n}`, name: `of key ${id}` }),
    )
    const begun = Promise.withResolvers<void>()
    const rest = Promise.withResolvers<void>()
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(`${lines.slice(0, 20).join('\n')}\n`))
        begun.resolve()
        await rest.promise
        controller.enqueue(Buffer.from(`${lines.slice(20).join('\n')}\n`))
        controller.close()
      },
    })
    const sending = fetch(`${nodes.servers[1]?.url}/x/1/bulk/res.partner?key=external_id`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    } as RequestInit)
    await begun.promise
    await until(
      async () =>
        (
          await nodes.run(({ unit }) =>
            unit.query(
              sql`SELECT FROM comptoir_job j JOIN res_users_apikeys k ON k.key_hash = j.key_hash WHERE k.id = ${id}::int`,
            ),
          )
        ).length > 0,
      'the job is there',
    )
    await become(id)
    rest.resolve()
    const { status } = await sending
    assert.ok([202, 401, 403].includes(status), String(status))
    // The accepted job is over, and changed nothing.
    await until(
      async () =>
        (
          await nodes.run(({ unit }) =>
            unit.query(
              sql`SELECT FROM comptoir_job WHERE state IN ('queued', 'running', 'receiving') AND call LIKE '%bulk%'`,
            ),
          )
        ).length === 0,
      'the job is over',
      60,
    )
    const { body: count } = await nodes.call('res.partner/search_count', {
      domain: [['name', '=', `of key ${id}`]],
    })
    assert.equal(count, 0, key)
  })
