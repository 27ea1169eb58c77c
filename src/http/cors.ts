// Pages of other origins that may call with an API key (CORS). Cookies are never allowed along.
import type { FastifyInstance } from 'fastify'
import { setHeaderOnce } from './reply.ts'

/**
 * Paths that take keys, and the version. The MCP endpoint has origins of its own (`mcp-origins`): it is left
 * out however its path is encoded.
 */
const WITH_KEYS =
  /^\/(?:json\/2\/|doc-bearer\/|x\/1(?!\/(?:mcp(?:[/?#]|$)|[^/?#]*%))(?:[/?]|$)|web\/version(?:[?]|$))/

/** Headers of requests that these paths read, beyond those that a browser sends without a question. */
const ASKED = [
  ...['authorization', 'content-type', 'x-service-database', 'x-odoo-database', 'x-request-id'],
  ...['prefer', 'idempotency-key', 'if-match', 'if-none-match', 'comptoir-position', 'cursor'],
  ...['last-event-id', 'traceparent', 'tracestate', 'x-server-timing'],
].join(', ')

/** Headers of answers that programs read. */
const TOLD = [
  ...['error-code', 'retry-after', 'x-comptoir-outcome', 'x-request-id', 'www-authenticate', 'link', 'etag'],
  ...['idempotent-replayed', 'preference-applied', 'comptoir-position', 'next-cursor', 'location'],
  ...['deprecation', 'sunset', 'server-timing', 'content-language'],
].join(', ')

/** The same for every request, so that it costs nothing; browsers keep it for two hours at most. */
const PERMISSION = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers': ASKED,
  'access-control-max-age': '7200',
}

/**
 * Lets pages of these origins, as browsers write them, call the paths that take keys. Preflights are answered
 * before other hooks run. Changes nothing without origins.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url, headers } = request
    const { origin } = headers
    if (origin === undefined || !origins.includes(origin.toLowerCase()) || !WITH_KEYS.test(url)) return done()
    reply.header('access-control-allow-origin', origin)
    if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined)
      return reply.headers(PERMISSION).code(204).send()
    reply.header('access-control-expose-headers', TOLD)
    done()
  })
  // Last, as answers that may be compressed write a header of the same name.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (WITH_KEYS.test(request.url)) setHeaderOnce(reply, 'vary', 'origin')
    done()
  })
}
