// The settings: the flag, the help and the reader of each. Command line, environment and configuration file
// share them.
import { resolve } from 'node:path'
import type { Rate } from '../kit/rate.ts'
import { type Limits, readLimits } from '../limits.ts'
import { type Extensions, readExtensions } from './extensions.ts'
import { type StoreCredentials, type StorePlace, storeCredentials, storePlace } from './store.ts'
import { type SyslogAddress, syslogAddress } from './syslog.ts'
import {
  addresses,
  bytes,
  databaseUrl,
  duration,
  folder,
  hostAndPort,
  integer,
  key32,
  moduleFiles,
  oneOf,
  origins,
  pattern,
  ranges,
  rate,
  secretFile,
  some,
  webAddress,
  yes,
} from './values.ts'

export interface Config {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Absolute path of the directory that holds the embedded server and the files. */
  readonly dataDir: string
  /** Address of a PostgreSQL server; undefined runs the embedded one. */
  readonly databaseUrl: string | undefined
  /** Folder into which the embedded server is archived; undefined: as it was said before. */
  readonly backupDir: string | undefined
  /** File to which the audit log goes besides; undefined: none. */
  readonly auditLog: string | undefined
  /** Syslog to which it goes; undefined: none. */
  readonly auditSyslog: SyslogAddress | undefined
  /** The store of files; undefined: the data directory, or the database. */
  readonly files: StorePlace | undefined
  readonly filesCredentials: StoreCredentials | undefined
  /** Seconds between two base backups. */
  readonly backupEverySeconds: number
  /** Days back to which any moment can be restored. */
  readonly backupKeepDays: number
  /** Seconds after which a segment of the log is archived, however little is in it. */
  readonly backupWalSeconds: number | undefined
  /**
   * The pooler that `databaseUrl` leads to, by the way in which it lends connections; undefined: PostgreSQL
   * itself.
   */
  readonly pooler: 'session' | 'transaction' | undefined
  /** The way to PostgreSQL itself, past a pooler, for what needs a session of its own. */
  readonly directUrl: string | undefined
  /** A server that follows the one of `databaseUrl`, for calls that only read and want it. */
  readonly replicaUrl: string | undefined
  /** Seconds by which what that one shows may be old. */
  readonly replicaLagSeconds: number
  /** Connections that a process holds to one database at most. */
  readonly poolSize: number
  /** Calls of one database that may wait for a connection. */
  readonly poolQueue: number
  /** Seconds that a call waits for a connection at most. */
  readonly poolWaitSeconds: number
  /** Seconds after which a connection that nobody uses is closed. */
  readonly poolIdleSeconds: number
  /** Databases that a process keeps open at most. */
  readonly openDatabases: number
  /** Seconds for a connection to PostgreSQL to come about. */
  readonly connectSeconds: number
  /** Seconds after which PostgreSQL ends a transaction whose process says nothing. */
  readonly transactionIdleSeconds: number
  /** Pattern of the databases that a host may see, with `%h` for the host and `%d` for its first label. */
  readonly databaseFilter: string | undefined
  /** Database of requests that name none, where their host may reach several; undefined: they are refused. */
  readonly defaultDatabase: string | undefined
  /** The shop of the first run; undefined: one to look at, and none on a server of somebody's own. */
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
  /** Limits of what one caller may ask for, where they differ from the defaults (limits.ts). */
  readonly limits: Partial<Limits>
  /** Whether a failover may lose the last acknowledged writes. */
  readonly lossyFailover: boolean
  readonly accessLog: boolean
  /** Addresses of proxies whose `X-Forwarded-*` headers say who calls; nobody's by default. */
  readonly trustProxy: string | undefined
  /** Whether a request that asks by the header `X-Server-Timing` is told where its time went. */
  readonly serverTiming: boolean
  /**
   * Seconds that a server that stops goes on answering while `/web/health?ready=1` says that it is not ready.
   */
  readonly drainSeconds: number
  /** When a database that an earlier build made is upgraded. */
  readonly upgrade: 'by-hand' | 'on-open'
  /** What is offered beyond the documented API. */
  readonly extensions: Extensions
  /** Calls that each key, or user at an address, may make in a time; undefined: any. */
  readonly rateLimit: Rate | undefined
  /** Calls of each of them that run at a time; undefined: any. */
  readonly concurrencyLimit: number | undefined
  /** Where numbers for Prometheus are told; undefined: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Folder of the owner's own static files, served under `/site`; undefined: none. */
  readonly site: string | undefined
  /** Origins of pages that may call with keys. */
  readonly corsOrigins: readonly string[]
  /** Origins of pages that agents may be used from, besides those of this machine. */
  readonly mcpOrigins: readonly string[]
  /** Who gives tokens for the door of agents; undefined: keys are all there is. */
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

/** A database with all modules and sample records, one with all modules and no records, or none. */
export type Shop = 'demo' | 'empty' | 'none'

/** One option: its flag, which is also its key in the file, and how its text is read. */
export interface Option {
  readonly name: string
  readonly key: keyof Config
  /** What stands after the flag in the help; absent for a switch. */
  readonly value?: string
  readonly help: string
  readonly fallback: string | undefined
  /**
   * The value of a text; `base` is the directory that relative paths start from. Throws an Error saying what
   * is wrong.
   */
  readonly read: (text: string, base: string) => unknown
  /** Whether there is a second flag, `--no-` before its name, that says no. */
  readonly negatable?: boolean
  /** Whether commands other than `serve` take it too. */
  readonly shared?: boolean
}

export const options: readonly Option[] = [
  {
    name: 'host',
    key: 'host',
    value: 'address',
    help: 'address to listen on',
    fallback: '127.0.0.1',
    read: some,
  },
  {
    name: 'port',
    key: 'port',
    value: 'number',
    help: 'port to listen on; 0 takes a free one',
    fallback: '8069',
    read: integer(0, 65535),
  },
  {
    name: 'data-dir',
    key: 'dataDir',
    value: 'directory',
    help: 'where databases and files are kept',
    fallback: './data',
    read: (text, base) => resolve(base, some(text)),
    shared: true,
  },
  {
    name: 'database-url',
    key: 'databaseUrl',
    value: 'url',
    help: 'PostgreSQL server to use instead of the embedded one',
    fallback: undefined,
    read: databaseUrl,
    shared: true,
  },
  {
    name: 'backup-dir',
    key: 'backupDir',
    value: 'directory',
    help: 'archive the embedded server there from now on, so that any moment can be restored: comptoir backup',
    fallback: undefined,
    read: (text, base) => resolve(base, some(text)),
    shared: true,
  },
  {
    name: 'backup-every',
    key: 'backupEverySeconds',
    value: 'time',
    help: 'time between two base backups, such as 12h',
    fallback: '24h',
    read: duration,
  },
  {
    name: 'backup-keep',
    key: 'backupKeepDays',
    value: 'days',
    help: 'days back to which any moment can be restored',
    fallback: '7',
    read: integer(1, 3650),
    shared: true,
  },
  {
    name: 'backup-wal-seconds',
    key: 'backupWalSeconds',
    value: 'number',
    help: 'seconds after which the log is archived, however little is in it: what is lost with the machine; 60, or what the data directory notes',
    fallback: undefined,
    read: integer(1, 86_400),
    shared: true,
  },
  {
    name: 'audit-log',
    key: 'auditLog',
    value: 'file',
    help: 'file to which the audit log of all databases is written besides, a line of JSON for each entry',
    fallback: undefined,
    read: (text, base) => resolve(base, some(text)),
    shared: true,
  },
  {
    name: 'audit-syslog',
    key: 'auditSyslog',
    value: 'address',
    help: 'syslog (RFC 5424) to which the audit log of all databases is sent, such as tcp://127.0.0.1:601 or unix:///run/audit.sock',
    fallback: undefined,
    read: syslogAddress,
    shared: true,
  },
  {
    name: 'files',
    key: 'files',
    value: 'url',
    help: 'store for contents of attachments, such as s3://bucket/prefix?endpoint=https://store.example&region=eu-west-1',
    fallback: undefined,
    read: storePlace,
    shared: true,
  },
  {
    name: 'files-credentials-file',
    key: 'filesCredentials',
    value: 'file',
    help: 'file with aws_access_key_id and aws_secret_access_key for the store; the environment by default',
    fallback: undefined,
    read: storeCredentials,
    shared: true,
  },
  {
    name: 'pooler',
    key: 'pooler',
    value: 'mode',
    help: 'how the pooler behind --database-url lends connections: session or transaction',
    fallback: undefined,
    read: oneOf('session', 'transaction'),
    shared: true,
  },
  {
    name: 'direct-url',
    key: 'directUrl',
    value: 'url',
    help: 'the way to PostgreSQL past the pooler, for what needs a session of its own',
    fallback: undefined,
    read: databaseUrl,
    shared: true,
  },
  {
    name: 'replica-url',
    key: 'replicaUrl',
    value: 'url',
    help: 'PostgreSQL server that follows the one of --database-url, for calls that only read and ask for it',
    fallback: undefined,
    read: databaseUrl,
    shared: true,
  },
  {
    name: 'lossy-failover',
    key: 'lossyFailover',
    value: 'yes|no',
    help: 'a failover may lose the last acknowledged writes: doctor and start accept asynchronous standby servers',
    fallback: 'no',
    read: yes,
    shared: true,
  },
  {
    name: 'replica-lag-seconds',
    key: 'replicaLagSeconds',
    value: 'number',
    help: 'seconds by which what the replica shows may be old; beyond it calls go to the primary server',
    fallback: '10',
    read: integer(1, 3600),
  },
  {
    name: 'pool-size',
    key: 'poolSize',
    value: 'number',
    help: 'connections that a process holds to one database at most',
    fallback: '16',
    read: integer(2, 1000),
    shared: true,
  },
  {
    name: 'pool-queue',
    key: 'poolQueue',
    value: 'number',
    help: 'calls of one database that may wait for a connection; more are refused for the moment',
    fallback: '1000',
    read: integer(1, 100_000),
  },
  {
    name: 'pool-wait-seconds',
    key: 'poolWaitSeconds',
    value: 'number',
    help: 'seconds that a call waits for a connection at most',
    fallback: '8',
    read: integer(1, 600),
  },
  {
    name: 'pool-idle-seconds',
    key: 'poolIdleSeconds',
    value: 'number',
    help: 'seconds after which a connection that nobody uses is closed',
    fallback: '60',
    read: integer(1, 86_400),
  },
  {
    name: 'open-databases',
    key: 'openDatabases',
    value: 'number',
    help: 'databases that a process keeps open at most; what more are used is closed and opened in turn',
    fallback: '200',
    read: integer(1, 100_000),
  },
  {
    name: 'connect-seconds',
    key: 'connectSeconds',
    value: 'number',
    help: 'seconds for a connection to PostgreSQL to come about',
    fallback: '10',
    read: integer(1, 300),
    shared: true,
  },
  {
    name: 'transaction-idle-seconds',
    key: 'transactionIdleSeconds',
    value: 'number',
    help: 'seconds after which PostgreSQL ends a transaction whose process says nothing',
    fallback: '60',
    read: integer(5, 3600),
  },
  {
    name: 'db-filter',
    key: 'databaseFilter',
    value: 'pattern',
    help: 'databases a host may see; %h is the host, %d its first label',
    fallback: undefined,
    read: pattern,
  },
  {
    name: 'default-database',
    key: 'defaultDatabase',
    value: 'name',
    help: 'database of requests that name none, once there are several',
    fallback: undefined,
    read: some,
    shared: true,
  },
  {
    name: 'shop',
    key: 'shop',
    value: 'demo|empty|none',
    help: 'database that the first run makes: a shop with all modules and sample records, one without records, or none (default demo; none with --database-url)',
    fallback: undefined,
    read: oneOf('demo', 'empty', 'none'),
  },
  {
    name: 'master-password',
    key: 'masterPassword',
    value: 'text',
    help: 'password of the database manager; without one it stays closed',
    fallback: undefined,
    read: some,
  },
  {
    name: 'master-password-file',
    key: 'masterPassword',
    value: 'file',
    help: 'file that holds the master password: flags can be read by other users of the machine',
    fallback: undefined,
    read: secretFile,
  },
  {
    name: 'list-db',
    key: 'listDatabases',
    value: 'yes|no',
    help: 'list and manage databases over the network; no also closes the database manager',
    fallback: 'yes',
    read: yes,
    negatable: true,
  },
  {
    name: 'addons',
    key: 'addons',
    value: 'list',
    help: 'files, folders or packages of further modules, separated by commas',
    fallback: '',
    read: moduleFiles,
    shared: true,
  },
  {
    name: 'workers',
    key: 'workers',
    value: 'number',
    help: 'processes that answer requests',
    fallback: '1',
    read: integer(1, 256),
  },
  {
    name: 'log',
    key: 'log',
    value: 'format',
    help: 'format of the log: text or json',
    fallback: 'text',
    read: oneOf('text', 'json'),
  },
  {
    name: 'body-limit',
    key: 'bodyLimit',
    value: 'size',
    help: 'largest request body, such as 64m',
    fallback: '64m',
    read: bytes,
  },
  {
    name: 'limit',
    key: 'limits',
    value: 'name=number,…',
    help: 'bounds of what one caller may ask for, such as html=4m,terms=5000; the guide of operations lists them',
    fallback: '',
    read: readLimits,
  },
  {
    name: 'access-log',
    key: 'accessLog',
    help: 'write a line for every request',
    fallback: 'false',
    read: yes,
  },
  {
    name: 'trust-proxy',
    key: 'trustProxy',
    value: 'addresses',
    help: 'proxies whose X-Forwarded headers count, such as 127.0.0.1 or 10.0.0.0/8, separated by commas',
    fallback: undefined,
    read: addresses,
  },
  {
    name: 'server-timing',
    key: 'serverTiming',
    help: 'tell requests with the header X-Server-Timing where their time went',
    fallback: 'false',
    read: yes,
  },
  {
    name: 'drain-seconds',
    key: 'drainSeconds',
    value: 'number',
    help: 'seconds that a server that is stopped goes on answering while /web/health?ready=1 says no: as long as a balancer takes to notice',
    fallback: '0',
    read: integer(0, 600),
  },
  {
    name: 'upgrade',
    key: 'upgrade',
    value: 'when',
    help: 'when databases that an earlier build made are upgraded: by-hand, or on-open, when the first call comes; columns that nothing declares any more stay',
    fallback: 'by-hand',
    read: oneOf('by-hand', 'on-open'),
  },
  {
    name: 'extensions',
    key: 'extensions',
    value: 'yes|no|list',
    help: 'what is offered beyond the documented API; the guide of operations lists the parts',
    fallback: 'yes',
    read: readExtensions,
  },
  {
    name: 'rate-limit',
    key: 'rateLimit',
    value: 'calls/time',
    help: 'calls that one key, or one user at an address, may make, such as 600/60s; more are told when to come again',
    fallback: undefined,
    read: rate,
  },
  {
    name: 'concurrency-limit',
    key: 'concurrencyLimit',
    value: 'number',
    help: 'calls of one key, or of one user at an address, that run at a time',
    fallback: undefined,
    read: integer(1, 10_000),
  },
  {
    name: 'site',
    key: 'site',
    value: 'directory',
    help: 'folder of your own static files, served under /site',
    fallback: undefined,
    read: folder,
  },
  {
    name: 'cors-origins',
    key: 'corsOrigins',
    value: 'list',
    help: 'origins of web pages that may call with an API key, such as https://app.example, separated by commas',
    fallback: '',
    read: origins,
  },
  {
    name: 'mcp-origins',
    key: 'mcpOrigins',
    value: 'list',
    help: 'origins of web pages that may call /x/1/mcp, such as https://app.example, separated by commas',
    fallback: '',
    read: origins,
  },
  {
    name: 'mcp-authorization-server',
    key: 'mcpAuthorizationServer',
    value: 'url',
    help: 'authorization server that clients of /x/1/mcp are sent to when they have no key',
    fallback: undefined,
    read: webAddress,
  },
  {
    name: 'metrics',
    key: 'metrics',
    value: 'address',
    help: 'address of its own for /metrics, such as 127.0.0.1:9464; worker i is at the port + i',
    fallback: undefined,
    read: hostAndPort,
  },
  {
    name: 'metrics-databases',
    key: 'metricsDatabases',
    value: 'yes|no',
    help: 'tell databases apart in metrics',
    fallback: 'no',
    read: yes,
  },
  {
    name: 'job-timeout',
    key: 'jobTimeoutSeconds',
    value: 'time',
    help: 'how long a job may take, such as 15m',
    fallback: '15m',
    read: duration,
  },
  {
    name: 'webhook-allow',
    key: 'webhookAllow',
    value: 'ranges',
    help: 'private ranges of addresses that webhooks may be sent to, such as 10.1.0.0/16, separated by commas',
    fallback: '',
    read: ranges,
    shared: true,
  },
  {
    name: 'webhook-http',
    key: 'webhookHttp',
    value: 'yes|no',
    help: 'send webhooks over plain http too; for tests on one machine',
    fallback: 'no',
    read: yes,
    shared: true,
  },
  {
    name: 'secret-key',
    key: 'secretKey',
    value: 'key',
    help: '32 bytes as 64 hexadecimal digits, by which the secrets of webhooks and second factors are sealed in the database',
    fallback: undefined,
    read: key32,
    shared: true,
  },
  {
    name: 'secret-key-file',
    key: 'secretKey',
    value: 'file',
    help: 'file that holds the secret key: flags can be read by other users of the machine',
    fallback: undefined,
    read: (text, base) => key32(secretFile(text, base)),
    shared: true,
  },
]
