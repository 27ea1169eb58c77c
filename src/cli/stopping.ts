// Reasons to stop: signals, and the end of the parent process.
import cluster from 'node:cluster'
import type { Log } from '../http/log.ts'
import { watchNpm } from './watch-npm.ts'

/** Calls in flight have this many milliseconds to finish. */
const PATIENCE = 60_000

/**
 * A second signal within this time is the first one, come by another way: from the terminal and from the
 * launcher.
 */
const SAME_SIGNAL = 1000

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP, or when the parent process is gone. The caller then stops
 * in order; a later signal, or a minute beyond the draining time, ends the process at once.
 */
export function untilStopped(log: Log, drainSeconds = 0): Promise<void> {
  return new Promise((resolve) => {
    let since: number | undefined
    const stop = (reason: string) => {
      if (since === undefined) {
        since = performance.now()
        const patience = PATIENCE + drainSeconds * 1000
        setTimeout(() => leave(`calls did not finish within ${patience / 1000} seconds`), patience).unref()
        resolve()
      } else if (performance.now() - since > SAME_SIGNAL) leave(`${reason} again`)
    }
    const leave = (reason: string) => {
      log.warn(`Stopping immediately: ${reason}`)
      process.exit(1)
    }
    // A terminal's Ctrl-C reaches workers too; they wait for their primary.
    process.on('SIGINT', () => cluster.isWorker || stop('SIGINT'))
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
    // Not a second signal: a process that is already stopping may also lose the process that started it.
    const gone = (whose = cluster.isWorker ? 'the primary process' : 'the launcher') =>
      since === undefined && stop(`end of ${whose}`)
    // A process started with a channel has `send`, even if the other end was gone before a listener was
    // added.
    if (process.connected) process.on('disconnect', () => gone())
    else if (process.send) gone()
    if (cluster.isPrimary) {
      process.channel?.unref()
      watchNpm(() => gone('npm'))
    }
  })
}
