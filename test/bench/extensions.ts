// What lies beyond the documented API, measured in one run: two servers, one with all of it and one with
// nothing, in turns. Every figure is a ratio or a delay of this run.
// node test/bench/extensions.ts [--rounds 11] [--calls 500]
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import { modules } from '../../src/main.ts'
import { Connection } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { openReceiver } from '../support/receiver.ts'
import { type Served, serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { cpuSeconds } from './cpu.ts'

interface Asker {
  /** Seconds of processor time of the server and its PostgreSQL so far. */
  worked(): number
  /** Milliseconds that a call took, and its answer. */
  post(path: string, body: object, headers?: Record<string, string>): Promise<{ ms: number; body: unknown }>
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

function askerOf({ url, pid }: Served, key: string, postgres: number): Asker {
  return {
    worked: () => cpuSeconds(pid, postgres) + cpuSeconds(postgres),
    post: (path, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const began = performance.now()
        const asked = request(`${url}${path}`, {
          method: 'POST',
          agent,
          headers: {
            'content-type': 'application/json',
            authorization: `bearer ${key}`,
            'x-service-database': 'test',
            ...headers,
          },
        })
        asked.once('error', reject).once('response', async (answer) => {
          const chunks: Buffer[] = []
          for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
          const text = Buffer.concat(chunks).toString()
          if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${path}: ${answer.statusCode} ${text}`))
          else resolve({ ms: performance.now() - began, body: text ? JSON.parse(text) : null })
        })
        asked.end(JSON.stringify(body))
      }),
  }
}

/** The process of PostgreSQL that all its others descend from. */
async function postmasterOf({ databases }: TestDatabase): Promise<number> {
  const connection = await Connection.connect({ ...databases.address, database: 'postgres' })
  const [row] = await connection.query('SELECT pg_backend_pid()', [])
  const stat = readFileSync(`/proc/${row?.[0]}/stat`, 'utf8')
  await connection.close()
  // Field 4 of proc(5), counted from behind the program's name.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

/** Calls a second, `lanes` at a time. */
async function rate(count: number, lanes: number, one: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const began = performance.now()
  const lane = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return count / ((performance.now() - began) / 1000)
}

/** The median of ratios of rounds in turns, each the other way round than the one before. */
async function ratio(rounds: number, a: () => Promise<number>, b: () => Promise<number>): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 ? [await b(), await a()] : [await a(), await b()]
    found.push(round % 2 ? second / first : first / second)
  }
  return median(found)
}

/** Calls of each kind before anything is measured. */
const WARM = 1500

let keys = 0
const keyed = () => ({ 'idempotency-key': `"bench-${process.pid}-${keys++}"` })

/** Microseconds of processor time that a call takes at both ends, at the least of some rounds. */
async function cost({ worked }: Asker, calls: number, round: () => Promise<number>): Promise<number> {
  const costs: number[] = []
  for (let n = 0; n < 3; n++) {
    const before = worked()
    await round()
    costs.push(((worked() - before) / calls) * 1e6)
  }
  return Math.round(Math.min(...costs))
}

/** Creates and writes with feed and key beside those without either. A round is short, and scatters. */
async function writes(on: Asker, off: Asker, size: Size) {
  const [rounds, calls] = [size.rounds * 3, size.calls]
  const vals = (n: number) => ({ name: `Bench ${n}`, email: `b${n}@x` })
  const create = (to: Asker, headers: () => Record<string, string>) => () =>
    rate(calls, 8, (n) => to.post('/json/2/res.partner/create', { vals_list: [vals(n)] }, headers()))
  const ids = async (to: Asker) =>
    (
      await to.post('/json/2/res.partner/create', {
        vals_list: Array.from({ length: 64 }, (_, n) => vals(n)),
      })
    ).body as number[]
  const [ofOn, ofOff] = [await ids(on), await ids(off)]
  const write = (to: Asker, mine: number[], headers: () => Record<string, string>) => () =>
    rate(calls, 8, (n) =>
      to.post('/json/2/res.partner/write', { ids: [mine[n % 64]], vals: { comment: `${n}` } }, headers()),
    )
  const none = () => ({})
  // A server that has just begun runs code that is not compiled yet, and longer code for longer.
  for (let calls = 0; calls < WARM; calls += size.calls)
    for (const headers of [keyed, none])
      for (const warm of [
        create(on, headers),
        create(off, none),
        write(on, ofOn, headers),
        write(off, ofOff, none),
      ])
        await warm()
  return {
    'create, feed and key / without': await ratio(rounds, create(on, keyed), create(off, none)),
    'create, feed / without': await ratio(rounds, create(on, none), create(off, none)),
    'write, feed and key / without': await ratio(rounds, write(on, ofOn, keyed), write(off, ofOff, none)),
    'write, feed / without': await ratio(rounds, write(on, ofOn, none), write(off, ofOff, none)),
    'processor time, µs: create with feed and key, with feed, without': [
      await cost(on, calls, create(on, keyed)),
      await cost(on, calls, create(on, none)),
      await cost(off, calls, create(off, none)),
    ],
    'processor time, µs: write with feed and key, with feed, without': [
      await cost(on, calls, write(on, ofOn, keyed)),
      await cost(on, calls, write(on, ofOn, none)),
      await cost(off, calls, write(off, ofOff, none)),
    ],
  }
}

interface Size {
  readonly rounds: number
  readonly calls: number
}

/** A batch of ten creates beside ten calls, one after the other. */
async function batches(on: Asker, { rounds, calls }: Size) {
  const body = (n: number) => ({ vals_list: [{ name: `Batch ${n}` }] })
  const ten = Array.from({ length: 10 }, (_, n) => n)
  const together = async () => {
    const batch = ten.map((n) => ({ model: 'res.partner', method: 'create', body: body(n) }))
    return 10 * (await rate(calls / 10, 1, () => on.post('/x/1/batch', { calls: batch })))
  }
  const apart = () => rate(calls, 1, (n) => on.post('/json/2/res.partner/create', body(n)))
  await together()
  return { 'batch of ten creates / ten calls': await ratio(rounds, together, apart) }
}

/** A page of 500 changes beside a search_read of 500. */
async function pages(on: Asker, { rounds }: Size) {
  const question = { models: { 'res.partner': { fields: ['name', 'email'] } }, limit: 500 }
  const { cursor } = (await on.post('/x/1/changes', { ...question, from: 'now' })).body as { cursor: string }
  const made = (
    await on.post('/json/2/res.partner/create', {
      vals_list: Array.from({ length: 500 }, (_, n) => ({ name: `Page ${n}` })),
    })
  ).body as number[]
  for (const id of made)
    await on.post('/json/2/res.partner/write', { ids: [id], vals: { email: `p${id}@x` } })
  const later = (await on.post('/x/1/changes', { ...question, cursor, limit: 500 })).body as {
    cursor: string
  }
  const page = () => on.post('/x/1/changes', { ...question, cursor: later.cursor })
  const read = () =>
    on.post('/json/2/res.partner/search_read', {
      domain: [['id', 'in', made]],
      fields: ['name', 'email'],
      limit: 500,
    })
  const found = ((await page()).body as { changes: unknown[] }).changes.length
  const [ofPage, ofRead]: [number[], number[]] = [[], []]
  for (let n = 0; n < rounds * 10; n++) {
    ofPage.push((await page()).ms)
    ofRead.push((await read()).ms)
  }
  return {
    'changes on the page': found,
    'page of 500 changes / search_read of 500 (time)': median(ofPage) / median(ofRead),
  }
}

/** From a write to its event in a stream and to its webhook, with sixteen writers. */
async function delays(on: Asker, node: Served, key: string, { calls }: Size) {
  const people = (
    await on.post('/json/2/res.partner/create', {
      vals_list: Array.from({ length: 64 }, (_, n) => ({ name: `Delay ${n}` })),
    })
  ).body as number[]
  const hook = await openReceiver()
  const endpoint = (
    await on.post('/x/1/webhooks', {
      url: hook.url,
      events: ['res.partner.updated'],
      fields: { 'res.partner': ['ref'] },
      concurrency: 16,
    })
  ).body as { id: number }
  const [sent, answered, streamed, hooked] = Array.from({ length: 4 }, () => new Map<string, number>()) as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
  ]
  hook.answer = ({ body }, response) => {
    const ref = String(body.data.values?.ref)
    if (!hooked.has(ref)) hooked.set(ref, performance.now())
    response.writeHead(200).end()
  }
  const stopping = new AbortController()
  const stream = await fetch(`${node.url}/x/1/changes?models=res.partner&fields.res.partner=ref&from=now`, {
    headers: { authorization: `bearer ${key}`, 'x-service-database': 'test', accept: 'text/event-stream' },
    signal: stopping.signal,
  })
  const reading = (async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const ref = /"ref":\s*"([^"]+)"/.exec(event)?.[1]
        if (ref && !streamed.has(ref)) streamed.set(ref, performance.now())
      }
    }
  })().catch(() => undefined)
  // Each writer has records of its own, and pauses: one value of a record is not hidden by the next.
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      while (next < calls) {
        const ref = `d${next++}`
        sent.set(ref, performance.now())
        await on.post('/json/2/res.partner/write', {
          ids: [people[writer * 4 + (next % 4)]],
          vals: { ref },
        })
        answered.set(ref, performance.now())
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60))
      }
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 3000))
  stopping.abort()
  await reading
  await on.post('/json/2/comptoir.webhook/unlink', { ids: [endpoint.id] })
  await hook.close()
  const since = (from: Map<string, number>, to: Map<string, number>) =>
    [...to].flatMap(([ref, at]) => (from.has(ref) ? [at - (from.get(ref) as number)] : []))
  const told = (values: readonly number[]) => ({
    p50: Math.round(quantile(values, 0.5)),
    p99: Math.round(quantile(values, 0.99)),
    most: Math.round(Math.max(...values)),
  })
  return {
    writes: calls,
    'seen in the stream, by webhook': [streamed.size, hooked.size],
    'answer of the write to stream, ms': told(since(answered, streamed)),
    'request of the write to stream, ms': told(since(sent, streamed)),
    'answer of the write to webhook, ms': told(since(answered, hooked)),
  }
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '11' }, calls: { type: 'string', default: '500' } },
})
const size: Size = { rounds: Number(values.rounds), calls: Number(values.calls) }
// Each its own PostgreSQL: a server that keeps no changes says so in every database that it sees.
const known = modules.filter(({ name }) => name === 'base')
const fixtures = [await openTestDatabase(known), await openTestDatabase(known)] as const
const temp = makeTemp('bench-extensions')
const nodes: Served[] = []
try {
  const start = async (n: 0 | 1, ...args: readonly string[]) => {
    const { databases } = fixtures[n]
    const { host, port, user, password } = databases.address
    const url = `postgres://${user}:${password}@${host}:${port}/postgres`
    nodes.push(await serve(`${temp.path}/${n}`, ['--database-url', url, ...args]))
    return createKey(databases, 'test', 'admin', { scope: null, name: 'bench', days: 1 })
  }
  const key = await start(0, '--webhook-allow', '127.0.0.0/8', '--webhook-http', 'yes')
  const plain = await start(1, '--extensions', 'no')
  const [one, other] = nodes as [Served, Served]
  const [on, off] = [
    askerOf(one, key, await postmasterOf(fixtures[0])),
    askerOf(other, plain, await postmasterOf(fixtures[1])),
  ]
  const figures = {
    ...(await writes(on, off, size)),
    ...(await batches(on, size)),
    ...(await pages(on, size)),
    ...(await delays(on, one, key, size)),
  }
  console.log(JSON.stringify(figures, null, 2))
} finally {
  for (const node of nodes) await node.stop()
  agent.destroy()
  for (const fixture of fixtures) await fixture.close()
  temp.remove()
}
