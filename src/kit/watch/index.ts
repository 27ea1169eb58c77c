// Metrics and traces of the process. They are off by default, and then cost only a look at a variable.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CounterName, GaugeName, HistogramName, LabelsOf } from './table.ts'

type Values<N extends GaugeName> = Iterable<readonly [number, LabelsOf<N>]>

/** Where numbers go. */
export interface Sink {
  /** Whether calls are told apart by their database. */
  readonly byDatabase: boolean
  count<N extends CounterName>(name: N, labels: LabelsOf<N>): void
  observe<N extends HistogramName>(name: N, value: number, labels: LabelsOf<N>): void
  /** Adds to a gauge, or takes from it. */
  move<N extends GaugeName>(name: N, by: number, labels: LabelsOf<N>): void
  /** Reads the values of a gauge whenever metrics are collected. */
  ask<N extends GaugeName>(name: N, values: () => Values<N> | Promise<Values<N>>): void
}

/** A place in a trace, as headers carry it (W3C Trace Context). */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/** Something that takes time, in a trace. Attributes never hold values of fields. */
export interface Span {
  readonly traceId: string
  readonly context: TraceContext
  set(attributes: Readonly<Record<string, string | number>>): void
  /** A part of it that begins now. */
  child(name: string, attributes: Readonly<Record<string, string | number>>): Span
  end(failed?: boolean): void
}

/** The start of a span: its parent, and a span that it is linked to. */
interface Beginning {
  readonly kind: 'server' | 'client'
  readonly parent?: TraceContext | null | undefined
  readonly link?: TraceContext | null | undefined
}

/** Begins a span. */
export type Tracing = (name: string, about: Beginning) => Span

/** The request that runs, as far as it is watched. */
interface Watched {
  readonly span: Span | null
  /** The caller's trace, which is passed on if this server does not trace. */
  readonly carried: TraceContext | null
  /** Flushes to PostgreSQL. */
  trips: number
}

/** Receivers of this process's metrics and traces. */
export const watch: { sink: Sink | null; trace: Tracing | null; isOn: boolean } = {
  sink: null,
  trace: null,
  isOn: false,
}

const current = new AsyncLocalStorage<Watched>()

/** Runs what a request or a call does as something that is watched. */
export function watched<T>(span: Span | null, work: () => T): T {
  return current.run({ span, trips: 0, carried: current.getStore()?.carried ?? null }, work)
}

/** Runs the work of a request under its caller's trace. */
export function withTrace<T>(carried: TraceContext, work: () => T): T {
  const { span = null, trips = 0 } = current.getStore() ?? {}
  return current.run({ span, trips, carried }, work)
}

/** Begins what outlives the request that happens to begin it, and belongs to no trace. */
export function outsideTrace<T>(work: () => T): T {
  return current.run({ span: null, trips: 0, carried: null }, work)
}

/** Runs work that names its own trace, such as work queued earlier, in a span of its own. */
export async function inOwnTrace<T>(
  name: string,
  { parent, link = parent }: Pick<Beginning, 'parent' | 'link'>,
  work: () => Promise<T>,
): Promise<T> {
  const span = watch.trace?.(name, { kind: 'server', parent, link }) ?? null
  let failed = true
  try {
    const result = await current.run({ span, trips: 0, carried: parent ?? null }, work)
    failed = false
    return result
  } finally {
    span?.end(failed)
  }
}

/** The span of the running request, if it is traced. */
export const spanNow = (): Span | null => (watch.isOn ? (current.getStore()?.span ?? null) : null)

/** The trace of the running work, for requests that it sends and for later parts of it. */
export function traceNow(): TraceContext | null {
  const store = current.getStore()
  return store?.span?.context ?? store?.carried ?? null
}

/** Flushes so far. */
export const tripsNow = (): number => current.getStore()?.trips ?? 0

/** Called when a flush is sent; the returned function is called with its last answer. */
export function flushing(texts: () => readonly string[]): (failed: boolean) => void {
  const store = current.getStore()
  if (store) store.trips++
  const began = performance.now()
  const span = store?.span?.child('flush', flushFacts(texts()))
  return (failed) => {
    const seconds = (performance.now() - began) / 1000
    watch.sink?.observe('db_client_operation_duration_seconds', seconds, { db_system_name: 'postgresql' })
    span?.end(failed)
  }
}

/** Characters of a summary. */
const LONGEST = 255

/** The commands of a flush, without values: `BEGIN SELECT UPDATE`. */
function flushFacts(texts: readonly string[]) {
  const words = texts.map((text) => /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? '')
  return {
    'db.system.name': 'postgresql',
    'db.operation.batch.size': texts.length,
    'db.query.summary': words.join(' ').slice(0, LONGEST),
  }
}
