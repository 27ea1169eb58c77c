// Serving: one process or several, from the lock of the data directory to the last call.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/index.ts'
import type { Databases } from '../databases/index.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../http/log.ts'
import { createServer, openDatabases, urlOf } from '../main.ts'
import { lockServe, makeDataDir } from '../postgres/embedded/index.ts'
import { Scheduler } from '../services/scheduler.ts'
import { untilStopped } from './stopping.ts'
import { firstRun, type Welcome, welcomeText } from './welcome.ts'
import { startWorkers } from './workers.ts'

/** Serves until a signal stops it: by itself, or with several workers behind one port. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.log)
  makeDataDir(config.dataDir)
  const lock = await lockPatiently(config.dataDir)
  let databases: Databases | undefined
  let stopJobs = async () => {}
  try {
    databases = await openDatabases(config, log)
    // One process of this machine looks after the scheduled jobs; those of other machines share the work by themselves.
    const scheduler = new Scheduler(databases, { log })
    stopJobs = () => scheduler.stop()
    // The first run comes when the port is ours: its password and key are shown only once.
    if (config.workers > 1) {
      const workers = await startWorkers(config, log)
      const welcome = await firstRun(config, databases, log)
      announce(urlOf(config.host, workers.port), welcome)
      await untilStopped(log)
      await workers.stop()
    } else {
      const server = await createServer({ ...config, databases, logger: log })
      const welcome = await firstRun(config, databases, log)
      announce(server.url, welcome)
      await untilStopped(log)
      await server.close()
    }
  } finally {
    await stopJobs()
    await databases?.close()
    lock.release()
  }
}

/** One of several workers: the same server, without first run and announcement; the primary process stops it. */
export async function work(config: Config): Promise<void> {
  const log = createLog(config.log)
  const server = await createServer({ ...config, logger: log })
  await untilStopped(log)
  await server.close()
  process.disconnect()
}

function announce(url: string, welcome: Welcome | undefined): void {
  if (welcome) console.log(welcomeText(welcome, url))
  console.log(`listening on ${url}`)
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
