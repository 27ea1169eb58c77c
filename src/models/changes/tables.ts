// Tables of what is offered beyond the documented API and belongs to no model: statements that make them, run
// by the base module's `init`; each may run again.

/**
 * What a call with an idempotency key answered, by its user and the key's SHA-256; `kept` is false for
 * answers that are secret or too long.
 */
const idempotency = `CREATE TABLE IF NOT EXISTS comptoir_idempotency (
  uid integer NOT NULL,
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  created timestamptz NOT NULL,
  model text NOT NULL,
  method text NOT NULL,
  answer text,
  kept boolean NOT NULL,
  PRIMARY KEY (uid, key_hash)
)`
const idempotencyAge =
  'CREATE INDEX IF NOT EXISTS comptoir_idempotency_created ON comptoir_idempotency (created)'

/** Processes that limit calls, each with when it said so last: they share what there is. */
const node = 'CREATE TABLE IF NOT EXISTS comptoir_node (id uuid PRIMARY KEY, seen timestamptz NOT NULL)'

export const extensionTables: readonly string[] = [idempotency, idempotencyAge, node]

/** Tables whose rows mean nothing in another database: backups and copies are without them. */
export const passingTables: readonly string[] = ['comptoir_idempotency', 'comptoir_node']
