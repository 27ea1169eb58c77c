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
    what: 'Requests in progress.',
    labels: ['http_request_method'],
  },
  db_client_operation_duration_seconds: {
    kind: 'histogram',
    what: 'Time from sending a group of statements to PostgreSQL to the last response.',
    labels: ['db_system_name'],
  },
  db_client_connection_count: {
    kind: 'gauge',
    what: 'Connections to PostgreSQL.',
    labels: ['state'],
  },
  comptoir_cluster_up: {
    kind: 'gauge',
    what: '1 if the PostgreSQL server of the cluster answers, else 0.',
    labels: ['cluster'],
  },
  comptoir_call_duration_seconds: {
    kind: 'histogram',
    what: 'Duration of method calls, including retries.',
    labels: ['method', 'outcome'],
  },
  comptoir_call_retries_total: {
    kind: 'counter',
    what: 'Transactions retried after a conflict.',
    labels: ['reason'],
  },
  comptoir_trips: {
    kind: 'histogram',
    what: 'Round trips to PostgreSQL per call.',
    labels: ['method'],
  },
  comptoir_plans: {
    kind: 'gauge',
    what: 'Statement plans: entries, bytes, and hits, misses and evictions since the start.',
    labels: ['of'],
  },
  comptoir_jobs: {
    kind: 'gauge',
    what: 'Queued and running jobs, in the databases that this process has open.',
    labels: ['state'],
  },
  comptoir_streams: {
    kind: 'gauge',
    what: 'Open change streams.',
    labels: ['door'],
  },
  comptoir_feed_lag_seconds: {
    kind: 'gauge',
    what: 'Age of the oldest commit in progress, which holds back the change feed.',
    labels: [],
  },
  comptoir_disk_bytes: {
    kind: 'gauge',
    what: 'Bytes of the disk of the data directory, by state.',
    labels: ['state'],
  },
  comptoir_backup_failing: {
    kind: 'gauge',
    what: '1 while the backup of the embedded server is incomplete, else 0.',
    labels: [],
  },
  comptoir_backup_waiting_seconds: {
    kind: 'gauge',
    what: 'Time that the oldest WAL segment has waited to be archived.',
    labels: [],
  },
  comptoir_backup_lag_seconds: {
    kind: 'gauge',
    what: 'Age of the oldest write that is not archived: the data loss if the machine failed now.',
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
    what: 'Webhook delivery attempts.',
    labels: ['outcome'],
  },
  comptoir_webhook_oldest_seconds: {
    kind: 'gauge',
    what: 'Age of the oldest pending webhook delivery.',
    labels: [],
  },
  comptoir_replica_calls_total: {
    kind: 'counter',
    what: 'Calls that a replica may answer, by whether the replica answered, or the primary server because the replica lagged or failed.',
    labels: ['outcome'],
  },
  comptoir_rate_refused_total: {
    kind: 'counter',
    what: 'Calls refused by a rate or concurrency limit.',
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
