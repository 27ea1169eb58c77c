// Assembles the layers: configuration, modules, databases, services and HTTP become a server. The only
// file that imports all of them.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Rates } from './access/index.ts'
import { type Config, readConfig } from './config/index.ts'
import type { Databases } from './databases/index.ts'
import { errorObject, type ServiceError } from './errors.ts'
import { Drain } from './http/drain.ts'
import { cannotListen, urlOf } from './http/listening.ts'
import { type Log, silentLog } from './http/log.ts'
import { buildServer } from './http/server.ts'
import { beginWatching, type Watching } from './http/watch/index.ts'
import { watch } from './kit/watch/index.ts'
import { setLimits } from './limits.ts'
import { shopModules } from './modules/shop.ts'
import { openDatabases, setOutside } from './opening.ts'
import { upgradeModules } from './services/admin.ts'
import * as agents from './services/agents/index.ts'
import { admit, verifyCredential } from './services/as-owner.ts'
import { batch } from './services/batch/index.ts'
import { call } from './services/call.ts'
import { changes, pulse } from './services/changes/index.ts'
import { login, version } from './services/common.ts'
import { content } from './services/content.ts'
import { db } from './services/db.ts'
import { DeprecatedCalls } from './services/deprecated-calls.ts'
import * as jobs from './services/jobs/index.ts'
import { JobWorker } from './services/jobs/worker.ts'
import { findOrphanedWork } from './services/orphaned-work.ts'
import { printed } from './services/report.ts'
import { secondFactor } from './services/second-factor.ts'
import { session } from './services/session.ts'
import { WebhookWorker } from './services/webhooks/worker.ts'
import type { Backend } from './wire/backend.ts'
import { batchText } from './wire/batch.ts'
import { type Catalogue, catalogueOf } from './wire/rpc/catalogue.ts'

export { type Config, readConfig } from './config/index.ts'
export { modules } from './modules/index.ts'
export { openDatabases } from './opening.ts'
export { shopModules }

/** A running server. */
export interface Server {
  /** Address of the server, such as `http://127.0.0.1:8069`. */
  readonly url: string
  /** Address of `/metrics`; absent if metrics are off. */
  readonly metricsUrl?: string
  /** The Fastify instance, for injection in tests. */
  readonly app: FastifyInstance
  readonly databases: Databases
  /**
   * From now on `/web/health?ready=1` reports that calls should go elsewhere. Calls that arrive are
   * answered normally.
   */
  drain(): void
  /** Finds jobs and webhook deliveries that processes which died have left, and runs them. */
  resumeJobs(): Promise<void>
  /**
   * Finishes calls in flight, refuses new ones, then closes the databases (those that the server opened
   * itself).
   */
  close(): Promise<void>
}

/** Settings of a server, and what it uses of the process that embeds it. Each may be left out. */
export interface ServerOptions extends Partial<Config> {
  /** Databases that are open already. They stay open when the server closes. */
  readonly databases?: Databases
  /** Destination of the log. Default: none. */
  readonly logger?: Log
  /** A bound socket that another process passed on, instead of host and port. */
  readonly socket?: object
  /**
   * Number of this process among those of the machine, from 0. Each serves its metrics on a port of its
   * own.
   */
  readonly worker?: number
}

/**
 * Starts a server inside this process: for embedding and tests; `comptoir serve` uses it too. Options
 * that are left out have the defaults of the command line, except for port 0: any free port. Reads no
 * environment variables and no file. Throws StartupError.
 *
 * @example
 * ```ts
 * import { createServer } from 'comptoir'
 *
 * export async function embed(): Promise<void> {
 *   const server = await createServer({ dataDir: '/var/lib/comptoir', port: 8069 })
 *   process.once('SIGTERM', () => void server.close())
 * }
 * ```
 */
