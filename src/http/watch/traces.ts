// Traces by OpenTelemetry, sent to OTEL_EXPORTER_OTLP_ENDPOINT: its packages are optional, and loaded when
// that is set.
import type { Context, Span as OtelSpan, SpanContext } from '@opentelemetry/api'
import { StartupError } from '../../errors.ts'
import type { Span, TraceContext, Tracing } from '../../kit/watch/index.ts'

/** Version, trace, span and flags (W3C Trace Context). */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Starts tracing. Throws StartupError if the packages are not installed. */
export async function beginTracing(): Promise<{ readonly trace: Tracing; close(): Promise<void> }> {
  const [api, sdk, otlp] = await packages()
  const provider = new sdk.TracerProvider({
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new otlp.OTLPTraceExporter() })],
  })
  const tracer = provider.getTracer('comptoir')
  const contextOf = (place: TraceContext | null | undefined): SpanContext | null => {
    const [, traceId, spanId, flags] = TRACEPARENT.exec(place?.traceparent ?? '') ?? []
    if (!traceId || !spanId || !flags) return null
    const state = place?.tracestate ? { traceState: api.createTraceState(place.tracestate) } : {}
    return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...state }
  }
  const begin = (name: string, options: object, context: Context) =>
    spanOf(tracer.startSpan(name, options, context), context)
  const spanOf = (span: OtelSpan, context: Context): Span => ({
    traceId: span.spanContext().traceId,
    context: placeOf(span.spanContext()),
    set: (attributes) => void span.setAttributes(attributes),
    child: (name, attributes) =>
      begin(name, { kind: api.SpanKind.CLIENT, attributes }, api.trace.setSpan(context, span)),
    end(failed = false) {
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  })
  return {
    trace(name, { kind, parent, link }) {
      const [above, beside] = [contextOf(parent), contextOf(link)]
      const context = above ? api.trace.setSpanContext(api.ROOT_CONTEXT, above) : api.ROOT_CONTEXT
      const links = beside ? [{ context: beside }] : []
      return begin(
        name,
        { kind: kind === 'server' ? api.SpanKind.SERVER : api.SpanKind.CLIENT, links },
        context,
      )
    },
    close: () => provider.shutdown(),
  }
}

/** A place in a trace, as passed on in headers. */
function placeOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize()
  return tracestate ? { traceparent, tracestate } : { traceparent }
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
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for traces are not installed: run npm install @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-http',
      { cause },
    )
  }
}
