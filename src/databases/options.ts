// Options of the databases of a server.
import type { Extensions, StoreCredentials, StorePlace } from '../config/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Module } from '../models/index.ts'
import type { EmbeddedOptions } from '../postgres/embedded/index.ts'
import type { AuditLine } from './audit.ts'
import type { PoolSettings } from './maker.ts'
import type { Receivers } from './receivers/index.ts'

export interface ServerOptions {
  readonly dataDir: string
  /** A server of one's own in place of the embedded one. */
  readonly databaseUrl?: string | null
  /** The pooler that the URL leads to, and the way past it (postgres/pooling.ts). */
  readonly pooler?: 'session' | 'transaction' | undefined
  readonly directUrl?: string | undefined
  /** A server that follows the one of the URL, for calls that only read, and how old what it shows may be. */
  readonly replicaUrl?: string | undefined
  readonly replicaLagMs?: number
  /** Archive of the embedded server's log from now on; by default the stored one. */
  readonly archive?: EmbeddedOptions['archive']
  /** Seconds between two base backups. */
  readonly backupEverySeconds?: number
  /** A store of files in place of the directory or the database; undefined: none. */
  readonly store?: { readonly place: StorePlace; readonly credentials: StoreCredentials } | undefined
  /** Which databases a host may reach; see `filterFor`. */
  readonly databaseFilter?: string | null
  /** Database of requests that name none, where their host may reach it among others. */
  readonly defaultDatabase?: string | undefined
  /** Password of the database services until one is set by them; undefined: none opens them. */
  readonly masterPassword?: string | undefined
  /** False: databases cannot be listed or managed over the network. */
  readonly listDatabases?: boolean
  /** Where clients reach the server: the parameter `web.base.url` of new databases. */
  readonly baseUrl?: string
  /** All modules there are, in an order in which each comes after what it needs. */
  readonly modules: readonly Module[]
  readonly log?: (message: string) => void
  /** Extensions of the documented API; by default all. */
  readonly extensions?: Extensions
  /** Whether a database that an earlier build made is upgraded when it is opened. */
  readonly upgradeOnOpen?: boolean
  /** Called with every line of the server's audit log (audit.ts). */
  readonly onAudit?: (line: AuditLine) => void
  /** Further receivers of the audit log; by default none. */
  readonly receivers?: Receivers | null
  /** Size and timeouts of a database's pool, if they differ from the defaults. */
  readonly pool?: PoolSettings
  /** Databases that a process keeps open at most, unless all of them are busy. */
  readonly maxOpen?: number
  /** Milliseconds after which an idle database is closed. */
  readonly idleMs?: number
  /** False for tests only. */
  readonly durable?: boolean
  /** For tests only: another clock than the machine's, for all databases of the server (clock.ts). */
  readonly clock?: Clock
}
