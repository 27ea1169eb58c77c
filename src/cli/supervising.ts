// The primary process of `serve`: small, and there from the first moment to the last. It holds the lock of
// the data directory and the port, starts the processes that answer, replaces those that die, and stops them
// in order. The engine is not loaded here.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/index.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../http/log.ts'
import { lockServe, makeDataDir } from '../postgres/directory/index.ts'
import { shopOf } from './first-run.ts'
import { withLines, withProgress } from './progress.ts'
import { untilStopped } from './stopping.ts'
import { Workers } from './workers.ts'

/** Serves until a signal stops it. Throws StartupError. */
export async function supervise(config: Config): Promise<void> {
  const log = createLog(config.log)
  // Whoever stops it while it starts is heard too: what was begun ends in order.
  const stopped = untilStopped(log, config.drainSeconds)
  makeDataDir(config.dataDir)
  const lock = await lockPatiently(config.dataDir)
  const workers = new Workers(config, log)
  try {
    const url = await Promise.race([starting(config, workers), stopped])
    if (url) console.log(`listening on ${url}`)
    await stopped
  } finally {
    await workers.stop()
    lock.release()
  }
}

/** Starts the workers; a first run takes a while, and says so where people read it. */
async function starting(config: Config, workers: Workers): Promise<string | null> {
  await workers.holdPort()
  if (config.log === 'json' || shopOf(config) === 'none') return workers.start(() => undefined)
  const during = process.stderr.isTTY ? withProgress : withLines
  return during(`Preparing ${config.dataDir}`, (progress) => workers.start(progress))
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
