// The policy of repeating a transaction that lost against a concurrent one.
import { setTimeout as sleep } from 'node:timers/promises'
import { ConcurrencyError, ServiceUnavailable } from '../errors.ts'
import { spanNow, watch } from '../kit/watch/index.ts'
import { Crowded, isRetryable, sqlState } from './errors.ts'

export { isRetryable }

export interface RetryPolicy {
  /** Most calls of `run`. Default 5. */
  readonly attempts?: number
  /** Waits before the attempt of that number (2, 3, …); tests hand in one that does not wait. */
  readonly pause?: (attempt: number) => Promise<void>
}

/**
 * Calls `run` with the number of the attempt, from 1, until it neither throws a serialization failure, a
 * deadlock nor a lock that is not available. `run` begins and ends its own transaction and takes fresh copies
 * of its arguments each time. Throws
 * ConcurrencyError after the last attempt, any other error at once.
 */
export async function withRetries<T>(
  run: (attempt: number) => Promise<T>,
  policy: RetryPolicy = {},
): Promise<T> {
  const { attempts = 5, pause = growingPause } = policy
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt)
    } catch (error) {
      const lost = error instanceof ServiceUnavailable && error.repeats
      if (!isRetryable(error) && !lost) throw error
      watch.sink?.count('comptoir_call_retries_total', { reason: reasonOf(error) })
      spanNow()?.set({ 'comptoir.attempt': attempt + 1 })
      if (attempt >= attempts) {
        if (lost) throw error
        throw new ConcurrencyError(
          `Other requests changed the same records at the same time (${attempts} attempts). Please try again.`,
          {
            cause: error,
          },
        )
      }
      // A call that queues for its turn does not need a pause before.
      if (!(error instanceof Crowded)) await pause(attempt + 1)
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  '40001': 'serialization',
  '40P01': 'deadlock',
  '55P03': 'lock',
  '23505': 'key',
}
const reasonOf = (error: unknown) =>
  reasons[sqlState(error instanceof Crowded ? error.cause : error) ?? ''] ?? 'other'

/**
 * 10, 20, 40, 80 ms and up to as much again by chance, so that calls that conflicted do not conflict again.
 */
function growingPause(attempt: number): Promise<void> {
  const base = 5 * 2 ** (attempt - 1)
  return sleep(base + Math.random() * base)
}
