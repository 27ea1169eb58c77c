// Numbers and traces: on an address of their own, with bounded labels, and no value of a field; dashboard and
// alerts know the names that the code has.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { metricTable } from '../../src/kit/watch/table.ts'
import { modules } from '../../src/main.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

const root = join(import.meta.dirname, '..', '..')
let nodes: Nodes
/** Requests that the collector of traces received. */
const sent: string[] = []
const collector = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (piece) => (text += piece))
  request.on('end', () => {
    sent.push(text)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})
before(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  nodes = await openNodes({
    known: modules.filter(({ name }) => name === 'base'),
    metrics: { host: '127.0.0.1', port: 0 },
  })
})
after(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  await nodes?.close()
  collector.close()
})

const metricsPage = async (path = '/metrics', init: RequestInit = {}) =>
  fetch(`${nodes.servers[0]?.metricsUrl}${path}`, init)

test('metrics: have their own address, bounded labels and no personal data', async () => {
  assert.equal((await fetch(`${nodes.servers[0]?.url}/metrics`)).status, 404)
  await nodes.call('res.partner/search_read', { limit: 1 }, { 'idempotency-key': '"a"' })
  const key = { 'idempotency-key': '"b"' }
  for (let n = 0; n < 2; n++) await nodes.call('res.partner/create', { vals_list: [{ name: 'Secret' }] }, key)
  for (let n = 0; n < 50; n++) await nodes.call(`res.partner/made_up_${n}`, {})
  await nodes.call('made.up/read', {})
  const reading = new AbortController()
  await fetch(`${nodes.servers[0]?.url}/x/1/changes?models=res.country&from=now`, {
    signal: reading.signal,
    headers: {
      accept: 'text/event-stream',
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
    },
  })
  const text = await (await metricsPage()).text()
  reading.abort()
  for (const path of ['/metrics', '/targets']) {
    const head = await metricsPage(path, { method: 'HEAD' })
    const type = (await metricsPage(path)).headers.get('content-type')
    assert.deepEqual([head.status, head.headers.get('content-type'), await head.text()], [200, type, ''])
  }
  const posted = await metricsPage('/metrics', { method: 'POST' })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  for (const name of [
    'http_server_request_duration_seconds_bucket{http_request_method="POST",http_route="/json/2/:model/:method",http_response_status_code="200"',
    'db_client_operation_duration_seconds_count',
    'db_client_connection_count{state="used"}',
    'comptoir_call_duration_seconds_count{method="res.partner/search_read",outcome="ok"}',
    'comptoir_trips_sum{method="res.partner/search_read"} 1',
    'comptoir_idempotency_total{outcome="first"} 1',
    'comptoir_idempotency_total{outcome="replayed"} 1',
    'http_server_active_requests{http_request_method="POST"} 0',
    'comptoir_plans{of="misses"}',
    'comptoir_jobs{state="queued"} 0',
    'comptoir_jobs{state="running"} 0',
    'comptoir_feed_lag_seconds 0',
    'comptoir_streams{door="changes"} 1',
  ])
    assert.ok(text.includes(name), `${name} in\n${text}`)
  assert.ok(text.includes('method="_OTHER"') && !text.includes('made_up') && !text.includes('made.up'))
  assert.ok(!text.includes('Secret') && !text.includes('database='))
  const targets = (await (await metricsPage('/targets')).json()) as { targets: string[] }[]
  assert.equal(targets[0]?.targets.length, 1)
  assert.equal((await metricsPage('/other')).status, 404)
})

test("metrics: a trace has one span of the server and one per flush, below the caller's trace, without values", async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${trace}-b7ad6b7169203331-01`
  const calls = [
    { id: 'a', model: 'res.partner', method: 'create', body: { vals_list: [{ name: 'Nobody sees me' }] } },
    { model: 'res.partner', method: 'read', body: { ids: { $ref: '/a' }, fields: ['name'] } },
  ]
  assert.equal((await nodes.post('/x/1/batch', { calls }, { traceparent })).status, 200)
  const bad = await nodes.call('res.users/context_get', {}, { traceparent: 'nonsense' })
  assert.deepEqual([bad.status, bad.headers.get('error-code')], [400, 'malformed_header'])
  await nodes.servers[0]?.close()
  const all = sent.join('\n')
  interface Sent {
    readonly traceId: string
    readonly spanId: string
    readonly parentSpanId?: string
    readonly name: string
  }
  const spans = sent.flatMap((text) =>
    (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] }).resourceSpans.flatMap(
      ({ scopeSpans }) => scopeSpans.flatMap((scopeSpan) => scopeSpan.spans),
    ),
  )
  const ofTrace = spans.filter(({ traceId }) => traceId === trace)
  const [server, ...others] = ofTrace.filter(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331')
  assert.deepEqual([server?.name, others.length], ['POST /x/1/batch', 0])
  const flushes = ofTrace.filter(({ parentSpanId }) => parentSpanId === server?.spanId)
  assert.ok(flushes.length >= 2 && flushes.every(({ name }) => name === 'flush'))
  assert.ok(all.includes('BEGIN') && !all.includes('Nobody sees me') && !all.includes('Secret'))
})

test('metrics: dashboard and alerts use all metrics of the code, and no others', () => {
  const read = (name: string) => readFileSync(join(root, 'docs/monitoring', name), 'utf8')
  const dashboard = JSON.parse(read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')
  const named = (text: string) =>
    new Set(
      [...text.matchAll(/\b(?:http_server|db_client|comptoir)_\w+/g)].map(([name]) =>
        name.replace(/_(bucket|sum|count)$/, (end) =>
          end === '_count' && name.endsWith('connection_count') ? end : '',
        ),
      ),
    )
  const metricNames = new Set(Object.keys(metricTable))
  for (const text of [shown, read('alerts.yml')])
    for (const name of named(text)) assert.ok(metricNames.has(name), `${name} is told by nobody`)
  assert.deepEqual(
    [...metricNames].filter((name) => !named(shown).has(name)),
    [],
    'shown by no panel',
  )
  const labels = new Set(Object.values(metricTable).flatMap(({ labels: of }) => [...of] as string[]))
  for (const [, list = ''] of `${shown}\n${read('alerts.yml')}`.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of list.split(', '))
      assert.ok(['le', 'instance'].includes(label) || labels.has(label), label)
  const code = globSync('src/**/*.ts', { cwd: root, exclude: (name) => name.endsWith('table.ts') })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  for (const name of metricNames) assert.ok(code.includes(`'${name}'`), `${name} is never told`)
})
