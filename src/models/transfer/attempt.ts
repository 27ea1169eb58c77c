// Work that may be undone while the call goes on, with all that it makes stale.
import { flush } from '../compute/recompute.ts'
import type { Environment } from '../environment.ts'

/** Runs `work` and what it makes stale in a savepoint; a failure, or a result that `keep` does not want, leaves no trace. Attempts nest. */
export async function attempt<T>(env: Environment, work: () => Promise<T>, keep?: (result: T) => boolean): Promise<T> {
  await flush(env)
  return env.unit.savepoint(async () => {
    const result = await work()
    await flush(env)
    return result
  }, keep)
}
