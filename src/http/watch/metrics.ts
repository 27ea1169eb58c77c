// Numbers for Prometheus, on an address of their own: /metrics, and /targets for its HTTP discovery.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Attributes, ValueType } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics'
import { StartupError } from '../../errors.ts'
import type { Sink } from '../../kit/watch/index.ts'
import { type MetricName, metricTable } from '../../kit/watch/table.ts'

/** Bounds of buckets: seconds, and flushes. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const TRIPS = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100]

interface MetricsOptions {
  readonly host: string
  readonly port: number
  /**
   * Index of this process on the machine, from 0, and the number of processes: each has a port of its own.
   */
  readonly index: number
  readonly workers: number
  readonly byDatabase: boolean
}

export interface MetricsServer {
  readonly sink: Sink
  readonly url: string
  close(): Promise<void>
}

/** Starts to count and to serve metrics. Throws StartupError if the address is taken. */
export async function serveMetrics(options: MetricsOptions): Promise<MetricsServer> {
  const { host, port, index, workers, byDatabase } = options
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  })
  const provider = new MeterProvider({
    readers: [exporter],
    views: [
      {
        instrumentName: '*_duration_seconds',
        aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: SECONDS } },
      },
      {
        instrumentName: 'comptoir_trips',
        aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: TRIPS } },
      },
    ],
  })
  const address = (at: number) => `${host.includes(':') ? `[${host}]` : host}:${at}`
  const targets = JSON.stringify([
    { targets: Array.from({ length: workers }, (_, i) => address(port + i)), labels: { job: 'comptoir' } },
  ])
  const server = createServer((request, response) => answer(request, response, { exporter, targets }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new StartupError(`Cannot serve metrics on ${address(port + index)}: ${cause.message}`, { cause }),
      ),
    )
    server.listen({ host, port: port === 0 ? 0 : port + index }, resolve)
  })
  const bound = server.address()
  const url = `http://${address(typeof bound === 'object' && bound ? bound.port : port)}`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await provider.shutdown()
  }
  return { sink: sinkOf(provider, byDatabase), url, close }
}

function answer(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  { exporter, targets }: { readonly exporter: PrometheusExporter; readonly targets: string },
): void {
  const path = url.split('?', 1)[0]
  // Node.js drops the body of an answer to HEAD.
  if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end()
  else if (path === '/metrics') exporter.getMetricsRequestHandler({} as IncomingMessage, response)
  else if (path === '/targets') response.writeHead(200, { 'content-type': 'application/json' }).end(targets)
  else response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found\n')
}

/** Instruments by their names, each created on first use. */
function sinkOf(provider: MeterProvider, byDatabase: boolean): Sink {
  const meter = provider.getMeter('comptoir')
  const instruments = new Map<MetricName, unknown>()
  const instrument = <T>(
    name: MetricName,
    make: (name: string, options: { description: string }) => T,
  ): T => {
    const metric =
      (instruments.get(name) as T | undefined) ?? make(name, { description: metricTable[name].what })
    instruments.set(name, metric)
    return metric
  }
  return {
    byDatabase,
    count: (name, labels) =>
      instrument(name, (...args) => meter.createCounter(...args)).add(1, labels as Attributes),
    observe: (name, value, labels) =>
      instrument(name, (...args) => meter.createHistogram(...args)).record(value, labels as Attributes),
    move: (name, by, labels) =>
      instrument(name, (...args) => meter.createUpDownCounter(...args)).add(by, labels as Attributes),
    ask: (name, values) =>
      instrument(name, (as, options) =>
        meter.createObservableGauge(as, { ...options, valueType: ValueType.DOUBLE }),
      ).addCallback(async (result) => {
        for (const [value, labels] of await values()) result.observe(value, labels as Attributes)
      }),
  }
}
