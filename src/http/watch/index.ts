// What a process tells of itself to those who watch: begun where a setting or the environment asks for it.
import type { Config } from '../../config/index.ts'
import type { Databases } from '../../databases/index.ts'
import { watch } from '../../kit/watch/index.ts'
import type { Tracing } from './traces.ts'

export interface Watching {
  readonly trace: Tracing | null
  readonly metricsUrl?: string
  close(): Promise<void>
}

const nobody: Watching = { trace: null, close: async () => undefined }

/**
 * Begins to tell: numbers by the setting `metrics`, traces by `OTEL_EXPORTER_OTLP_ENDPOINT`. Throws
 * StartupError.
 */
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
  watch.sink?.ask('db_client_connection_count', () => {
    const pools = databases.settled().map(({ pool }) => pool.stats())
    const free = pools.reduce((sum, one) => sum + one.free, 0)
    const open = pools.reduce((sum, one) => sum + one.open, 0)
    return [
      [open - free, { state: 'used' }],
      [free, { state: 'idle' }],
    ]
  })
  return {
    trace: tracing?.trace ?? null,
    ...(numbers ? { metricsUrl: numbers.url } : {}),
    async close() {
      watch.isOn = false
      watch.sink = null
      await Promise.all([numbers?.close(), tracing?.close().catch(() => undefined)])
    },
  }
}
