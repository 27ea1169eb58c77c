// Metrics and traces of a process: started by a setting or the environment.
import type { Config } from '../../config/index.ts'
import { type Databases, heartbeatsOf } from '../../databases/index.ts'
import { type Sink, type Tracing, watch } from '../../kit/watch/index.ts'
import { type Numbers, numbersOf, planCounts } from '../../services/metrics.ts'

export interface Watching {
  readonly trace: Tracing | null
  readonly metricsUrl?: string
  close(): Promise<void>
}

const nobody: Watching = { trace: null, close: async () => undefined }

/** Starts metrics (setting `metrics`) and traces (`OTEL_EXPORTER_OTLP_ENDPOINT`). Throws StartupError. */
export async function beginWatching(
  { metrics, metricsDatabases, workers }: Config,
  databases: Databases,
  index: number,
): Promise<Watching> {
  const traced = Boolean(
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  )
  if (!metrics && !traced) return nobody
  const tracing = traced ? await (await import('./traces.ts')).beginTracing() : null
  const numbers = metrics
    ? await (await import('./metrics.ts')).serveMetrics({
        ...metrics,
        index,
        workers,
        byDatabase: metricsDatabases,
      })
    : null
  watch.isOn = true
  watch.sink = numbers?.sink ?? null
  watch.trace = tracing?.trace ?? null
  watch.sink?.ask('db_client_connection_count', () => {
    const pools = databases.settled().map(({ pool }) => pool.stats())
    const free = pools.reduce((sum, pool) => sum + pool.free, 0)
    const open = pools.reduce((sum, pool) => sum + pool.open, 0)
    return [
      [open - free, { state: 'used' }],
      [free, { state: 'idle' }],
    ]
  })
  watch.sink?.ask('comptoir_plans', () => {
    const { weight: bytes, ...counts } = planCounts()
    return Object.entries({ bytes, ...counts }).map(([of, count]) => [count, { of }])
  })
  watch.sink?.ask('comptoir_cluster_up', async () =>
    (await heartbeatsOf(databases.clusters)).map(([{ name }, beat]) => [
      beat instanceof Error ? 0 : 1,
      { cluster: name },
    ]),
  )
  if (watch.sink) askDatabases(watch.sink, databases)
  watch.sink?.ask('comptoir_disk_bytes', async () => {
    const { free, all } = await databases.disk()
    return [
      [free, { state: 'free' }],
      [all - free, { state: 'used' }],
    ]
  })
  if (watch.sink && databases.archive) askBackups(watch.sink, databases)
  return {
    trace: tracing?.trace ?? null,
    ...(numbers ? { metricsUrl: numbers.url } : {}),
    async close() {
      watch.isOn = false
      watch.sink = null
      watch.trace = null
      await Promise.all([numbers?.close(), tracing?.close().catch(() => undefined)])
    },
  }
}

/** Gauges of the backups of an embedded server. */
function askBackups(sink: Sink, databases: Databases): void {
  const state = () => databases.backupState()
  sink.ask('comptoir_backup_failing', async () => [[(await state())?.failing ? 1 : 0, {}]])
  sink.ask('comptoir_backup_waiting_seconds', async () => [[(await state())?.waitingSeconds ?? 0, {}]])
  sink.ask('comptoir_backup_lag_seconds', async () => [[(await state())?.lagSeconds ?? 0, {}]])
  sink.ask('comptoir_backup_base_age_seconds', async () => {
    const age = (await state())?.baseAge
    return age == null ? [] : [[age, {}]]
  })
}

/** Milliseconds for which figures of the databases are cached: several gauges are read at once. */
const GOOD_FOR = 1000

/** Gauges whose values the databases know. */
function askDatabases(sink: Sink, databases: Databases): void {
  let cached: { readonly at: number; readonly numbers: Promise<Numbers[]> } | undefined
  const numbers = () => {
    if (!cached || performance.now() > cached.at + GOOD_FOR)
      cached = { at: performance.now(), numbers: numbersOf(databases) }
    return cached.numbers
  }
  const by = (database: string) => (sink.byDatabase ? { database } : {})
  const groups = async () => [
    ...Map.groupBy(await numbers(), ({ database }) => (sink.byDatabase ? database : '')),
  ]
  const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0)
  sink.ask('comptoir_jobs', async () =>
    (await groups()).flatMap(([name, of]) => [
      [sum(of.map(({ queued }) => queued)), { state: 'queued', ...by(name) }] as const,
      [sum(of.map(({ running }) => running)), { state: 'running', ...by(name) }] as const,
    ]),
  )
  sink.ask('comptoir_feed_lag_seconds', async () =>
    (await groups()).map(([name, of]) => [Math.max(...of.map(({ feedLag }) => feedLag)), by(name)] as const),
  )
}
