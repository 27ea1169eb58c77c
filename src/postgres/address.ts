// Address of a server, and the start of a session.
import type { ClientConfig } from 'pg'
import type { Clock } from '../kit/clock.ts'
import { patience } from '../kit/patience.ts'
import { limits } from '../limits.ts'
import { fits, hostsOf, type SessionAttrs } from './hosts.ts'
import { type SessionSettings, settingsOf, startupOptions } from './session.ts'
import { types } from './values.ts'

export interface Login {
  readonly user: string
  readonly password: string
}

/**
 * Mode of a pooler in front of PostgreSQL: a connection is assigned to a session for its life, or to each
 * transaction.
 */
export type Pooler = 'session' | 'transaction'

/** Address of a server: `postgres://user:password@host:port,host:port/database?sslmode=…`, or its parts. */
export interface ServerAddress {
  readonly url?: string
  readonly host?: string
  readonly port?: number
  /** Wins over the user that `url` names, and so does the password. */
  readonly user?: string
  readonly password?: string
  /** The pooler at this address, if it is not PostgreSQL itself. */
  readonly pooler?: Pooler | undefined
}

export interface ConnectionOptions extends ServerAddress {
  /** Wins over the database that `url` names. */
  readonly database?: string
  /**
   * Milliseconds after which a statement is cancelled; 0 is never. Default: the limit `statement-seconds`.
   */
  readonly statementTimeout?: number
  /** Milliseconds after which an idle transaction is ended; 0: never. Default 60 000. */
  readonly idleInTransactionTimeout?: number
  /** Milliseconds for the connection to come about. Default 10 000. */
  readonly connectTimeout?: number
  /**
   * For tests: another clock than the machine's. The database has functions in its schema that say the same
   * (`databases/clock.ts`).
   */
  readonly clock?: Clock
}

/** Milliseconds that a statement may take; 0 is as long as it likes. */
export function statementTimeoutOf({ statementTimeout }: ConnectionOptions): number {
  return statementTimeout ?? limits['statement-seconds'] * 1000
}

/** Milliseconds that a statement waits for locks: less than its timeout, so that the error names the lock. */
function lockTimeoutOf(statementTimeout: number): number {
  return Math.min(Math.floor(statementTimeout * 0.9), limits['lock-seconds'] * 1000)
}

/** Settings for every statement of a session. */
export function sessionSettings(options: ConnectionOptions): SessionSettings {
  const statementTimeout = statementTimeoutOf(options)
  return settingsOf({
    statementTimeout,
    lockTimeout: lockTimeoutOf(statementTimeout),
    idleInTransactionTimeout: options.idleInTransactionTimeout ?? 60_000,
    ownClock: options.clock !== undefined,
  })
}

/** Whether a server that follows another one will not do. */
export const mustLead = ({ url }: ConnectionOptions): boolean =>
  url !== undefined && !fits(hostsOf(url).attrs, { standby: true, readOnly: false })

/** One server that may be tried, and what it must be to be taken. */
export interface Target {
  readonly config: ClientConfig
  readonly attrs: SessionAttrs
}

/** Options of the driver, for each host in turn. Throws StartupError for an invalid URL. @internal */
export function targetsOf(options: ConnectionOptions): Target[] {
  const { url, host, port, user, password, database, pooler } = options
  const settings = startupOptions(sessionSettings(options))
  const config: ClientConfig = {
    pipeline: true,
    types,
    // TCP keep-alive: the system detects a dead idle connection within a minute, not after two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'comptoir',
    connectionTimeoutMillis: options.connectTimeout ?? 10_000 * patience.factor,
  }
  // A pooler takes no settings at the start of a session: they are sent later (session.ts).
  if (!url)
    return [
      {
        config: { ...config, host, port, user, password, database, ...(pooler ? {} : { options: settings }) },
        attrs: 'any',
      },
    ]
  const { urls, attrs } = hostsOf(url)
  return urls.map((address) => {
    // The driver lets a URL win over all other members: what must hold is written into the URL.
    if (database !== undefined) address.pathname = `/${encodeURIComponent(database)}`
    if (user !== undefined) address.username = encodeURIComponent(user)
    if (password !== undefined) address.password = encodeURIComponent(password)
    const urlOptions = address.searchParams.get('options') ?? ''
    if (pooler) address.searchParams.delete('options')
    else address.searchParams.set('options', `${settings} ${urlOptions}`.trim())
    address.searchParams.delete('application_name')
    return { config: { ...config, connectionString: address.href.replaceAll('+', '%20') }, attrs }
  })
}

/** The database for maintenance: the one that the URL names, else the one that every server has. */
export function forMaintenance(address: ConnectionOptions): ConnectionOptions {
  return address.url && (hostsOf(address.url).urls[0]?.pathname.length ?? 0) > 1
    ? address
    : { ...address, database: 'postgres' }
}
