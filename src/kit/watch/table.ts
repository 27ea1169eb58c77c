// Every metric of the server, by its name in Prometheus. A test checks dashboards and alerts against this
// table.

interface Described {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly what: string
  readonly labels: readonly string[]
}

/** Named by the conventions of OpenTelemetry if there is one. */
export const metricTable = {
  http_server_request_duration_seconds: {
    kind: 'histogram',
    what: 'Time from the arrival of a request to the end of its answer.',
    labels: ['http_request_method', 'http_route', 'http_response_status_code'],
  },
  http_server_active_requests: {
    kind: 'gauge',
    what: 'Requests that are being answered.',
    labels: ['http_request_method'],
  },
  db_client_operation_duration_seconds: {
    kind: 'histogram',
    what: 'Time from a flush to PostgreSQL to the last of its answers.',
    labels: ['db_system_name'],
  },
  db_client_connection_count: {
    kind: 'gauge',
    what: 'Connections to PostgreSQL.',
    labels: ['state'],
  },
  comptoir_cluster_up: {
    kind: 'gauge',
    what: 'Whether a PostgreSQL server that holds databases answers.',
    labels: ['cluster'],
  },
  comptoir_call_duration_seconds: {
    kind: 'histogram',
    what: 'Time that a call of a method took, repeats included.',
    labels: ['method', 'outcome'],
  },
  comptoir_call_retries_total: {
    kind: 'counter',
    what: 'Transactions done again because they lost against others.',
    labels: ['reason'],
  },
  comptoir_trips: {
    kind: 'histogram',
    what: 'Flushes to PostgreSQL that a call took.',
    labels: ['method'],
  },
  comptoir_plans: {
    kind: 'gauge',
    what: 'Statement plans: entries, bytes, and hits, misses and evictions since the start.',
    labels: ['of'],
  },
  comptoir_jobs: {
    kind: 'gauge',
    what: 'Jobs that wait and that run, in the databases that are open here.',
    labels: ['state'],
  },
  comptoir_streams: {
    kind: 'gauge',
    what: 'Streams of changes that are open.',
    labels: ['door'],
  },
  comptoir_feed_lag_seconds: {
    kind: 'gauge',
    what: 'Time that the oldest commit on its way holds the feed of changes back.',
    labels: [],
  },
  comptoir_disk_bytes: {
    kind: 'gauge',
    what: 'The disk of the data directory.',
    labels: ['state'],
  },
  comptoir_backup_failing: {
    kind: 'gauge',
    what: '1 while a restore of the embedded server would lack something.',
    labels: [],
  },
  comptoir_backup_waiting_seconds: {
    kind: 'gauge',
    what: 'Time that the oldest segment of the log waits to be archived.',
    labels: [],
  },
  comptoir_backup_lag_seconds: {
    kind: 'gauge',
    what: 'Time for which the oldest write is not archived: what a lost machine would cost now.',
    labels: [],
  },
  comptoir_backup_base_age_seconds: {
    kind: 'gauge',
    what: 'Time since the last base backup.',
    labels: [],
  },
  comptoir_idempotency_total: {
    kind: 'counter',
    what: 'Calls with an Idempotency-Key.',
    labels: ['outcome'],
  },
  comptoir_webhook_deliveries_total: {
    kind: 'counter',
    what: 'Attempts to deliver a webhook.',
    labels: ['outcome'],
  },
  comptoir_webhook_oldest_seconds: {
    kind: 'gauge',
    what: 'Age of the webhook that waits longest.',
    labels: [],
  },
  comptoir_replica_calls_total: {
    kind: 'counter',
    what: 'Calls that might be read from the replica: served there, or by the primary server as it was behind or failed.',
    labels: ['outcome'],
  },
  comptoir_rate_refused_total: {
    kind: 'counter',
    what: 'Calls refused because there were too many.',
    labels: ['reason'],
  },
} as const satisfies Readonly<Record<string, Described>>

export type MetricName = keyof typeof metricTable
type NamesOf<K extends Described['kind']> = {
  [N in MetricName]: (typeof metricTable)[N]['kind'] extends K ? N : never
}[MetricName]

export type CounterName = NamesOf<'counter'>
export type HistogramName = NamesOf<'histogram'>
export type GaugeName = NamesOf<'gauge'>
export type LabelsOf<N extends MetricName> = Readonly<
  Record<(typeof metricTable)[N]['labels'][number], string> & { readonly database?: string }
>
