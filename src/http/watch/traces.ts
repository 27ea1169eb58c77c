// Traces by OpenTelemetry, sent to where OTEL_EXPORTER_OTLP_ENDPOINT says: its packages are optional, and
// loaded when that is set.
import type { Context, Span as OtelSpan, Tracer } from '@opentelemetry/api'
import { StartupError } from '../../errors.ts'
import type { Span } from '../../kit/watch/index.ts'

/** Begins a span for a request; `traceparent` is the caller's, where it sends one. */
export type Tracing = (name: string, traceparent: string | undefined) => Span

/** Version, trace, span and flags (W3C Trace Context). */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Begins to trace. Throws StartupError where the packages are not installed. */
export async function beginTracing(): Promise<{ readonly trace: Tracing; close(): Promise<void> }> {
  const [api, sdk, otlp] = await packages()
  const provider = new sdk.TracerProvider({
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new otlp.OTLPTraceExporter() })],
  })
  const tracer = provider.getTracer('comptoir')
  const parentOf = (traceparent: string | undefined) => {
    const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
    if (!traceId || !spanId || !flags) return api.ROOT_CONTEXT
    const traceFlags = Number.parseInt(flags, 16)
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }
  const spanOf = (span: OtelSpan, context: Context): Span => ({
    traceId: span.spanContext().traceId,
    set: (attributes) => void span.setAttributes(attributes),
    child: (name, attributes) =>
      begin(tracer, name, { kind: api.SpanKind.CLIENT, attributes }, api.trace.setSpan(context, span)),
    end(failed = false) {
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  })
  const begin = (from: Tracer, name: string, options: object, context: Context) =>
    spanOf(from.startSpan(name, options, context), context)
  return {
    trace: (name, traceparent) => begin(tracer, name, { kind: api.SpanKind.SERVER }, parentOf(traceparent)),
    close: () => provider.shutdown(),
  }
}

async function packages() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
  } catch (cause) {
    throw new StartupError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, and the packages for traces are not installed: npm install @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-http',
      { cause },
    )
  }
}
