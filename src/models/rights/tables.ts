// Tables of rights that belong to no model: statements that make them, run by the base module's `init`; each may run again.

/** The one row that every change of rights raises (version.ts). */
const rightsVersion = `CREATE TABLE IF NOT EXISTS rights_version (
  single boolean PRIMARY KEY DEFAULT TRUE CHECK (single),
  version bigint NOT NULL
)`
const rightsVersionRow = 'INSERT INTO rights_version (version) SELECT 1 WHERE NOT EXISTS (SELECT FROM rights_version)'

/** Failures in a row by remote address (spec/wire.md section 7, "Cooldown"); `last` is UTC. */
const loginFailure = `CREATE TABLE IF NOT EXISTS login_failure (
  address text PRIMARY KEY,
  failures integer NOT NULL,
  last timestamp NOT NULL
)`

/**
 * Browser sessions, found by the SHA-256 of their token. `user_id` acts; `owner_id` signed in, the same but for one that became the system user.
 * `password` is the owner's stored password then: a session ends when it changes.
 * `confirmed`: when the password was asked for again, for something delicate. Moments are UTC.
 */
const session = `CREATE TABLE IF NOT EXISTS browser_session (
  token_hash bytea PRIMARY KEY,
  user_id integer NOT NULL REFERENCES res_users ON DELETE CASCADE,
  owner_id integer NOT NULL REFERENCES res_users ON DELETE CASCADE,
  password text,
  made timestamp NOT NULL,
  used timestamp NOT NULL,
  confirmed timestamp
)`

export const rightsTables: readonly string[] = [rightsVersion, rightsVersionRow, loginFailure, session]
