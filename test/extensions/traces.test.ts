// The caller's trace context is passed on: through calls, batches, jobs and messages of agents to the
// receivers of webhooks. It is forwarded unchanged if tracing is off, and with the server's spans as
// parents if it is on.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { sqlState } from '../../src/postgres/index.ts'
import { sql } from '../../src/sql/index.ts'
import { message } from '../support/mcp.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { openReceiver, type Receiver, until } from '../support/receiver.ts'

interface Sent {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: unknown
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly links?: { readonly traceId: string; readonly spanId: string }[]
}

let hook: Receiver
/** Requests that the collector of traces received. */
const receivedByCollector: string[] = []
const collector = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (piece) => (text += piece))
  request.on('end', () => {
    receivedByCollector.push(text)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})
before(async () => {
  hook = await openReceiver()
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  await hook.close()
  collector.close()
})
beforeEach(() => {
  hook.got.length = 0
})

const open = async (count: number): Promise<Nodes> => {
  const baseModules = modules.filter(({ name }) => name === 'base')
  const nodes = await openNodes({
    count,
    known: baseModules,
    webhookAllow: ['127.0.0.0/8'],
    webhookHttp: true,
  })
  const registration = await nodes.post('/x/1/webhooks', { url: hook.url, events: ['res.partner.created'] })
  assert.equal(registration.status, 201, registration.text)
  return nodes
}

