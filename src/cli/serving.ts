// A worker process, started by the primary process (supervising.ts). The first one also does the work that
// only one process of a machine does.
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/index.ts'
import { BackupKeeper, type Databases } from '../databases/index.ts'
import { createLog, type Log } from '../http/log.ts'
import { createServer, type Server } from '../main.ts'
import { openDatabases } from '../opening.ts'
import { warnOfFailover } from '../services/doctor/failover.ts'
import { Passes } from '../services/orphaned-work.ts'
import { Scheduler } from '../services/scheduler.ts'
import { type LocalSocket, openLocalSocket } from './local/server.ts'
import { keepMemory } from './memory-keeper.ts'
import type { Port } from './port.ts'
import type { Progress } from './progress.ts'
import { untilStopped } from './stopping.ts'
import { firstRun, tell } from './welcome.ts'
import type { Orders, Report } from './workers.ts'

/** Answers until the primary process stops it, or is gone. Throws StartupError. */
export async function work(): Promise<void> {
  // Node.js would end it at once with its primary process; it stops in order instead.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  const [{ config, index, isFirst, replaces }, port] = await orders()
  const log = createLog(config.log)
  const stopped = untilStopped(log, config.drainSeconds)
  const databases = await openDatabases(config, log)
  let server: Server | undefined
  let passes: Passes | undefined
  let commands: LocalSocket | null | undefined
  // Scheduled jobs of a machine run in one process; those of other machines share the work by themselves.
  const scheduler = isFirst ? new Scheduler(databases, { log }) : undefined
  const keeper = isFirst && databases.archive ? keeperOf(config, databases.archive, log) : undefined
  try {
    if (isFirst && !replaces && config.databaseUrl)
      await warnOfFailover(databases, config, (message, facts) => log.warn(message, { ...facts }))
    const answering = await createServer({
      ...config,
      databases,
      worker: index,
      logger: log,
      ...(port ? { socket: port } : {}),
    })
    server = answering
    // The first run comes after the port is bound: its password and key are shown only once.
    if (isFirst && !replaces) await welcome(config, { databases, log, url: answering.url })
    if (isFirst) commands = await openLocalSocket(config, databases, log)
    report({ says: 'answers', url: answering.url })
    keepMemory()
    if (isFirst) passes = new Passes(() => answering.resumeJobs())
    await stopped
    answering.drain()
    // Keep answering until the load balancer has noticed. When the primary process is gone, there is no need
    // to.
    if (config.drainSeconds && process.connected) await sleep(config.drainSeconds * 1000)
  } finally {
    await commands?.close()
    await server?.close()
    await passes?.stop()
    await scheduler?.stop()
    await keeper?.stop()
    await databases.close()
  }
}

const keeperOf = (config: Config, archive: NonNullable<Databases['archive']>, log: Log): BackupKeeper =>
  new BackupKeeper(config.dataDir, archive, {
    everySeconds: config.backupEverySeconds,
    keepDays: config.backupKeepDays,
    log,
  })

/** The first message of the primary process, and the port that it hands over. */
function orders(): Promise<[Orders, Port | undefined]> {
  const received = new Promise<[Orders, Port | undefined]>((resolve) =>
    process.once('message', (message, port) => resolve([message as Orders, port as Port | undefined])),
  )
  report({ says: 'begins' })
  return received
}

function report(what: Report): void {
  if (process.connected) process.send?.(what)
}

async function welcome(
  config: Config,
  { databases, log, url }: { databases: Databases; log: Log; url: string },
): Promise<void> {
  const progress: Progress = (step, done) => report({ says: 'does', step, done })
  const shop = await firstRun(config, { databases, log, progress })
  if (shop) tell(shop, { config, log, url })
}
