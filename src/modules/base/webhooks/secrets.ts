// Secrets of endpoints: 32 random bytes in the form of Standard Webhooks, in a table of no model, shown once.
import { randomBytes } from 'node:crypto'
import type { Environment } from '#models'
import { forWebhook, sealed } from '../../../kit/seal.ts'
import { sql } from '../../../sql/index.ts'

/** A new secret of an endpoint; those before sign along for some hours. */
export async function newSecret(env: Environment, webhook: number, hours: number): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  env.unit.send(sql`UPDATE comptoir_webhook_secret SET until = LEAST(until, now() + ${hours}::int * interval '1 hour')
    WHERE webhook_id = ${webhook}::int`)
  env.unit.send(sql`DELETE FROM comptoir_webhook_secret WHERE until <= now()`)
  env.unit.send(
    sql`INSERT INTO comptoir_webhook_secret (webhook_id, secret) VALUES (${webhook}::int, ${sealed(secret, forWebhook(webhook))})`,
  )
  return secret
}

/**
 * Tables without a model: secrets, which node sends to which endpoint, how far changes were processed.
 */
export const webhookTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS comptoir_webhook_secret (
  webhook_id integer NOT NULL REFERENCES comptoir_webhook ON DELETE CASCADE,
  secret text NOT NULL,
  created timestamptz NOT NULL DEFAULT now(),
  until timestamptz NOT NULL DEFAULT 'infinity'
)`,
  'CREATE INDEX IF NOT EXISTS comptoir_webhook_secret_of ON comptoir_webhook_secret (webhook_id)',
  `CREATE TABLE IF NOT EXISTS comptoir_webhook_lease (
  webhook_id integer PRIMARY KEY REFERENCES comptoir_webhook ON DELETE CASCADE,
  holder uuid,
  until timestamptz NOT NULL DEFAULT '-infinity',
  begins bigint NOT NULL,
  failing_since timestamptz,
  is_full boolean NOT NULL DEFAULT FALSE
)`,
  'ALTER TABLE comptoir_webhook_lease ADD COLUMN IF NOT EXISTS probe_at timestamptz',
  `CREATE TABLE IF NOT EXISTS comptoir_webhook_position (
  single boolean PRIMARY KEY DEFAULT TRUE CHECK (single),
  feed uuid NOT NULL,
  seq bigint NOT NULL,
  n integer NOT NULL,
  k integer NOT NULL
)`,
]
