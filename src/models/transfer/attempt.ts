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

// Processes items in one batch and bisects a batch that fails, until the invalid items are alone.

interface Halving<Item, Result, Refusal> {
  /** Processes all of them or none. */
  apply(items: readonly Item[]): Promise<readonly Result[]>
  /** Converts an error. Throws it if the items did not cause it. */
  refusal(error: unknown): Refusal
  failed(item: Item, refusal: Refusal): Result
  /** Whether to abort the rest. */
  readonly isHopeless?: boolean
}

/** A result for each item, in their order; fewer if the work gave up. */
export async function inHalves<Item, Result, Refusal>(
  items: readonly Item[],
  work: Halving<Item, Result, Refusal>,
): Promise<Result[]> {
  const [first] = items
  if (first === undefined) return []
  try {
    return [...(await work.apply(items))]
  } catch (error) {
    const refusal = work.refusal(error)
    if (items.length === 1) return [work.failed(first, refusal)]
    const half = Math.ceil(items.length / 2)
    const results = await inHalves(items.slice(0, half), work)
    return work.isHopeless ? results : [...results, ...(await inHalves(items.slice(half), work))]
  }
}
