// Work in a savepoint, together with the recomputations that it causes.
import { ServiceError } from '../../errors.ts'
import { isRetryable, translate } from '../../postgres/index.ts'
import { flush } from '../compute/recompute.ts'
import type { Environment } from '../language/environment.ts'

/**
 * Runs `work` and the recomputations that it causes in a savepoint, which is rolled back if `work` fails
 * or `keep` returns false for its result. Attempts nest.
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
 * As `attempt`, for work that other data may prevent. Returns whether it was done. Errors other than
 * refusals (422) are thrown.
 */
export async function attempted(env: Environment, work: () => Promise<unknown>): Promise<boolean> {
  return !('refusal' in (await tried(env, work)))
}

/** As `attempted`, but returns the result of the work, or the refusal as a caller would get it. */
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
