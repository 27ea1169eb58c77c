// When to stop: signals, and the end of the process that started us.
import cluster from 'node:cluster'
import type { Log } from '../http/log.ts'

/** Calls in flight have this many milliseconds to finish. */
const PATIENCE = 60_000

/** A second signal within this time is the first one, come by another way: from the terminal and from the launcher. */
const SAME_SIGNAL = 1000

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP, or when the launcher is gone. The caller then stops in order;
 * a later signal, or a minute, ends the process there and then.
 */
export function untilStopped(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let since: number | undefined
    const stop = (reason: string) => {
      if (since === undefined) {
        since = performance.now()
        setTimeout(() => leave(`calls did not finish within ${PATIENCE / 1000} seconds`), PATIENCE).unref()
        resolve()
      } else if (performance.now() - since > SAME_SIGNAL) leave(`${reason} again`)
    }
    const leave = (reason: string) => {
      log.warn(`Stopping at once: ${reason}`)
      process.exit(1)
    }
    // A terminal's Ctrl-C reaches workers too; they wait for their primary.
    process.on('SIGINT', () => cluster.isWorker || stop('SIGINT'))
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
    if (process.connected && !cluster.isWorker) {
      process.on('disconnect', () => stop('end of the launcher'))
      process.channel?.unref()
    }
  })
}
