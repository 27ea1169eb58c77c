// What base neutralises: nothing is sent, nothing runs by itself, and integrations that know the original cannot mistake the copy for it.
import type { Environment } from '#models'
import { sql } from '../../sql/index.ts'

/** The keys of administrators stay: whoever made the copy gets in, as recorded conversations show. */
const ADMINISTRATORS = sql`SELECT r.uid FROM res_groups_users_closure_rel r
  JOIN ir_model_data d ON d.res_id = r.gid AND d.model = 'res.groups' WHERE d.module = 'base' AND d.name = 'group_system'`

/** Tidying up reaches nobody outside. */
const HOUSEKEEPING = sql`SELECT res_id FROM ir_model_data WHERE module = 'base' AND name = 'autovacuum_job'`

/** Scheduled actions and mail servers stop, mail credentials are blanked, keys of all but administrators are revoked. */
export async function neutralize(env: Environment): Promise<void> {
  await env.query(sql`UPDATE ir_cron SET active = false WHERE id NOT IN (${HOUSEKEEPING})`)
  await env.query(sql`UPDATE ir_mail_server SET active = false, smtp_user = NULL, smtp_pass = NULL`)
  await env.query(sql`DELETE FROM res_users_apikeys WHERE user_id NOT IN (${ADMINISTRATORS})`)
  await env.query(sql`DELETE FROM browser_session`)
  await env.query(sql`UPDATE rights_version SET version = version + 1`)
  env.unit.cache.clear()
}
