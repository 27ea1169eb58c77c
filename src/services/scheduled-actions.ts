// Scheduled jobs of one database: those that are due are run one after the other, each in a transaction of
// its own.

import type { Database } from '../databases/index.ts'
import { ServiceUnavailable } from '../errors.ts'
import { flush } from '../models/compute/recompute.ts'
import type { Rights } from '../models/language/rights.ts'
import { environmentOf, recordsOf } from '../models/unit/environment.ts'
import { SYSTEM } from '../models/unit/options.ts'
import { UnitOfWork } from '../models/unit/unit.ts'
import { isConnectionLost, isDemoted, withRetries } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'

/** Outcome of a run of a job. */
export interface Run {
  readonly id: number
  readonly outcome: 'done' | 'failed'
  readonly seconds: number
  /** The error of a failed run. */
  readonly error?: unknown
}

const now = sql`now() AT TIME ZONE 'UTC'`
const extra = sql`(SELECT min(t.call_at) FROM ir_cron_trigger t WHERE t.cron_id = c.id)`

/** Due jobs, the most urgent first; those that keep failing come last. */
const dueQuery =
  sql`SELECT c.id, (SELECT m.model FROM ir_act_server a JOIN ir_model m ON m.id = a.model_id WHERE a.id = c.ir_actions_server_id)
  FROM ir_cron c WHERE c.active AND LEAST(c.nextcall, ${extra}) <= ${now}
  ORDER BY COALESCE(c.failure_count, 0), c.priority, c.id`.compile()
const nextQuery =
  sql`SELECT EXTRACT(EPOCH FROM min(LEAST(c.nextcall, ${extra})) - ${now})::float8 FROM ir_cron c WHERE c.active`.compile()

/**
 * Runs what is due, once each. Whatever process looks at the same time, on whatever machine, a job runs in
 * one of them only. A job that fails leaves nothing but the note that it failed, and is tried again. Stops
 * early once `signal` is aborted.
 */
export async function runDueJobs(database: Database, signal?: AbortSignal): Promise<Run[]> {
  const due = await database.pool.use((connection) => connection.query(dueQuery.text, dueQuery.values))
  const runs: Run[] = []
  for (const [id, model] of due as [number, string | null][]) {
    if (signal?.aborted) break
    // Brought by the build that is to come, whose nodes know what to do.
    if (database.isOutgoing && model !== null && !database.registry.get(model)) continue
    const run = await runJob(database, id)
    if (run) runs.push(run)
  }
  return runs
}

/** Seconds until a job of the database is due, below zero for one that was; null when it has none. */
export async function secondsToNext(database: Database): Promise<number | null> {
  const [row] = await database.pool.use((connection) => connection.query(nextQuery.text, nextQuery.values))
  return (row?.[0] as number | null | undefined) ?? null
}

async function runJob(database: Database, id: number): Promise<Run | null> {
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1000
  try {
    const ran = await asSystem(database, id, 'run_due')
    return ran ? { id, outcome: 'done', seconds: seconds() } : null
  } catch (error) {
    // The database is being copied, or unavailable for a moment: the job did not fail, and stays due.
    if (isConnectionLost(error) || isDemoted(error) || error instanceof ServiceUnavailable) throw error
    const unnoted = await noteFailure(database, id)
    const all =
      unnoted === null
        ? error
        : new AggregateError([error, unnoted], 'The job failed, and that could not be noted.')
    return { id, outcome: 'failed', seconds: seconds(), error: all }
  }
}

/** Records a job's failure. Returns the error if that fails too, so that the remaining jobs still run. */
async function noteFailure(database: Database, id: number): Promise<unknown> {
  try {
    await asSystem(database, id, 'note_failure')
    return null
  } catch (error) {
    if (isConnectionLost(error) || isDemoted(error)) throw error
    return error
  }
}

/**
 * Calls a method of a job as the system user, repeated while it loses against others. The job itself acts as
 * its own user.
 */
async function asSystem(database: Database, id: number, method: string): Promise<unknown> {
  return withRetries(async () => {
    const rights = await currentRights(database)
    const { pool, registry, files, tell, changed } = database
    const unit = new UnitOfWork(pool, registry, rights, {
      readonly: false,
      patient: true,
      files,
      tell,
      changed,
    })
    try {
      const env = environmentOf(unit, SYSTEM, {}, true)
      const result = await recordsOf(env, env.def('ir.cron'), [id]).invoke(method, {})
      await flush(env)
      await unit.commit()
      return result
    } catch (error) {
      throw await unit.abandon(error)
    }
  })
}

/** Current rights, after a check of the installed modules: models may have changed since the last call. */
export async function currentRights(database: Database): Promise<Rights> {
  const rights = await database.callers.rights()
  if (!database.isBehind(rights.version)) return rights
  await database.refresh()
  return database.callers.rights()
}
