// Tables of extensions without a model: idempotent statements that create them, run by the base module's
// `init`.

/**
 * Answers of calls with an idempotency key, by user and the key's SHA-256; `kept` is false for answers
 * that are secret or too long.
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
/** Expired answers are found by a daily scan of the table: an index would slow down every write. */
const idempotencyAge = ['created', 'age'].map((index) => `DROP INDEX IF EXISTS comptoir_idempotency_${index}`)

/** Server processes with the time of their last heartbeat: they share the rate limits. */
const node = 'CREATE TABLE IF NOT EXISTS comptoir_node (id uuid PRIMARY KEY, seen timestamptz NOT NULL)'

/**
 * Upgrades of records and their progress: the id after which they continue. `pass`: 2 is repeated once
 * no older build runs any longer. `fields`: columns to fill.
 */
export const upgradeTable = `CREATE TABLE IF NOT EXISTS comptoir_upgrade (
  task text PRIMARY KEY,
  build text NOT NULL,
  fields text[] NOT NULL DEFAULT '{}',
  pass integer NOT NULL DEFAULT 1,
  after integer NOT NULL DEFAULT 0,
  records bigint NOT NULL DEFAULT 0,
  finished timestamptz
)`

/**
 * The change feed: a row for each model and kind of change that a unit committed, under one position.
 * `tx` is the transaction, by which the rows' previous state is found. `kept` is false while a server
 * runs without recording changes, which leaves a gap: the feed then gets a new id when it continues.
 */
const feed = [
  `CREATE TABLE IF NOT EXISTS comptoir_change (
  seq bigint NOT NULL,
  n integer NOT NULL,
  tx bigint NOT NULL,
  at timestamptz NOT NULL,
  uid integer,
  model text NOT NULL,
  op text NOT NULL,
  ids integer[] NOT NULL,
  fields text[] NOT NULL,
  event text,
  PRIMARY KEY (seq, n)
)`,
  // Reads by transaction touch the last pages only. The index costs writers next to nothing.
  'CREATE INDEX IF NOT EXISTS comptoir_change_tx ON comptoir_change USING brin (tx)',
  `CREATE TABLE IF NOT EXISTS comptoir_change_before (
  tx bigint NOT NULL,
  model text NOT NULL,
  res_id integer NOT NULL,
  image jsonb NOT NULL
)`,
  'CREATE INDEX IF NOT EXISTS comptoir_change_before_tx ON comptoir_change_before (tx)',
  `CREATE TABLE IF NOT EXISTS comptoir_feed (
  single boolean PRIMARY KEY DEFAULT TRUE CHECK (single),
  id uuid NOT NULL,
  floor bigint NOT NULL,
  kept boolean NOT NULL DEFAULT TRUE
)`,
  'CREATE SEQUENCE IF NOT EXISTS comptoir_feed_seq CACHE 1',
  // A sequence that was never used reports its first number as the last one.
  `SELECT nextval('comptoir_feed_seq') WHERE NOT EXISTS (SELECT FROM comptoir_feed)`,
  `INSERT INTO comptoir_feed (id, floor) SELECT gen_random_uuid(), last_value FROM comptoir_feed_seq WHERE NOT EXISTS (SELECT FROM comptoir_feed)`,
]

/**
 * Deferred calls. Progress and the worker's lease have rows of their own: only a claim, the end or a
 * cancellation updates the job's row, so that its end conflicts with no other update.
 */
const jobs = [
  `CREATE TABLE IF NOT EXISTS comptoir_job (
  id uuid PRIMARY KEY,
  uid integer NOT NULL,
  key_hash bytea NOT NULL,
  named bytea,
  fingerprint bytea,
  call text NOT NULL,
  state text NOT NULL DEFAULT 'queued',
  lease_no integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  claimed timestamptz,
  position bigint NOT NULL DEFAULT 0,
  counts text,
  status integer,
  error text,
  code text,
  type text NOT NULL DEFAULT 'application/json; charset=utf-8',
  size bigint NOT NULL DEFAULT 0,
  expired boolean NOT NULL DEFAULT FALSE,
  created timestamptz NOT NULL DEFAULT now(),
  finished timestamptz,
  UNIQUE (uid, named)
)`,
  'ALTER TABLE comptoir_job ADD COLUMN IF NOT EXISTS counts text',
  'ALTER TABLE comptoir_job ADD COLUMN IF NOT EXISTS code text',
  // Headers of the answer, and details of a failure if problem details were requested.
  'ALTER TABLE comptoir_job ADD COLUMN IF NOT EXISTS headers text',
  'ALTER TABLE comptoir_job ADD COLUMN IF NOT EXISTS about text',
  'ALTER TABLE comptoir_job ADD COLUMN IF NOT EXISTS claimed_by uuid',
  `CREATE INDEX IF NOT EXISTS comptoir_job_open ON comptoir_job (created) WHERE state IN ('queued', 'running')`,
  `CREATE TABLE IF NOT EXISTS comptoir_job_lease (
  job uuid PRIMARY KEY REFERENCES comptoir_job ON DELETE CASCADE,
  until timestamptz NOT NULL,
  done bigint NOT NULL DEFAULT 0,
  total bigint
)`,
  `CREATE TABLE IF NOT EXISTS comptoir_job_input (
  job uuid NOT NULL REFERENCES comptoir_job ON DELETE CASCADE,
  n bigint NOT NULL,
  count integer NOT NULL,
  rows text NOT NULL,
  PRIMARY KEY (job, n)
)`,
  // Keys of rows, of which there may be millions: no foreign key, which each row would have to look up.
  `CREATE TABLE IF NOT EXISTS comptoir_job_key (
  job uuid NOT NULL,
  key uuid NOT NULL,
  line bigint NOT NULL,
  PRIMARY KEY (job, key)
)`,
  `CREATE TABLE IF NOT EXISTS comptoir_job_output (
  job uuid NOT NULL REFERENCES comptoir_job ON DELETE CASCADE,
  at bigint NOT NULL,
  size integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (job, at)
)`,
]

/** Statements that create the tables of the extensions. Idempotent. */
export const extensionTables: readonly string[] = [
  idempotency,
  ...idempotencyAge,
  node,
  upgradeTable,
  ...feed,
  ...jobs,
]

/** Gives the feed another identity: positions that clients have read become invalid. */
export const renewFeed =
  'UPDATE comptoir_feed SET id = gen_random_uuid(), floor = (SELECT last_value FROM comptoir_feed_seq), kept = TRUE'

/** Tables whose rows have no meaning in another database: backups and copies omit them. */
export const passingTables: readonly string[] = [
  'comptoir_pending_login',
  'comptoir_idempotency',
  'comptoir_node',
  'comptoir_job_output',
  'comptoir_job_input',
  'comptoir_job_key',
  'comptoir_job_lease',
  'comptoir_job',
  'comptoir_change',
  'comptoir_change_before',
  'comptoir_webhook_delivery',
  'comptoir_webhook_secret',
  'comptoir_webhook_lease',
  'comptoir_webhook_position',
]
