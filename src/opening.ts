// Opens the databases of a configuration with the modules that it names, which are loaded when they are
// needed. Commands load this and no HTTP.
import { isIP } from 'node:net'
import type { Module } from '#models'
import { type Config, credentialsOf } from './config/index.ts'
import { type AuditLine, Databases, Receivers } from './databases/index.ts'
import { StartupError } from './errors.ts'
import { urlOf } from './http/listening.ts'
import { createLog, type Log } from './http/log.ts'
import { setOutgoing } from './kit/outgoing.ts'
import { setSealingKey } from './kit/seal.ts'

/** The oldest Node.js that embeds a server; the command line starts the version that the package pins. */
const LEAST_NODE = 24

/** Our modules and those that the configuration names, each after what it needs. Throws StartupError. */
export async function modulesOf({ addons }: Pick<Config, 'addons'>): Promise<readonly Module[]> {
  if (addons.length === 0) return (await import('./modules/index.ts')).modules
  const { allModules } = await import('./modules/load.ts')
  return allModules(addons)
}

/** Names of the modules of a whole shop, for a new database. */
export const shopModules = async (): Promise<string[]> => (await import('./modules/shop.ts')).shopModules()

/**
 * Opens the databases of a configuration: of the embedded server, which is started if it does not run,
 * or of the one at `databaseUrl`. `modules` replaces those of the configuration. Throws StartupError.
 */
export async function openDatabases(
  config: Config,
  log: Log = createLog(config.log),
  modules?: readonly Module[],
): Promise<Databases> {
  if (Number.parseInt(process.versions.node, 10) < LEAST_NODE)
    throw new StartupError(
      `The server needs Node.js ${LEAST_NODE} or newer, and this is ${process.versions.node}. The command \`comptoir\` uses its own Node.js.`,
    )
  setOutside(config)
  const options = {
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl ?? null,
    archive: archiveOf(config),
    backupEverySeconds: config.backupEverySeconds,
    store: config.files && {
      place: config.files,
      credentials: credentialsOf(config.filesCredentials, process.env),
    },
    pooler: config.pooler,
    directUrl: config.directUrl,
    replicaUrl: config.replicaUrl,
    replicaLagMs: config.replicaLagSeconds * 1000,
    pool: {
      max: config.poolSize,
      queueLimit: config.poolQueue,
      acquireTimeoutMs: config.poolWaitSeconds * 1000,
      idleTimeoutMs: config.poolIdleSeconds * 1000,
      connectTimeout: config.connectSeconds * 1000,
      idleInTransactionTimeout: config.transactionIdleSeconds * 1000,
    },
    maxOpen: config.openDatabases,
    databaseFilter: config.databaseFilter ?? null,
    defaultDatabase: config.defaultDatabase,
    masterPassword: config.masterPassword,
    listDatabases: config.listDatabases,
    ...(config.port ? { baseUrl: urlOf(config.host, config.port) } : {}),
    modules: modules ?? (await modulesOf(config)),
    extensions: config.extensions,
    upgradeOnOpen: config.upgrade === 'on-open',
    log: (message: string) => log.info(message),
    onAudit: (line: AuditLine) => log.info('audit', { ...line }),
    receivers: new Receivers({ file: config.auditLog, syslog: config.auditSyslog }),
  }
  return Databases.open(options)
}

/** Where the embedded server is to be archived. Throws StartupError for a server that is not ours to archive. */
function archiveOf({ backupDir: folder, backupWalSeconds: seconds, databaseUrl }: Config) {
  if (!folder) return undefined
  if (databaseUrl)
    throw new StartupError(
      '--backup-dir is only valid for the embedded server. Archive your own PostgreSQL with its own tools, such as pgBackRest.',
    )
  return { folder, seconds }
}

/** Sets the rules for requests and secrets of the server's own. */
export function setOutside({ webhookAllow, webhookHttp, secretKey, databaseUrl }: Config): void {
  const host = databaseUrl && URL.canParse(databaseUrl) ? new URL(databaseUrl).hostname : ''
  setOutgoing({ allow: webhookAllow, http: webhookHttp, deny: isIP(host) ? [host] : [] })
  setSealingKey(secretKey ?? null)
}
