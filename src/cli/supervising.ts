// The primary process of `serve`: small, and there from the first moment to the last. It holds the lock of
// the data directory and the port, starts the processes that answer, replaces those that die, and stops them
// in order. The engine is not loaded here: while the workers load it, PostgreSQL starts.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/index.ts'
import { StartupError } from '../errors.ts'
import { createLog, type Log } from '../http/log.ts'
import { lockServe, makeDataDir } from '../postgres/directory/index.ts'
import type { Embedded } from '../postgres/embedded/index.ts'
import { shopOf } from './first-run.ts'
import { withLines, withProgress } from './progress.ts'
import { untilStopped } from './stopping.ts'
import { Workers } from './workers.ts'

/** Serves until a signal stops it. Throws StartupError. */
export async function supervise(config: Config): Promise<void> {
  const log = createLog(config.log)
  // Signals count from here: a start that is interrupted ends in order.
  const stopped = untilStopped(log, config.drainSeconds)
  makeDataDir(config.dataDir)
  const lock = await lockPatiently(config.dataDir)
  const workers = new Workers(config, log)
  let postgres: Promise<Embedded | null> | undefined
  let isOver = false
  const start = async () => {
    await workers.holdPort()
    const answering = starting(config, workers)
    // A stop that came while the port was taken found no PostgreSQL to stop.
    if (!isOver) postgres = startPostgres(config, log)
    return answering
  }
  try {
    const url = await Promise.race([start(), stopped])
    if (url) console.log(`listening on ${url}`)
    await stopped
  } finally {
    isOver = true
    await workers.stop()
    await (await postgres)?.stop()
    lock.release()
  }
}

/** Starts the workers; a first run takes a while, and shows its progress on a terminal. */
async function starting(config: Config, workers: Workers): Promise<string | null> {
  if (config.log === 'json' || shopOf(config) === 'none') return workers.start(() => undefined)
  const during = process.stderr.isTTY ? withProgress : withLines
  return during(`Preparing ${config.dataDir}`, (progress) => {
    progress(config.databaseUrl ? 'starting the server' : 'starting PostgreSQL and the server')
    return workers.start(progress)
  })
}

/**
 * Starts the embedded PostgreSQL and keeps it for the workers, which join it. Null without one, or if it
 * does not start: then the workers try, and report the error.
 */
async function startPostgres(config: Config, log: Log): Promise<Embedded | null> {
  const { dataDir, databaseUrl, backupDir: folder, backupWalSeconds: seconds } = config
  if (databaseUrl) return null
  const archive = folder ? { folder, seconds } : undefined
  try {
    const { startEmbedded } = await import('../postgres/embedded/index.ts')
    return await startEmbedded({ dataDir, archive, log: (message) => log.info(message) })
  } catch {
    return null
  }
}

/** Takes the lock of the data directory; gives a server that is just stopping two seconds to go. */
async function lockPatiently(dataDir: string): Promise<{ release(): void }> {
  const end = performance.now() + 2000
  for (;;) {
    try {
      return lockServe(dataDir)
    } catch (error) {
      if (!(error instanceof StartupError) || performance.now() > end) throw error
      await sleep(100)
    }
  }
}
