// Jobs that could not begin or go on: they return to the queue.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../databases/index.ts'
import { type Claimed, LEASE, release } from './store.ts'

/** Milliseconds before such a job is tried again: at first short, then long. */
const [PAUSE_MS, LONG_PAUSE_MS, SHORT_PAUSES] = [1000, 30_000, 5]

interface Giving {
  /** Whether it counts as one of the times that a job is tried; an outage, or a full disk, does not. */
  readonly isAttempt: boolean
  /** Whether the process stops: the job goes back at once. */
  readonly isClosed: () => boolean
}

/**
 * Returns a job to the queue after a pause, once PostgreSQL takes changes again. Throws after the time of a
 * lease, when another process may have claimed the job.
 */
export async function giveBack(
  database: Database,
  job: Claimed,
  { isAttempt, isClosed }: Giving,
): Promise<void> {
  const began = performance.now()
  const pause = job.lease <= SHORT_PAUSES ? PAUSE_MS : LONG_PAUSE_MS
  for (;;) {
    if (!isClosed()) await sleep(PAUSE_MS)
    if (performance.now() < began + pause && !isClosed()) continue
    try {
      return await release(database, job, isAttempt)
    } catch (error) {
      if (isClosed() || performance.now() > began + LEASE * 1000) throw error
    }
  }
}