let traceCount = 0
const traceId = (n: number) => n.toString(16).padStart(32, 'a')
/** A new trace. */
const newTrace = () => `00-${traceId(++traceCount)}-00f067aa0ba902b7-01`
const idOf = (traceparent: string) => traceparent.split('-')[1] as string
const create = (name: string) => ({ vals_list: [{ name }] })
const traceOf = async (id: number) => {
  await until(() => hook.got.some(({ body }) => body.data.id === id), `a webhook about ${id}`)
  const { headers } = hook.got.find(({ body }) => body.data.id === id) as Receiver['got'][number]
  return headers
}
const jobsEnd = async (nodes: Nodes, id: string) => {
  const url = `${nodes.servers[0]?.url}/x/1/jobs/${id}`
  const headers = { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test' }
  let job: { state: string; result?: unknown } = { state: '' }
  await until(async () => {
    job = (await (await fetch(url, { headers })).json()) as typeof job
    return job.state === 'done'
  }, 'the job is done')
  return job
}

/** Every way to make one record under a trace; each gives its id. */
const ways: Readonly<Record<string, (nodes: Nodes, traceparent: string) => Promise<number>>> = {
  async call(nodes, traceparent) {
    const { body } = await nodes.call('res.partner/create', create('a call'), { traceparent })
    return (body as number[])[0] as number
  },
  async 'call with a key'(nodes, traceparent) {
    const headers = { traceparent, 'idempotency-key': `"${traceparent}"` }
    const { body } = await nodes.call('res.partner/create', create('with a key'), headers)
    return (body as number[])[0] as number
  },
  async 'JSON-RPC'(nodes, traceparent) {
    const args = ['test', 2, nodes.key, 'res.partner', 'create', [[{ name: 'RPC' }]]]
    const params = { service: 'object', method: 'execute_kw', args }
    const { body } = await nodes.post('/jsonrpc', { jsonrpc: '2.0', id: 1, params }, { traceparent })
    return (body as { result: number[] }).result[0] as number
  },
  async batch(nodes, traceparent) {
    const calls = [{ model: 'res.partner', method: 'create', body: create('a batch') }]
    const { body } = await nodes.post('/x/1/batch', { calls }, { traceparent })
    return (body as { results: { body: number[] }[] }).results[0]?.body[0] as number
  },
  async job(nodes, traceparent) {
    const headers = { traceparent, prefer: 'respond-async' }
    const { body, status } = await nodes.call('res.partner/create', create('a job'), headers)
    assert.equal(status, 202)
    return ((await jobsEnd(nodes, (body as { id: string }).id)).result as number[])[0] as number
  },
  async bulk(nodes, traceparent) {
    const headers = { traceparent, 'content-type': 'application/x-ndjson' }
    const path = '/x/1/bulk/res.partner?key=external_id'
    const line = `{"external_id": "trace.of_${idOf(traceparent)}", "name": "bulk"}\n`
    const { body, status } = await nodes.post(path, line, headers)
    assert.equal(status, 202)
    await jobsEnd(nodes, (body as { id: string }).id)
    const rows = await nodes.run(({ unit }) =>
      unit.query(sql`SELECT res_id FROM ir_model_data WHERE name = ${`of_${idOf(traceparent)}`}`),
    )
    return rows[0]?.[0] as number
  },
  async 'a message of an agent'(nodes, traceparent) {
    const parameters = { model: 'res.partner', values: [{ name: 'agent' }], dry_run: false }
    const said = message('tools/call', {
      name: 'create_records',
      arguments: { ...parameters, request_key: traceparent },
    })
    Object.assign(said.body.params._meta, { traceparent })
    // The message says it, whatever its request is a part of.
    const headers = { ...said.headers, traceparent: newTrace() }
    const { text } = await nodes.post('/x/1/mcp', said.body, headers)
    const id = /"ids":\[(\d+)\]|"id":(\d+),"op"|\[(\d+)\]/.exec(text)
    assert.ok(id, text)
    return Number(id[1] ?? id[2] ?? id[3])
  },
}

test("traces: the caller's trace context reaches receivers of webhooks unchanged, however the change was made", async () => {
  const nodes = await open(2)
  try {
    for (const [name, make] of Object.entries(ways)) {
      const traceparent = newTrace()
      assert.equal((await traceOf(await make(nodes, traceparent))).traceparent, traceparent, name)
    }
    const plain = await nodes.call('res.partner/create', create('nobody traces'))
    const none = await traceOf((plain.body as number[])[0] as number)
    assert.deepEqual([none.traceparent, none.tracestate], [undefined, undefined])
    // Of a later version the known part is used; tracestate of other vendors is passed on.
    const [traceparent, tracestate] = [newTrace(), 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7']
    const later = `cc${traceparent.slice(2)}-more`
    const laterAnswer = await nodes.call(
      'res.partner/create',
      create('later'),
      { traceparent: later, tracestate },
      1,
    )
    const traceparentOfChange = await traceOf((laterAnswer.body as number[])[0] as number)
    assert.deepEqual(
      [traceparentOfChange.traceparent, traceparentOfChange.tracestate],
      [traceparent, tracestate],
    )
    // An attempt that is made again carries what the first one did; an agent's nonsense is no trace.
    let refusals = 0
    hook.answer = (_received, response) => response.writeHead(refusals++ ? 200 : 500).end()
    const again = await nodes.call('res.partner/create', create('twice'), { traceparent })
    const [id] = again.body as [number]
    await until(() => hook.got.some(({ body }) => body.data.id === id), 'the first attempt')
    const due = sql`UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' WHERE state = 'waiting'`
    await until(async () => {
      // The worker may write the delivery at the same moment: then it is due the next time.
      await nodes
        .run(({ unit }) => unit.query(due))
        .catch((error: unknown) => assert.equal(sqlState(error), '40001'))
      return hook.got.filter(({ body }) => body.data.id === id).length > 1
    }, 'the second attempt')
    const both = hook.got.filter(({ body }) => body.data.id === id).map(({ headers }) => headers.traceparent)
    assert.deepEqual(new Set(both), new Set([traceparent]))
    const said = message('tools/call', { name: 'list_models', arguments: {} })
    Object.assign(said.body.params._meta, { traceparent: 'nonsense', tracestate: 7 })
    assert.equal((await nodes.post('/x/1/mcp', said.body, said.headers)).status, 200)
  } finally {
    await nodes.close()
  }
})

test("traces: receivers, jobs and agents have parents of the server in the caller's trace", async () => {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const nodes = await open(1)
  const traces = new Map<
    string,
    { readonly traceparent: string; readonly traceparentOfChange: string | undefined }
  >()
  try {
    for (const [name, make] of Object.entries(ways)) {
      const traceparent = newTrace()
      const { traceparent: traceparentOfChange } = await traceOf(await make(nodes, traceparent))
      traces.set(name, { traceparent, traceparentOfChange: traceparentOfChange as string })
    }
    const plain = await nodes.call('res.partner/create', create('ours alone'))
    assert.match(
      String((await traceOf((plain.body as number[])[0] as number)).traceparent),
      /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/,
    )
  } finally {
    await nodes.close()
  }
  const spans = receivedByCollector.flatMap((text) =>
    (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] }).resourceSpans.flatMap(
      ({ scopeSpans }) => scopeSpans.flatMap((scopeSpan) => scopeSpan.spans),
    ),
  )
  for (const [name, { traceparent, traceparentOfChange }] of traces) {
    const spansOfTrace = spans.filter((span) => span.traceId === idOf(traceparent))
    const spanOf = (id: string | undefined) => spansOfTrace.find(({ spanId }) => spanId === id)
    const sent = spanOf(traceparentOfChange?.split('-')[2])
    assert.equal(sent?.name, 'webhook', `${name}: the receiver goes on below the attempt`)
    // Upwards from the attempt, span by span, to the caller's own.
    const way: string[] = []
    let at: Sent | undefined = sent
    for (; at; at = spanOf(at.parentSpanId)) {
      way.push(at.name)
      if (at.parentSpanId === '00f067aa0ba902b7') break
    }
    assert.equal(at?.parentSpanId, '00f067aa0ba902b7', `${name}: ${way.join(' < ')}`)
    assert.deepEqual(
      sent?.links?.map(({ spanId }) => spanId),
      [sent?.parentSpanId],
      name,
    )
    const isLater = name === 'job' || name === 'bulk'
    assert.equal(way.includes('job'), isLater, `${name}: ${way.join(' < ')}`)
    assert.equal(way.at(-1)?.startsWith('POST ') ?? false, !name.includes('agent'), way.join(' < '))
    if (name.includes('agent')) assert.equal(way.at(-1), 'mcp')
    // Its statements are spans below it.
    const work = spanOf(sent?.parentSpanId)
    assert.ok(
      spansOfTrace.some((span) => span.name === 'flush' && span.parentSpanId === work?.spanId),
      name,
    )
  }
  // Background work that a request started does not belong to its trace: no statement is a child of a
  // request after three later requests have ended.
  const over = spans
    .filter(({ name }) => name.startsWith('POST '))
    .map((span) => BigInt(span.endTimeUnixNano))
  const astray = spans.filter(({ name, parentSpanId, startTimeUnixNano }) => {
    const above = spans.find(({ spanId }) => spanId === parentSpanId)
    const [began, end] = [BigInt(startTimeUnixNano), BigInt(above?.endTimeUnixNano ?? 0)]
    return name === 'flush' && over.filter((at) => at > end && at < began).length >= 3
  })
  assert.equal(JSON.stringify(astray.map(({ attributes }) => attributes)), '[]')
})
