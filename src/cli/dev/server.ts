// One server of `comptoir dev`, in its own process: loads the modules, updates the database, waits for the
// port, serves.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Config } from '../../config/index.ts'
import type { Databases } from '../../databases/index.ts'
import { ServiceError, StartupError } from '../../errors.ts'
import { createLog } from '../../http/log.ts'
import { createServer } from '../../main.ts'
import { openDatabases } from '../../opening.ts'
import { lockServe, makeDataDir } from '../../postgres/directory/index.ts'
import { createKey, installModules, listModules, upgradeModules } from '../../services/admin.ts'
import { Scheduler } from '../../services/scheduler.ts'
import { untilStopped } from '../stopping.ts'
import type { FromServer, Order, ToServer } from './messages.ts'
import { modulesIn } from './modules.ts'

const say = (message: FromServer): void => void process.send?.(message)

async function run({ config, database, demo }: Order): Promise<void> {
  const log = createLog(config.log)
  makeDataDir(config.dataDir)
  const names = await modulesIn(config)
  const databases = await openDatabases(config, { ...log, info: () => undefined })
  try {
    say({ ready: { modules: names, welcome: await bring(databases, database, names, demo) } })
    const [{ go }] = (await once(process, 'message')) as [{ go: { port: number } }]
    await serve({ ...config, port: go.port }, databases)
  } finally {
    await databases.close()
  }
}

/**
 * Installs and upgrades the modules, in a new database if it does not exist. Returns the sign-in data for the
 * administrator of a new one.
 */
async function bring(
  databases: Databases,
  database: string,
  modules: readonly string[],
  demo: boolean,
): Promise<string | null> {
  if (!(await databases.exists(database))) {
    await databases.create(database, { modules, demo, login: 'admin', password: 'admin' })
    const key = await createKey(databases, database, 'admin', { scope: 'rpc', name: 'dev', days: 90 })
    return `database ${database}, login admin, password admin, API key ${key} (90 days; not shown again)`
  }
  const states = new Map((await listModules(databases, database)).map(({ name, state }) => [name, state]))
  await installModules(databases, database, modules)
  const installed = modules.filter((name) => states.get(name) === 'installed')
  if (installed.length > 0) await upgradeModules(databases, database, installed)
  return null
}

async function serve(config: Config, databases: Databases): Promise<void> {
  const log = createLog(config.log)
  const lock = lockServe(config.dataDir)
  const scheduler = new Scheduler(databases, { log })
  try {
    const server = await createServer({ ...config, databases, logger: log })
    const { port } = server.app.server.address() as AddressInfo
    say({ listening: { url: server.url, port } })
    await untilStopped(log)
    await server.close()
  } finally {
    await scheduler.stop()
    lock.release()
  }
}

/** The message of an error, with the place in the file if Node.js knows it. */
function sentence(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const place =
    cause instanceof Error ? /file:\/\/[^\s)]+:\d+(?::\d+)?/.exec(cause.stack ?? '')?.[0] : undefined
  const isExpected = error instanceof StartupError || error instanceof ServiceError
  const text =
    error instanceof Error ? (isExpected ? error.message : `${error.name}: ${error.message}`) : String(error)
  return place === undefined ? text : `${text}\n  at ${place}`
}

process.once('message', (message: ToServer) => {
  if (!('order' in message)) return
  run(message.order)
    .catch((error: unknown) => {
      say({ failed: sentence(error) })
      process.exitCode = 1
    })
    // The channel keeps the process alive.
    .finally(() => process.connected && process.disconnect())
})
