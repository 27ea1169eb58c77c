// Metrics and traces of requests: durations, numbers, and a span for each.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Span, spanNow, type Tracing, watch, watched } from '../../kit/watch/index.ts'
import { traceIn } from '../../wire/traces.ts'

/** The route, never the path: that has ids and names in it. */
const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? '_OTHER'

const verbs = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const verbOf = ({ method }: FastifyRequest): string => (verbs.has(method) ? method : '_OTHER')

/** Watches all requests of a server, if metrics or traces are on. */
export function watchRequests(app: FastifyInstance, trace: Tracing | null): void {
  if (!watch.isOn) return
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const verb = verbOf(request)
    watch.sink?.move('http_server_active_requests', 1, { http_request_method: verb })
    if (!trace) return watched(null, done)
    const span = trace(`${verb} ${routeOf(request)}`, { kind: 'server', parent: traceIn(request.headers) })
    span.set({ 'http.request.method': verb, 'http.route': routeOf(request) })
    spans.set(request, span)
    return watched(span, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const verb = verbOf(request)
    watch.sink?.move('http_server_active_requests', -1, { http_request_method: verb })
    watch.sink?.observe('http_server_request_duration_seconds', reply.elapsedTime / 1000, {
      http_request_method: verb,
      http_route: routeOf(request),
      http_response_status_code: String(reply.statusCode),
    })
    const span = spans.get(request)
    span?.set({ 'http.response.status_code': reply.statusCode })
    span?.end(reply.statusCode >= 500)
    done()
  })
}

/** The trace of the request that runs, for lines of the log. */
export function traceFact(): { readonly trace?: string } {
  const span = spanNow()
  return span ? { trace: span.traceId } : {}
}
