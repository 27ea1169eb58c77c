// Browser sessions: kept in the database, so that they hold on every node and end everywhere at once
// (spec/client-needs.md sections 2 to 4).
import { SessionExpired } from '../errors.ts'
import { hashKey, newKey } from '../kit/secrets.ts'
import { hasSecondFactor, isAdministrator } from '../logins/index.ts'
import { storable } from '../models/rights/audit.ts'
import type { CredentialQuery } from '../models/unit/options.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import type { Ask } from './ask.ts'
import { credentialQueryOf, type Expected, facts, userOf } from './credential.ts'

/** A session ends when it was not used for a week, and after thirty days in any case. */
const alive = raw(
  "s.used > now() AT TIME ZONE 'UTC' - interval '7 days' AND s.made > now() AT TIME ZONE 'UTC' - interval '30 days'",
)
const now = raw("now() AT TIME ZONE 'UTC'")

/** The system user cannot sign in and is archived: only a session that switched to it acts as it. */
const SYSTEM = 1

/** Whether the owner may still change all settings: who may not any more ceases to be the system user. */
const ownerIsAdministrator = isAdministrator(raw('s.owner_id'))

/**
 * Facts of the user who acts: no row once the session ran out, its owner was archived or changed their
 * password, or one that became the system user is no longer an administrator.
 */
export function sessionFacts(hash: Buffer): Sql {
  return sql`SELECT ${facts}, NULL AS failures FROM browser_session s JOIN res_users o ON o.id = s.owner_id CROSS JOIN ${userOf(raw('s.user_id'))}
    WHERE s.token_hash = ${hash}::bytea AND ${alive} AND o.active AND o.password IS NOT DISTINCT FROM s.password
      AND (s.user_id = s.owner_id AND u.active OR u.id = ${SYSTEM} AND ${ownerIsAdministrator})`
}

/**
 * Checks a session along with a call's first query. Its `verify` throws SessionExpired, or StaleCredential
 * when anything about the user changed.
 */
export function sessionCredentialQuery(hash: Buffer, expected: Expected): CredentialQuery {
  return credentialQueryOf(sessionFacts(hash), expected, () => new SessionExpired())
}

/** Origin of a session, for people who review their sessions. */
export interface SessionPlace {
  readonly address: string
  readonly userAgent?: string | undefined
  /** Acts as the system user. */
  readonly asSystem?: boolean
}

/**
 * Starts a session of an active user, who may act as the system user; gives its token, which nothing but the
 * cookie holds.
 */
export async function startSession(
  ask: Ask,
  owner: number,
  { address, userAgent, asSystem = false }: SessionPlace,
): Promise<string> {
  const token = newKey()
  await ask(sql`DELETE FROM browser_session s WHERE NOT (${alive})`.compile())
  await ask(
    sql`INSERT INTO browser_session (token_hash, user_id, owner_id, password, made, used, address, agent)
      SELECT ${hashKey(token)}::bytea, ${asSystem ? SYSTEM : owner}::int, id, password, ${now}, ${now}, ${storable(address)}, ${storable(userAgent)}
      FROM res_users WHERE id = ${owner}::int AND active`.compile(),
  )
  return token
}

/** Records a sign-in: administrators see the last one (`login_date`). */
export async function noteLogin(ask: Ask, uid: number): Promise<void> {
  await ask(
    sql`INSERT INTO res_users_log (create_uid, create_date, write_uid, write_date) VALUES (${uid}::int, ${now}, ${uid}::int, ${now})`.compile(),
  )
}

/**
 * Stores the address as parameter `web.base.url` if the session is an administrator's and
 * `web.base.url.freeze` is not set.
 */
export async function noteAddress(ask: Ask, token: string, address: string): Promise<void> {
  await ask(
    sql`UPDATE ir_config_parameter p SET value = ${address}, write_date = ${now} WHERE p.key = 'web.base.url' AND p.value IS DISTINCT FROM ${address}
      AND NOT EXISTS (SELECT FROM ir_config_parameter f WHERE f.key = 'web.base.url.freeze' AND lower(f.value) NOT IN ('', '0', 'false'))
      AND EXISTS (SELECT FROM browser_session s WHERE s.token_hash = ${hashKey(token)}::bytea AND ${ownerIsAdministrator})`.compile(),
  )
}

/** Ends a session, wherever it is used. */
export async function endSession(ask: Ask, token: string): Promise<void> {
  await ask(sql`DELETE FROM browser_session WHERE token_hash = ${hashKey(token)}::bytea`.compile())
}

/** Ends all sessions of a user, also those that became the system user. */
export const endSessionsOfOwner = (uid: number): Sql =>
  sql`DELETE FROM browser_session WHERE owner_id = ${uid}::int`

/** Marks a session as used. */
export async function keepSession(ask: Ask, token: string): Promise<void> {
  await ask(
    sql`UPDATE browser_session SET used = ${now} WHERE token_hash = ${hashKey(token)}::bytea`.compile(),
  )
}

/** Proofs that the owner of a session is present. */
export type Judged = 'key' | 'password' | 'code'

/** Notes that a proof was given in a session; of owners with a second factor nothing but its codes is one. */
export function confirmSession(token: string, by: Judged): Sql {
  const isProof = by === 'code' ? sql`TRUE` : sql`NOT ${hasSecondFactor(raw('owner_id'))}`
  return sql`UPDATE browser_session SET confirmed = ${now} WHERE token_hash = ${hashKey(token)}::bytea AND ${isProof}`
}

/** Whether the password was given in a session in the last ten minutes. */
export function sessionConfirmed(token: string): Sql {
  return sql`SELECT confirmed > ${now} - interval '10 minutes' FROM browser_session WHERE token_hash = ${hashKey(token)}::bytea`
}

/** Whether the password of a session was given within so many minutes: when it began, or since. */
export function sessionProven(token: string, minutes: number): Sql {
  return sql`SELECT GREATEST(made, confirmed) > ${now} - ${minutes}::float8 * interval '1 minute' FROM browser_session WHERE token_hash = ${hashKey(token)}::bytea`
}
