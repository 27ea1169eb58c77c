// Tables of logins that belong to no model: failures, browser sessions, logins that await a second factor.
import { secondFactorTable } from './second-factor.ts'

/** Earlier databases counted by address only. */
const noLoginFailure = 'DROP TABLE IF EXISTS login_failure'

/**
 * Failures in a row by what they are counted for: an address, a login, a user of RPC (access/failures.ts).
 * `pending`: attempts that are being judged and count as long as that lasts; `reserved`: when the last of
 * them began. Moments are UTC.
 */
const failedLogin = `CREATE TABLE IF NOT EXISTS failed_login (
  kind text NOT NULL,
  subject text NOT NULL,
  failures integer NOT NULL,
  last timestamp NOT NULL,
  pending integer NOT NULL DEFAULT 0,
  reserved timestamp,
  PRIMARY KEY (kind, subject)
)`

/** Earlier databases counted attempts only once they had failed. */
const pendingAttempts = `ALTER TABLE failed_login ADD COLUMN IF NOT EXISTS pending integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS reserved timestamp`

/**
 * Browser sessions, found by the SHA-256 of their token. `user_id` acts; `owner_id` signed in, the same but
 * for one that became the system user. `password` is the owner's stored password then: a session ends when it
 * changes. `confirmed`: when the password was asked for again, for something delicate. `address` and `agent`:
 * where it began, by which client. Moments are UTC.
 */
const session = `CREATE TABLE IF NOT EXISTS browser_session (
  token_hash bytea PRIMARY KEY,
  user_id integer NOT NULL REFERENCES res_users ON DELETE CASCADE,
  owner_id integer NOT NULL REFERENCES res_users ON DELETE CASCADE,
  password text,
  made timestamp NOT NULL,
  used timestamp NOT NULL,
  confirmed timestamp,
  address text,
  agent text
)`

/** Earlier databases did not say where a session began. */
const sessionPlace =
  'ALTER TABLE browser_session ADD COLUMN IF NOT EXISTS address text, ADD COLUMN IF NOT EXISTS agent text'

/**
 * Logins whose password was right and whose second factor is awaited, for ten minutes; found by the SHA-256
 * of their token, which opens nothing else. `password` is the stored one then. Moments are UTC.
 */
const pendingLogin = `CREATE TABLE IF NOT EXISTS comptoir_pending_login (
  token_hash bytea PRIMARY KEY,
  user_id integer NOT NULL REFERENCES res_users ON DELETE CASCADE,
  password text,
  made timestamp NOT NULL
)`

/** In the order in which they are made; each may run again. */
export const loginTables: readonly string[] = [
  noLoginFailure,
  failedLogin,
  pendingAttempts,
  session,
  sessionPlace,
  secondFactorTable,
  pendingLogin,
]
