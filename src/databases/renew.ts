// Copies: a copy gets an identity of its own, and, neutralised, reaches nobody outside.
import type { Environment } from '../models/index.ts'
import { sql } from '../sql/index.ts'

/** New `database.uuid` and secret (spec/wire.md section 13, duplicate). */
export async function renew(env: Environment): Promise<void> {
  for (const key of ['database.uuid', 'database.secret']) await setParameter(env, key, crypto.randomUUID())
}

/** Scheduled actions and outgoing mail stop; the parameter `database.is_neutralized` says so. */
export async function neutralize(env: Environment): Promise<void> {
  const { registry } = env.unit
  if (registry.get('ir.cron')?.hasTable) await env.query(sql`UPDATE ir_cron SET active = false`)
  if (registry.get('ir.mail_server')?.hasTable) await env.query(sql`UPDATE ir_mail_server SET active = false`)
  await setParameter(env, 'database.is_neutralized', 'true')
}

/** Sets a system parameter, made when it is not there. */
export async function setParameter(env: Environment, key: string, value: string): Promise<void> {
  await env.query(sql`DELETE FROM ir_config_parameter WHERE key = ${key}`)
  await env.query(sql`INSERT INTO ir_config_parameter (key, value) VALUES (${key}, ${value})`)
}
