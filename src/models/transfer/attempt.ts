// Work that may be undone while the call goes on, with all that it makes stale.
import { ServiceError } from '../../errors.ts'
import { isRetryable, translate } from '../../postgres/index.ts'
import { flush } from '../compute/recompute.ts'
import type { Environment } from '../language/environment.ts'

/**
 * Runs `work` and what it makes stale in a savepoint; a failure, or a result that `keep` does not want,
 * leaves no trace. Attempts nest.
 */
export async function attempt<T>(
  env: Environment,
  work: () => Promise<T>,
  keep?: (result: T) => boolean,
): Promise<T> {
  await flush(env)
  return env.unit.savepoint(async () => {
    const result = await work()
    await flush(env)
    return result
  }, keep)
}

/**
 * As `attempt`, for work that other data may stand against. Gives whether it was done; what is no refusal
 * (422) is thrown on.
 */
export async function attempted(env: Environment, work: () => Promise<unknown>): Promise<boolean> {
  return !('refusal' in (await tried(env, work)))
}

/** As `attempted`, with the result of the work, or the refusal in the words of the caller. */
export async function tried<T>(
  env: Environment,
  work: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly refusal: ServiceError }> {
  try {
    return { result: await attempt(env, work) }
  } catch (failure) {
    const error = isRetryable(failure) ? failure : translate(failure)
    if (error instanceof ServiceError && error.status === 422) return { refusal: error }
    throw failure
  }
}
