// Daily cleanup (ir.autovacuum): deletes data that is no longer needed. Modules wrap
// `run_vacuum_cleaner` to delete theirs.

import { trimAudit } from '#engine'
import { abstract, type Environment, implement, type ModelName, type Of, returns } from '#models'
import { AccessError } from '../../../errors.ts'
import { only } from '../../../kit/present.ts'
import { id, type Sql, sql } from '../../../sql/index.ts'
import { keepKeys } from '../keys/apikeys-overview.ts'
import { parameter } from '../reflection/ir-config-parameter.ts'

const vacuum = abstract('ir.autovacuum', {
  label: 'Automatic Vacuum',
  fields: {},
  methods: {
    run_vacuum_cleaner: {
      doc: 'Deletes obsolete data: records of wizards, expired keys and sessions, files of deleted records, and old audit log entries if a parameter sets their age.',
      level: 'model',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.autovacuum': Autovacuum
  }
  interface Autovacuum extends Of<typeof vacuum> {}
}

/** Records of wizards are deleted this long after the last write. */
const TRANSIENT_HOURS = 1
/** Maximum number of records per model and run (the next run deletes the rest), and of changes that are kept. */
const [AT_MOST, CHANGES_AT_MOST] = [10_000, 50_000_000]

async function dropTransients(env: Environment): Promise<void> {
  for (const def of env.unit.registry.models.values()) {
    if (def.kind !== 'transient' || !def.hasTable || !def.logAccess) continue
    const name = def.name as ModelName
    const rows = await env.rows(
      sql`SELECT id FROM ${id(def.table)}
      WHERE COALESCE(write_date, create_date) < now() AT TIME ZONE 'UTC' - ${TRANSIENT_HOURS}::int * interval '1 hour' ORDER BY id LIMIT ${AT_MOST}::int`,
      { reads: [name], row: ['int'] },
    )
    if (rows.length === 0) continue
    const records = env.model(name).browse(rows.map(([record]) => record))
    await records.unlink()
  }
}

/** Deletes expired keys and sessions, and warns the owners of keys that expire soon. */
async function dropExpired(env: Environment): Promise<void> {
  await keepKeys(env)
  await env.execute(
    sql`DELETE FROM browser_session WHERE used < now() AT TIME ZONE 'UTC' - interval '7 days' OR made < now() AT TIME ZONE 'UTC' - interval '30 days'`,
  )
  // Only the last sign-in of each user is shown: delete the others.
  await env.execute(
    sql`DELETE FROM res_users_log l WHERE EXISTS (SELECT FROM res_users_log later WHERE later.create_uid = l.create_uid AND later.id > l.id)`,
    { reads: ['res.users.log'] },
  )
  await env.execute(sql`DELETE FROM failed_login WHERE last < now() AT TIME ZONE 'UTC' - interval '1 day'`)
}

/**
 * Deletes stored answers that are too old for a retry: after `comptoir.idempotency_hours` (a week by
 * default, at least a day).
 */
async function dropAnswers(env: Environment): Promise<void> {
  const setting = (await parameter(env, 'comptoir.idempotency_hours'))?.trim() ?? ''
  const hours = /^\d{1,6}$/.test(setting) ? Math.max(24, Number(setting)) : 168
  // Their age has no index, which every call with a key would have to update: the table is scanned once.
  let place: string | null = '(0,0)'
  for (let portion = 0; place !== null && portion < 100; portion++) {
    const row: readonly [string | null] = only(
      await env.rows(
        sql`WITH old AS MATERIALIZED (SELECT ctid AS place FROM comptoir_idempotency
          WHERE ctid > ${place}::text::tid AND created < now() - ${hours}::int * interval '1 hour' LIMIT ${AT_MOST}::int),
        gone AS (DELETE FROM comptoir_idempotency WHERE ctid = ANY(ARRAY(SELECT place FROM old)))
        SELECT max(place)::text FROM old`,
        { reads: [], row: ['text?'] },
      ),
    )
    place = row[0]
  }
}

/** Deletes results of jobs after `comptoir.jobs_hours`, three days by default, and the jobs after a month. */
async function dropJobs(env: Environment): Promise<void> {
  const setting = (await parameter(env, 'comptoir.jobs_hours'))?.trim() ?? ''
  const hours = /^\d{1,6}$/.test(setting) ? Math.max(1, Number(setting)) : 72
  const old = sql`SELECT id FROM comptoir_job WHERE NOT expired AND finished < now() - ${hours}::int * interval '1 hour' ORDER BY finished LIMIT ${AT_MOST}::int`
  await env.execute(sql`WITH old AS (UPDATE comptoir_job SET expired = TRUE, error = NULL WHERE id IN (${old}) RETURNING id),
      inputs AS (DELETE FROM comptoir_job_input WHERE job IN (SELECT id FROM old)),
      keys AS (DELETE FROM comptoir_job_key WHERE job IN (SELECT id FROM old)),
      outputs AS (DELETE FROM comptoir_job_output WHERE job IN (SELECT id FROM old)) SELECT 1 FROM old`)
  // The process that received their rows ended before it had all of them.
  await env.execute(
    sql`DELETE FROM comptoir_job WHERE state = 'receiving' AND created < now() - interval '1 day'`,
  )
  await env.execute(sql`DELETE FROM comptoir_job WHERE expired AND finished < now() - interval '30 days'`)
}

/**
 * Deletes old entries of the change feed: after `comptoir.changes_days` (two weeks by default), and
 * above `comptoir.changes_rows` rows by PostgreSQL's estimate. The oldest go first, and the feed reports
 * where it begins.
 */
async function dropChanges(env: Environment): Promise<void> {
  const setting = (await parameter(env, 'comptoir.changes_days'))?.trim() ?? ''
  const days = /^\d{1,4}$/.test(setting) ? Math.max(1, Number(setting)) : 14
  const most = (await parameter(env, 'comptoir.changes_rows'))?.trim() ?? ''
  const kept = /^\d{1,10}$/.test(most) ? Math.max(1000, Number(most)) : CHANGES_AT_MOST
  const table = only(
    await env.rows(
      sql`SELECT GREATEST(0, reltuples)::float8 FROM pg_class WHERE oid = 'comptoir_change'::regclass`,
      { reads: [], row: ['float'] },
    ),
  )
  let surplus = Math.ceil(table[0] - kept)
  for (let portion = 0; portion < 100; portion++, surplus -= AT_MOST) {
    const beyond = Math.min(AT_MOST, Math.max(0, surplus))
    const row = only(
      await env.rows(
        sql`WITH old AS (SELECT seq, n, tx FROM (SELECT seq, n, tx, at, row_number() OVER (ORDER BY seq, n) AS place FROM (SELECT seq, n, tx, at FROM comptoir_change ORDER BY seq, n LIMIT ${AT_MOST}::int) first) c
          WHERE at < now() - ${days}::int * interval '1 day' OR place <= ${beyond}::int),
      gone AS (DELETE FROM comptoir_change c USING old WHERE c.seq = old.seq AND c.n = old.n RETURNING c.seq),
      before AS (DELETE FROM comptoir_change_before WHERE tx IN (SELECT tx FROM old)),
      floor AS (UPDATE comptoir_feed SET floor = GREATEST(floor, (SELECT max(seq) FROM old)) WHERE EXISTS (SELECT FROM old))
      SELECT count(*)::int FROM gone`,
        { reads: [], row: ['int'] },
      ),
    )
    if (row[0] < AT_MOST) return
  }
}

/**
 * Deletes successful deliveries after a week, other finished ones after `comptoir.deliveries_days`, a month
 * by default.
 */
async function dropDeliveries(env: Environment): Promise<void> {
  const setting = (await parameter(env, 'comptoir.deliveries_days'))?.trim() ?? ''
  const days = /^\d{1,4}$/.test(setting) ? Math.max(1, Number(setting)) : 30
  await inPortions(
    env,
    sql`DELETE FROM comptoir_webhook_delivery WHERE id IN (SELECT id FROM comptoir_webhook_delivery
    WHERE finished < now() AT TIME ZONE 'UTC' - CASE WHEN state = 'done' THEN LEAST(7, ${days}::int) ELSE ${days}::int END * interval '1 day'
    ORDER BY finished LIMIT ${AT_MOST}::int) RETURNING 1`,
    ['comptoir.webhook.delivery'],
  )
}

/** Repeats a statement that deletes a batch, until nothing is left or 100 batches are deleted. */
async function inPortions(env: Environment, deletion: Sql, reads: readonly ModelName[]): Promise<void> {
  for (let portion = 0; portion < 100; portion++) {
    const row = only(
      await env.rows(sql`WITH gone AS (${deletion}) SELECT count(*)::int FROM gone`, {
        reads,
        row: ['int'],
      }),
    )
    if (row[0] < AT_MOST) return
  }
}

/**
 * Deletes attachments of fields whose record or model no longer exists. Their contents are deleted by
 * the next file cleanup.
 */
async function dropOrphans(env: Environment): Promise<void> {
  const models = await env.rows(
    sql`SELECT DISTINCT res_model FROM ir_attachment WHERE res_field IS NOT NULL AND res_model IS NOT NULL`,
    { reads: ['ir.attachment'], row: ['text'] },
  )
  for (const [name] of models) {
    const def = env.unit.registry.get(name)
    const gone = def?.hasTable
      ? sql`NOT EXISTS (SELECT FROM ${id(def.table)} r WHERE r.id = a.res_id)`
      : sql`TRUE`
    await env.execute(
      sql`DELETE FROM ir_attachment a WHERE a.res_model = ${name} AND a.res_field IS NOT NULL AND ${gone}`,
      { reads: ['ir.attachment', ...(def?.hasTable ? [def.name as ModelName] : [])] },
    )
  }
}

/**
 * Minimum age in days at which log entries are deleted, whatever the parameter says: users cannot remove
 * their traces by setting it, and logins can be looked up for that long.
 */
const KEPT_AT_LEAST = 30
const TRIMMED_AT_MOST = 100_000

/**
 * Deletes old entries of the audit log if the parameter `comptoir.audit_retention_days` is set. The deletion
 * is logged too.
 */
async function trimLog(env: Environment): Promise<void> {
  const setting = (await parameter(env, 'comptoir.audit_retention_days'))?.trim() ?? ''
  if (!/^\d{1,6}$/.test(setting) || Number(setting) === 0) return
  const days = Math.max(Number(setting), KEPT_AT_LEAST)
  await trimAudit(env, days, TRIMMED_AT_MOST)
}

export default implement(vacuum, {
  methods: {
    /** Throws AccessError for callers who are not administrators. */
    run_vacuum_cleaner: async ({ env }) => {
      if (!env.su && !env.hasGroup('base.group_system'))
        throw new AccessError('Only administrators may run the cleanup.')
      const all = env.sudo().withContext({ active_test: false })
      await dropTransients(all)
      await dropExpired(all)
      await dropAnswers(all)
      await dropJobs(all)
      await dropChanges(all)
      await dropDeliveries(all)
      await dropOrphans(all)
      await trimLog(all)
      return null
    },
  },
})
