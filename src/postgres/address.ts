// Where a server is and how a session with it begins.
import type { ClientConfig } from 'pg'
import { StartupError } from '../errors.ts'
import type { Clock } from '../kit/clock.ts'
import { limits } from '../limits.ts'
import { types } from './values.ts'

export interface Login {
  readonly user: string
  readonly password: string
}

/** Where a server is: `postgres://user:password@host:port/database?sslmode=…`, or its parts. */
export interface ServerAddress {
  readonly url?: string
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
}

export interface ConnectionOptions extends ServerAddress {
  /** Wins over the database that `url` names. */
  readonly database?: string
  /** Milliseconds after which a statement is cancelled; 0 is never. Default: the limit `statement-seconds`. */
  readonly statementTimeout?: number
  /** Milliseconds for the connection to come about. Default 10 000. */
  readonly connectTimeout?: number
  /** For tests: another clock than the machine's. The database has functions in its schema that say the same (`databases/clock.ts`). */
  readonly clock?: Clock
}

/** Settings of every session; JIT costs more than it gains on statements that take a millisecond. */
const SETTINGS = '-c TimeZone=UTC -c DateStyle=ISO,YMD -c IntervalStyle=postgres -c bytea_output=hex -c jit=off'

/** `now()` of the schema before PostgreSQL's own; what is made without naming a schema goes into the first of the path, as ever. */
const OWN_CLOCK = ' -c search_path=public,pg_catalog'

/** Milliseconds that a statement may take; 0 is as long as it likes. */
export function statementTimeoutOf({ statementTimeout }: ConnectionOptions): number {
  return statementTimeout ?? limits['statement-seconds'] * 1000
}

/** What the driver is to be told. Throws StartupError when the URL is none. @internal */
export function clientConfig({ url, ...options }: ConnectionOptions): ClientConfig {
  const statementTimeout = statementTimeoutOf(options)
  const config: ClientConfig = {
    pipeline: true,
    types,
    // A line that died in silence while nobody used it is found out by the system within a minute, not after two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'comptoir',
    statement_timeout: statementTimeout,
    // Sooner, so that who waits for others is told so.
    lock_timeout: Math.floor(statementTimeout * 0.9),
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: options.connectTimeout ?? 10_000,
  }
  const settings = options.clock ? SETTINGS + OWN_CLOCK : SETTINGS
  if (!url) {
    const { host, port, user, password, database } = options
    return { ...config, host, port, user, password, database, options: settings }
  }
  // The driver lets a URL win over all other members: what must hold is written into the URL.
  const address = parseUrl(url)
  if (options.database !== undefined) address.pathname = `/${encodeURIComponent(options.database)}`
  address.searchParams.set('options', `${settings} ${address.searchParams.get('options') ?? ''}`.trim())
  address.searchParams.delete('application_name')
  return { ...config, connectionString: address.href.replaceAll('+', '%20') }
}

/**
 * Reads a database URL. Throws StartupError when it is none; the message does not repeat it, for it may hold a password.
 * `postgres://user@/name?host=/run/postgresql`, which PostgreSQL's own tools take, has no host and would be none for `URL`.
 */
export function parseUrl(url: string): URL {
  const address = URL.parse(url.replace('@/', '@localhost/'))
  if (address && /^postgres(ql)?:$/.test(address.protocol)) return address
  throw new StartupError('The database URL cannot be read. It must look like postgres://user:password@host:5432/postgres.')
}

/** A database URL that names a database says where this user may connect for maintenance; else it is the database that every server has. */
export function forMaintenance(address: ServerAddress): ConnectionOptions {
  return address.url && parseUrl(address.url).pathname.length > 1 ? address : { ...address, database: 'postgres' }
}
