// Runs scheduled actions: their user, the record of a run, and failures. The server decides when one
// runs (services/scheduled-actions.ts).
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { sql } from '../../../sql/index.ts'
import { runAction } from './ir-actions-server-run.ts'
import { intervalUnits, isHopeless, nextMoment, type Rhythm, retryMoment } from './ir-cron-rhythm.ts'

interface Job {
  readonly id: number
  readonly user: number
  readonly action: number
  readonly lastcall: string | null
  readonly nextcall: string
  readonly count: number
  readonly unit: Rhythm
  readonly failures: number
  readonly failing: string | null
}

/** The job in this transaction; null if it is deleted or archived, or, with `due`, not due. */
async function jobOf(env: Environment, id: number, due: boolean): Promise<Job | null> {
  const now = sql`now() AT TIME ZONE 'UTC'`
  const wanted = due
    ? sql`active AND (nextcall <= ${now} OR EXISTS (SELECT FROM ir_cron_trigger t WHERE t.cron_id = ir_cron.id AND t.call_at <= ${now}))`
    : sql`TRUE`
  const [row] = await env.rows(
    sql`SELECT user_id, ir_actions_server_id, to_char(lastcall, 'YYYY-MM-DD HH24:MI:SS'),
    to_char(nextcall, 'YYYY-MM-DD HH24:MI:SS'), COALESCE(interval_number, 1), interval_type, COALESCE(failure_count, 0), to_char(first_failure_date, 'YYYY-MM-DD HH24:MI:SS')
    FROM ir_cron WHERE id = ${id}::int AND ${wanted}`,
    {
      reads: ['ir.cron', 'ir.cron.trigger'],
      row: ['int', 'int', 'text?', 'text', 'int', intervalUnits, 'int', 'text?'],
    },
  )
  if (!row) return null
  const [user, action, lastcall, nextcall, count, unit, failures, failing] = row
  return { id, user, action, lastcall, nextcall, count, unit, failures, failing }
}

/** Runs the job's action with the rights of its user; the context has the time of the last run. */
async function act(env: Environment, job: Job): Promise<void> {
  const acting = (await env.asUser(job.user)).withContext({
    lastcall: job.lastcall ?? false,
    cron_id: job.id,
  })
  await runAction(acting, job.action)
}

/**
 * Runs a job that is due and sets its next time in the same transaction. If another process ran it
 * meanwhile, this one loses the conflict, is repeated and finds nothing to do. Returns whether it ran.
 */
export async function runDue(env: Environment, id: number): Promise<boolean> {
  const job = (await claim(env, id)) ? await jobOf(env, id, true) : null
  if (!job) return false
  const now = nowUtc(env.now())
  await env.execute(
    sql`DELETE FROM ir_cron_trigger WHERE cron_id = ${id}::int AND call_at <= now() AT TIME ZONE 'UTC'`,
    { reads: ['ir.cron.trigger'] },
  )
  await note(env, id, {
    ...(await moved(env, job, now)),
    lastcall: now,
    failure_count: 0,
    first_failure_date: false,
  })
  await act(env, job)
  return true
}

/** Runs a job now, without a change of its schedule. Throws UserError while it runs elsewhere. */
export async function runNow(env: Environment, id: number): Promise<void> {
  const job = await jobOf(env, id, false)
  if (!job) return
  if (!(await claim(env, id)))
    throw new UserError('This scheduled action is already running. Please try again later.')
  await note(env, id, { lastcall: nowUtc(env.now()), failure_count: 0, first_failure_date: false })
  await act(env, job)
}

/** First half of the keys of the advisory locks for running jobs. */
const JOBS = 0x6a6f6273

/**
 * True if no other transaction, on any machine, runs the job. The lock is held until the transaction
 * ends, and is released with the connection when the process dies.
 */
async function claim(env: Environment, id: number): Promise<boolean> {
  const [lock] = await env.rows(sql`SELECT pg_try_advisory_xact_lock(${JOBS}::int, ${id}::int)`, {
    reads: [],
    row: ['bool'],
  })
  return lock?.[0] === true
}

/**
 * After a failed run, in a separate transaction: counts the failure, sets the next time, plans the
 * retry, and switches a job off that keeps failing.
 */
export async function noteFailure(
  env: Environment,
  id: number,
): Promise<{ readonly failures: number; readonly active: boolean } | null> {
  const job = await jobOf(env, id, false)
  if (!job) return null
  const now = nowUtc(env.now())
  const failures = job.failures + 1
  const since = job.failing ?? now
  const active = !isHopeless(failures, since, now)
  await env.execute(
    sql`DELETE FROM ir_cron_trigger WHERE cron_id = ${id}::int AND call_at <= now() AT TIME ZONE 'UTC'`,
    { reads: ['ir.cron.trigger'] },
  )
  const next = await moved(env, job, now)
  await note(env, id, { ...next, failure_count: failures, first_failure_date: since, active })
  const again = retryMoment(failures, now)
  if (active && again < (next.nextcall ?? job.nextcall))
    await env.model('ir.cron.trigger').create([{ cron_id: id, call_at: again }])
  return { failures, active }
}

/** The next regular time, if the current one has passed. */
async function moved(env: Environment, job: Job, now: string): Promise<{ readonly nextcall?: string }> {
  if (job.nextcall > now) return {}
  const [zone] = await env.rows(
    sql`SELECT p.tz FROM res_users u JOIN res_partner p ON p.id = u.partner_id WHERE u.id = ${job.user}::int`,
    { reads: ['res.users', 'res.partner'], row: ['text?'] },
  )
  return {
    nextcall: nextMoment(job.nextcall, job.count, job.unit, now, zone?.[0] ?? null),
  }
}

async function note(env: Environment, id: number, vals: object): Promise<void> {
  await env
    .sudo()
    .model('ir.cron')
    .browse([id])
    .write(vals as never)
}