export async function createServer({
  databases: opened,
  logger = silentLog,
  socket,
  worker = 0,
  ...options
}: ServerOptions = {}): Promise<Server> {
  const config: Config = { ...readConfig({ flags: { port: '0' }, env: {}, cwd: process.cwd() }), ...options }
  setLimits(config.limits)
  setOutside(config)
  const databases = opened ?? (await openDatabases(config, logger))
  let watching: Watching | undefined
  const leave = async () => {
    await watching?.close()
    if (!opened) await databases.close()
  }
  try {
    const workers = workersOf(config, databases, logger)
    watching = await beginWatching(config, databases, worker)
    const { trace, metricsUrl } = watching
    databases.rates = ratesOf(config)
    const drain = new Drain()
    const app = await buildServer({
      backend: backendOf(databases, workers),
      log: logger,
      ...httpOf(config),
      drain,
      trace,
    })
    await listen(app, config, socket)
    const { port } = app.server.address() as AddressInfo
    const close = async () => {
      await app.close()
      await workers.jobs?.close()
      await workers.webhooks?.close()
      await workers.deprecated.close()
      await leave()
    }
    return {
      url: urlOf(config.host, port),
      ...(metricsUrl ? { metricsUrl } : {}),
      app,
      databases,
      drain: () => drain.begin(),
      resumeJobs: () =>
        findOrphanedWork(
          databases,
          [workers.jobs, workers.webhooks].filter((taker) => taker !== null),
        ),
      close,
    }
  } catch (error) {
    await leave()
    throw error
  }
}

interface Workers {
  readonly jobs: JobWorker | null
  readonly webhooks: WebhookWorker | null
  readonly deprecated: DeprecatedCalls
}

/** Background workers; null if they are switched off. */
function workersOf({ extensions, jobTimeoutSeconds }: Config, databases: Databases, log: Log): Workers {
  const texts = { batch: batchText, error: (error: ServiceError) => JSON.stringify(errorObject(error)) }
  const timeoutMs = jobTimeoutSeconds * 1000
  return {
    jobs: extensions.has('jobs') ? new JobWorker(databases, { texts, timeoutMs, log }) : null,
    webhooks: extensions.has('webhooks') ? new WebhookWorker(databases, { log }) : null,
    deprecated: new DeprecatedCalls(databases, (message) => log.error(message)),
  }
}

/** The options of HTTP in a configuration. */
function httpOf(config: Config) {
  const { bodyLimit, accessLog, serverTiming, trustProxy, extensions, corsOrigins, site } = config
  const mcp = { origins: config.mcpOrigins, authorizationServer: config.mcpAuthorizationServer }
  return { bodyLimit, accessLog, serverTiming, trustProxy, extensions, corsOrigins, site, mcp }
}

/** The functions that the wires call. */
function backendOf(databases: Databases, { jobs: jobWorker, deprecated }: Workers): Backend {
  let catalogue: Catalogue | undefined
  return {
    databases,
    call,
    batch,
    agents,
    changes,
    pulse,
    prove: verifyCredential,
    admit,
    jobs,
    wake: (name) => jobWorker?.wake(name),
    version,
    login,
    db,
    session,
    secondFactor,
    content,
    printed,
    upgradeModules,
    deprecated,
    catalogue: () => (catalogue ??= catalogueOf(databases.options.modules)),
    shopModules,
  }
}

/** The rate limits of callers; null if they are switched off. */
function ratesOf({ rateLimit: rate, concurrencyLimit: concurrency, extensions }: Config): Rates | null {
  const general =
    rate || concurrency ? { rate: rate ?? null, burst: null, concurrency: concurrency ?? null } : null
  const countRefusal = (reason: string) => watch.sink?.count('comptoir_rate_refused_total', { reason })
  return extensions.has('limits') ? new Rates(general, countRefusal) : null
}

async function listen(app: FastifyInstance, { host, port }: Config, socket?: object): Promise<void> {
  try {
    // Node.js takes a socket as `handle`; Fastify passes on what it does not know.
    await app.listen({ host, port, backlog: 1024, ...(socket ? { handle: socket } : {}) })
  } catch (error) {
    await app.close()
    const { code = '', message } = error as NodeJS.ErrnoException
    throw cannotListen({ host, port }, { code, message, cause: error })
  }
}
