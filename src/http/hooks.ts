// Hooks for all requests, whatever their route: headers are read, a line is logged, and a stopping server
// refuses new requests.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Extensions } from '../config/index.ts'
import { BadRequest, ServiceUnavailable } from '../errors.ts'
import { withTrace } from '../kit/watch/index.ts'
import { hasPreferenceHeaders } from '../wire/preferences.ts'
import { acceptsProblems } from '../wire/problems.ts'
import { traceIn } from '../wire/traces.ts'
import type { watchConnections } from './connections.ts'
import type { Log } from './log.ts'
import { preferencesOfRequest } from './preferences.ts'
import { traceFact } from './watch/requests.ts'

/** Whether the server stops. */
interface End {
  readonly begun: boolean
}

/** Closes connections as they fall idle, from the beginning of the end on. */
export function closeIdleConnections(
  app: FastifyInstance,
  connections: ReturnType<typeof watchConnections>,
): End {
  const end = { begun: false }
  let idle: NodeJS.Timeout | undefined
  app.addHook('preClose', (done) => {
    end.begun = true
    // Clients keep connections open: they are closed as soon as their last call is answered.
    idle = setInterval(() => {
      app.server.closeIdleConnections()
      connections.closeUnused()
    }, 20)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(idle)
    done()
  })
  return end
}

/** Reads the preferences of a request's headers; refuses it with 503 once the server stops. */
export function onRequestStart(
  app: FastifyInstance,
  { extensions, end }: { extensions: Extensions; end: End },
): void {
  app.decorateRequest('asks', null)
  app.decorateRequest('answering', null)
  app.decorateRequest('wantsProblem', false)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    request.answering = reply
    if (extensions.has('problems') && acceptsProblems(request.headers.accept)) request.wantsProblem = true
    const hosts = hostsOf(request)
    // HTTP/1.0 has no such header.
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion !== '1.0')) {
      // Nothing more is read from a client whose requests can be understood in two ways.
      reply.header('connection', 'close')
      return done(
        new BadRequest(hosts ? 'The Host header is given more than once' : 'The Host header is missing'),
      )
    }
    const { method, headers } = request
    // Under /x/1 whatever the verb: exports and changes are read by GET, webhooks are changed by PATCH.
    const mayAsk = method === 'POST' || request.url.startsWith('/x/1/')
    if ((mayAsk || headers['comptoir-position'] !== undefined) && hasPreferenceHeaders(headers))
      request.asks = preferencesOfRequest(request, reply, extensions)
    if (end.begun) {
      reply.header('connection', 'close')
      return done(new ServiceUnavailable('The server is stopping'))
    }
    const trace = request.asks && extensions.size > 0 ? traceIn(headers) : null
    return trace ? withTrace(trace, done) : done()
  })
}

/**
 * Number of Host headers of a request: RFC 9112, section 3.2, requires 400 for any number but one. Node.js
 * refuses a missing one without an error object, and passes on the first of several.
 */
function hostsOf({ raw: { rawHeaders } }: FastifyRequest): number {
  let count = 0
  for (const [at, name] of rawHeaders.entries())
    if (at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host') count++
  return count
}

/** A line in the log for every request that was answered. */
export function writeAccessLog(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.url.split('?', 1)[0]
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    log.info('request', {
      request: request.id,
      remote: request.ip,
      method: request.method,
      path,
      status: reply.statusCode,
      milliseconds,
      ...traceFact(),
    })
    done()
  })
}
