// The HTTP server: its limits, its routes and its end.
import fastify, { type FastifyInstance } from 'fastify'
import { type Extensions, everyExtension } from '../config/index.ts'
import { rangesIn, within } from '../kit/addresses.ts'
import type { Tracing } from '../kit/watch/index.ts'
import type { Backend } from '../wire/backend.ts'
import { Bodies } from './body.ts'
import { calls } from './calls.ts'
import { watchConnections } from './connections.ts'
import { contentRoutes } from './content/routes.ts'
import { allowOrigins } from './cors.ts'
import { databaseRoutes } from './databases.ts'
import { documentRoutes } from './docs.ts'
import { Drain } from './drain.ts'
import { extensionRoutes } from './extensions/index.ts'
import type { McpOptions } from './extensions/options.ts'
import { clientErrorHandler, errorHandler, unknownPath } from './failures.ts'
import { closeIdleConnections, onRequestStart, writeAccessLog } from './hooks.ts'
import { type Log, silentLog } from './log.ts'
import { acceptAllMethods, refuseOtherMethods } from './only-post.ts'
import { pageAssets, wellKnownFiles } from './pages.ts'
import { serializeRequests } from './pipeline.ts'
import { portion } from './portions.ts'
import { reportRoutes } from './reports.ts'
import { requestId } from './request-id.ts'
import { rpcRoutes } from './rpc.ts'
import { sessionPages } from './session/pages.ts'
import { sessionRoutes } from './session/routes.ts'
import { siteFiles } from './site.ts'
import { statusRoutes } from './status.ts'
import { announceStopping } from './stopping.ts'
import { watchRequests } from './watch/requests.ts'
import { xmlrpcRoutes } from './xmlrpc.ts'

export interface HttpOptions {
  readonly backend: Backend
  readonly log?: Log
  /** Largest body taken, in bytes; 64 MiB. */
  readonly bodyLimit?: number
  /** Whether every request gets a line in the log; server errors always do. */
  readonly accessLog?: boolean
  /** Addresses of proxies whose headers name the client. */
  readonly trustProxy?: string | undefined
  /** Whether a request with the header `X-Server-Timing` gets the time that each phase took. */
  readonly serverTiming?: boolean
  /** Extensions that are switched on. */
  readonly extensions?: Extensions
  /** Origins of pages that may call with keys. */
  readonly corsOrigins?: readonly string[]
  /** Folder of the owner's own static files. */
  readonly site?: string | undefined
  /** Origins that may use the MCP endpoint from pages, and the server that issues its tokens. */
  readonly mcp?: McpOptions
  /** Started when calls should go elsewhere. */
  readonly drain?: Drain
  /** Begins spans of requests, if tracing is on. */
  readonly trace?: Tracing | null
}

export const BODY_LIMIT = 64 * 1024 * 1024

/**
 * A Fastify instance with all routes, not yet listening. `close()` lets calls in flight finish, refuses new
 * ones with 503 on connections that are still open, and closes those that are idle.
 */
export async function buildServer({
  backend,
  log = silentLog,
  bodyLimit = BODY_LIMIT,
  accessLog = false,
  serverTiming = false,
  trustProxy,
  extensions = everyExtension,
  corsOrigins = [],
  site,
  mcp = { origins: [], authorizationServer: undefined },
  drain = new Drain(),
  trace = null,
}: HttpOptions): Promise<FastifyInstance> {
  const app = instance({ log, trustProxy })
  acceptAllMethods(app)
  announceStopping(app)
  serializeRequests(app.server)
  portion(app.server)
  const connections = watchConnections(app.server, { isProxy: within(rangesIn(trustProxy ?? '').ranges) })
  const end = closeIdleConnections(app, connections)
  watchRequests(app, trace)
  allowOrigins(app, corsOrigins)
  onRequestStart(app, { extensions, end })
  if (accessLog) writeAccessLog(app, log)
  app.setErrorHandler(errorHandler(log))
  app.setNotFoundHandler(unknownPath(extensions))
  const bodies = readBodies(app, bodyLimit)
  calls(app, { backend, bodies, serverTiming, log, tags: extensions.has('versions') })
  rpcRoutes(app, { backend, bodies, log })
  xmlrpcRoutes(app, { backend, bodies, log })
  statusRoutes(app, { backend, log, drain })
  contentRoutes(app, { backend })
  reportRoutes(app, { backend })
  sessionRoutes(app, { backend, bodies, log })
  sessionPages(app, { backend, bodies })
  pageAssets(app)
  wellKnownFiles(app)
  siteFiles(app, site)
  const refuseOtherVerbs = refuseOtherMethods(app, ['/x/1', '/.well-known'])
  extensionRoutes(app, { backend, bodies, extensions, mcp }, log)
  documentRoutes(app, { backend, extensions })
  refuseOtherVerbs()
  await databaseRoutes(app, { backend, bodies, log })
  await app.ready()
  return app
}

function instance({ log, trustProxy }: { log: Log; trustProxy: string | undefined }): FastifyInstance {
  return fastify({
    logger: false,
    ...(trustProxy === undefined ? {} : { trustProxy }),
    genReqId: requestId,
    exposeHeadRoutes: true,
    // The server's own refusal is an error object.
    return503OnClosing: false,
    // The server's own refusal is an error object.
    http: { requireHostHeader: false },
    // A body has five minutes to arrive; a kept connection may stay silent for a minute and a bit.
    requestTimeout: 300_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => void errorHandler(log)(error, request, reply),
    // Long enough for the ids of all documents that one call prints.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1200 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  })
}

/**
 * Routes have no Fastify schemas. Its schema compilers are a hundred files, which are loaded by default.
 */
const noSchemas = () => () => {
  throw new Error('Routes have no schemas: contracts of methods say what is taken.')
}

/** Handlers read their bodies themselves, once the headers are in order. */
function readBodies(app: FastifyInstance, limit: number): Bodies {
  app.removeAllContentTypeParsers()
  // Fastify caches parsers of named types only; the most common type is named.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, (_request, _payload, done) => done(null))
  const bodies = new Bodies(limit)
  // A client that waits for `100 Continue` does not send a body that is refused by its headers.
  app.server.on('checkContinue', (message, response) => {
    bodies.hold(message, response)
    app.server.emit('request', message, response)
  })
  return bodies
}
