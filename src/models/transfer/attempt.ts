// Work that may be undone while the call goes on: a savepoint around it and around what the unit remembers of it.
import { sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { Environment } from '../environment.ts'

/**
 * Runs `work` and what it makes stale; a failure, or a result that `keep` does not want, leaves no trace. Attempts nest:
 * an undone one is released too, so that the outer one's savepoint is the innermost of its name again.
 */
export async function attempt<T>(env: Environment, work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
  await flush(env)
  await env.query(sql`SAVEPOINT attempt`)
  let result: T
  try {
    result = await work()
    await flush(env)
  } catch (error) {
    await undo(env)
    throw error
  }
  if (keep(result)) await env.query(sql`RELEASE SAVEPOINT attempt`)
  else await undo(env)
  return result
}

async function undo(env: Environment): Promise<void> {
  env.unit.cache.clear()
  env.unit.pending.clear()
  env.unit.rejudge()
  await env.query(sql`ROLLBACK TO SAVEPOINT attempt`)
  await env.query(sql`RELEASE SAVEPOINT attempt`)
}
