// The primary process of `serve`: small, and there from the first moment to the last. It holds the lock of
// the data directory and the port, starts the processes that answer, replaces those that die, and stops them
// in order. The engine is not loaded here.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/index.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../http/log.ts'
import { lockServe, makeDataDir } from '../postgres/directory/index.ts'
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
    const url = await Promise.race([workers.start(), stopped])
    if (url) console.log(`listening on ${url}`)
    await stopped
  } finally {
    await workers.stop()
    lock.release()
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
