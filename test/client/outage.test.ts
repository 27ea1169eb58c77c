// The typed client in an outage: each of its writes happens once and succeeds, wherever the line breaks and
// however long the server is away, within the client's patience.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '../../src/client/index.ts'
import { modules } from '../../src/main.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { openRelay, type Relay } from '../support/relay.ts'

/**
 * Where the line breaks: before the request arrives, before its answer is sent on, or at a gateway that
 * answers with 504 instead.
 */
const faults = ['request lost', 'answer dropped', 'answer of a gateway'] as const
type Fault = (typeof faults)[number]

/** Milliseconds for which the server is away after the fault, by the clock of the client's waits. */
const outages = [0, 20_000]

const model = 'res.partner'
/** The writes of the client: each makes one record of that name, given the id of a record. */
const writes: Readonly<Record<string, (client: Client, name: string, id: number) => Promise<unknown>>> = {
  create: (client, name) => client.model(model).create({ name }),
  'create of a list': (client, name) => client.model(model).create([{ name }]),
  write: (client, name, id) => client.model(model).write(id, { child_ids: [[0, 0, { name }]] }),
  copy: (client, name, id) => client.model(model).copy(id, { name }),
  upsert: (client, name, id) =>
    client.model(model).upsert('external_id', [{ name, external_id: `outage.${id}` }]),
  'a call of a method': (client, name) =>
    client.model(model).call('web_save', { vals: { name }, specification: { name: {} } }, { ids: [] }),
  batch: (client, name) => client.batch([{ model, method: 'create', body: { vals_list: [{ name }] } }]),
  unlink: async (client, name, id) => {
    assert.equal(await client.model(model).unlink(id), true)
    // One record is there once the removal was done.
    await client.model(model).create({ name })
  },
}

let nodes: Nodes
let line: Relay
let fault: Fault | null = null
let away = 0
let clock = 0

before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
  line = await openLine()
})
after(async () => {
  await line?.close()
  await nodes?.close()
})

/** A line to the server that breaks once at the next fault that is set. */
async function openLine(port?: number): Promise<Relay> {
  const target = Number(new URL(nodes.servers[0]?.url ?? '').port)
  return openRelay(
    target,
    (client, upstream) => {
      const breakAt = (kinds: readonly Fault[]): boolean => {
        if (fault === null || !kinds.includes(fault)) return false
        if (fault === 'answer of a gateway')
          client.end('HTTP/1.1 504 Gateway Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
        else client.resetAndDestroy()
        upstream.destroy()
        fault = null
        if (away > 0) void line.close()
        return true
      }
      client.on('data', (chunk) => {
        if (!breakAt(['request lost'])) upstream.write(chunk)
      })
      upstream.on('data', (chunk) => {
        if (!breakAt(['answer dropped', 'answer of a gateway'])) client.write(chunk)
      })
    },
    port,
  )
}

/** Waits by a clock of its own; the server is back when the outage is over. */
async function wait(ms: number): Promise<void> {
  clock += ms
  if (away === 0 || clock < away) return
  away = 0
  line = await openLine(line.port)
}

const named = (name: string) =>
  nodes.run(({ unit }) => unit.query(sql`SELECT id FROM res_partner WHERE name = ${name}`))

test('every write of the client happens once and succeeds, whatever breaks and however long the server is away', async () => {
  for (const [write, run] of Object.entries(writes))
    for (const at of faults)
      for (const outage of outages) {
        const client = createClient({
          url: `http://127.0.0.1:${line.port}`,
          ...{ database: 'test', key: nodes.key, retry: { wait } },
        })
        const title = `${write}, ${at}, away for ${outage} ms`
        const id = await client.model(model).create({ name: `Before: ${title}` })
        ;[fault, away, clock] = [at, outage, 0]
        await run(client, title, id)
        assert.deepEqual([fault, away, (await named(title)).length], [null, 0, 1], title)
      }
})

test('a server that stays away ends the patience of the client with an error', async () => {
  const client = createClient({
    url: `http://127.0.0.1:${line.port}`,
    ...{ database: 'test', key: nodes.key, retry: { wait } },
  })
  await client.version()
  ;[fault, away, clock] = ['request lost', 1e9, 0]
  await assert.rejects(client.model(model).create({ name: 'Nobody' }), TypeError)
  assert.equal(Math.round(clock), 30_000)
})
