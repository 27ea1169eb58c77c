// The configuration, as the rest of the server reads it: values by the key of their option.
import type { Rate } from '../kit/rate.ts'
import type { Limits } from '../limits.ts'
import type { Extensions } from './extensions.ts'
import type { StoreCredentials, StorePlace } from './store.ts'
import type { SyslogAddress } from './syslog.ts'

/** A database with all modules and sample records, one with all modules and no records, or none. */
export type Shop = 'demo' | 'empty' | 'none'

/**
 * The settings of a server, by the keys of their options: `readConfig` reads them, `createServer` and
 * `openDatabases` take them. `comptoir serve --help` and docs/guides/settings.md describe each.
 */
export interface Config {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Absolute path of the directory that holds the embedded server and the files. */
  readonly dataDir: string
  /** Address of a PostgreSQL server; undefined runs the embedded one. */
  readonly databaseUrl: string | undefined
  /** Folder for the archive of the embedded server; undefined: the stored one. */
  readonly backupDir: string | undefined
  /** Further file for the audit log; undefined: none. */
  readonly auditLog: string | undefined
  /** Syslog for the audit log; undefined: none. */
  readonly auditSyslog: SyslogAddress | undefined
  /** The store of files; undefined: the data directory, or the database. */
  readonly files: StorePlace | undefined
  readonly filesCredentials: StoreCredentials | undefined
  /** Seconds between two base backups. */
  readonly backupEverySeconds: number
  /** Days back to which any moment can be restored. */
  readonly backupKeepDays: number
  /**
   * Seconds after which a segment of the log is archived, however little is in it; undefined: as the data
   * directory notes, or as usual.
   */
  readonly backupWalSeconds: number | undefined
  /**
   * The pooler that `databaseUrl` leads to, by the way in which it lends connections; undefined: PostgreSQL
   * itself.
   */
  readonly pooler: 'session' | 'transaction' | undefined
  /** Address of PostgreSQL itself, without a pooler, for work that needs a session. */
  readonly directUrl: string | undefined
  /** A server that follows the one of `databaseUrl`, for read-only calls that opt in. */
  readonly replicaUrl: string | undefined
  /** Seconds by which what that one shows may be old. */
  readonly replicaLagSeconds: number
  /** Connections that a process holds to one database at most. */
  readonly poolSize: number
  /** Calls of one database that may wait for a connection. */
  readonly poolQueue: number
  /** Seconds that a call waits for a connection at most. */
  readonly poolWaitSeconds: number
  /** Seconds after which an idle connection is closed. */
  readonly poolIdleSeconds: number
  /** Databases that a process keeps open at most. */
  readonly openDatabases: number
  /** Seconds for a connection to PostgreSQL to come about. */
  readonly connectSeconds: number
  /** Seconds after which PostgreSQL ends an idle transaction. */
  readonly transactionIdleSeconds: number
  /** Pattern of the databases that a host may see, with `%h` for the host and `%d` for its first label. */
  readonly databaseFilter: string | undefined
  /** Database of requests that name none, where their host may reach several; undefined: they are refused. */
  readonly defaultDatabase: string | undefined
  /** The shop of the first run; undefined: a demo shop, and none on an external server. */
  readonly shop: Shop | undefined
  readonly masterPassword: string | undefined
  /** Whether the databases may be listed and managed over the network. */
  readonly listDatabases: boolean
  /** Files of modules from outside of this package, absolute paths. */
  readonly addons: readonly string[]
  readonly workers: number
  readonly log: 'text' | 'json'
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  /** Limits of requests that differ from the defaults (limits.ts). */
  readonly limits: Partial<Limits>
  /** Whether a failover may lose the last acknowledged writes. */
  readonly lossyFailover: boolean
  readonly accessLog: boolean
  /**
   * Addresses of proxies whose `X-Forwarded-*` headers are trusted for the client's address; none by default.
   */
  readonly trustProxy: string | undefined
  /** Whether a request with the header `X-Server-Timing` gets the time that each phase took. */
  readonly serverTiming: boolean
  /**
   * Seconds that a stopping server keeps answering while `/web/health?ready=1` reports that it is not ready.
   */
  readonly drainSeconds: number
  /** When a database that an earlier build made is upgraded. */
  readonly upgrade: 'by-hand' | 'on-open'
  /** Extensions beyond the documented API. */
  readonly extensions: Extensions
  /** Calls that each key, or user at an address, may make in a time; undefined: any. */
  readonly rateLimit: Rate | undefined
  /** Calls of one caller that may run at a time; undefined: any number. */
  readonly concurrencyLimit: number | undefined
  /** Address that serves metrics for Prometheus; undefined: none. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Folder of the owner's own static files, served under `/site`; undefined: none. */
  readonly site: string | undefined
  /** Origins of pages that may call with keys. */
  readonly corsOrigins: readonly string[]
  /** Origins of pages that agents may be used from, besides those of this machine. */
  readonly mcpOrigins: readonly string[]
  /** Server that issues tokens for the MCP endpoint; undefined: only API keys are accepted. */
  readonly mcpAuthorizationServer: string | undefined
  /** Seconds that a job may take. */
  readonly jobTimeoutSeconds: number
  /** Private ranges of addresses that webhooks may be sent to. */
  readonly webhookAllow: readonly string[]
  /** Whether they may be sent over plain http. */
  readonly webhookHttp: boolean
  /** 32 bytes that seal secrets which the server reads again. */
  readonly secretKey: Buffer | undefined
  /** Whether they tell databases apart. */
  readonly metricsDatabases: boolean
}
