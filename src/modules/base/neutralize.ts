// Neutralizes a copy: it sends nothing, runs no scheduled actions, and has its own identity for
// integrations.
import type { Environment } from '#models'
import { sql } from '../../sql/index.ts'

/** The cleanup job stays active: it sends nothing. */
const HOUSEKEEPING = sql`SELECT res_id FROM ir_model_data WHERE module = 'base' AND name = 'autovacuum_job'`

/**
 * Stops scheduled actions and mail servers, blanks mail credentials, ends browser sessions. Keys stay
 * valid: clients that test with the copy call it as they call the original.
 */
export async function neutralize(env: Environment): Promise<void> {
  await env.execute(sql`UPDATE ir_cron SET active = false WHERE id NOT IN (${HOUSEKEEPING})`, {
    reads: ['ir.cron', 'ir.model.data'],
  })
  await env.execute(sql`UPDATE ir_mail_server SET active = false, smtp_user = NULL, smtp_pass = NULL`, {
    reads: ['ir.mail_server'],
  })
  await env.execute(sql`DELETE FROM browser_session`)
  const [jobs] = await env.rows(sql`SELECT to_regclass('comptoir_job') IS NOT NULL`, {
    reads: [],
    row: ['bool'],
  })
  if (jobs?.[0] === true)
    await env.execute(
      sql`UPDATE comptoir_job SET state = 'cancelled', finished = now() WHERE state IN ('receiving', 'queued', 'running')`,
    )
  const [hooks] = await env.rows(sql`SELECT to_regclass('comptoir_webhook_secret') IS NOT NULL`, {
    reads: [],
    row: ['bool'],
  })
  if (hooks?.[0] === true) {
    await env.execute(
      sql`UPDATE comptoir_webhook SET state = 'disabled', reason = 'This database is a copy that reaches nobody.'`,
      { reads: ['comptoir.webhook'] },
    )
    await env.execute(sql`DELETE FROM comptoir_webhook_secret`)
  }
  await env.execute(sql`UPDATE rights_version SET version = version + 1`)
  env.unit.cache.clear()
}
