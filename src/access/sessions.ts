// Browser sessions: kept in the database, so that they hold on every node and end everywhere at once (spec/client-needs.md sections 2 to 4).
import { SessionExpired } from '../errors.ts'
import { hashKey, newKey } from '../kit/secrets.ts'
import type { Preamble } from '../models/unit.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import type { Ask } from './ask.ts'
import { type Expected, facts, judge, usersAndPartners } from './credential.ts'

/** A session ends when it was not used for a week, and after thirty days in any case. */
const alive = raw("s.used > now() AT TIME ZONE 'UTC' - interval '7 days' AND s.made > now() AT TIME ZONE 'UTC' - interval '30 days'")
const now = raw("now() AT TIME ZONE 'UTC'")

/** The system user signs nobody in and is archived: only a session that became it acts as it. */
const SYSTEM = 1

/** Facts of the user who acts: no row once the session ran out, or its owner was archived or changed their password. */
export function sessionFacts(hash: Buffer): Sql {
  return sql`SELECT ${facts} FROM browser_session s JOIN res_users o ON o.id = s.owner_id JOIN ${usersAndPartners} ON u.id = s.user_id
    WHERE s.token_hash = ${hash}::bytea AND ${alive} AND o.active AND o.password IS NOT DISTINCT FROM s.password AND (u.active OR u.id = ${SYSTEM})`
}

/** Checks a session along with a call's first query. Its `verify` throws SessionExpired, or StaleCredential when anything about the user changed. */
export function sessionPreamble(hash: Buffer, expected: Expected): Preamble {
  return { statement: sessionFacts(hash).compile(), verify: (rows) => judge(rows, expected, () => new SessionExpired()) }
}

/** Starts a session of an active user, who may act as the system user; gives its token, which nothing but the cookie holds. */
export async function startSession(ask: Ask, owner: number, { asSystem = false }: { asSystem?: boolean } = {}): Promise<string> {
  const token = newKey()
  await ask(sql`DELETE FROM browser_session s WHERE NOT (${alive})`.compile())
  await ask(
    sql`INSERT INTO browser_session (token_hash, user_id, owner_id, password, made, used)
      SELECT ${hashKey(token)}::bytea, ${asSystem ? SYSTEM : owner}::int, id, password, ${now}, ${now} FROM res_users WHERE id = ${owner}::int AND active`.compile(),
  )
  return token
}

/** Ends a session, wherever it is used. */
export async function endSession(ask: Ask, token: string): Promise<void> {
  await ask(sql`DELETE FROM browser_session WHERE token_hash = ${hashKey(token)}::bytea`.compile())
}

/** Marks a session as used. */
export async function keepSession(ask: Ask, token: string): Promise<void> {
  await ask(sql`UPDATE browser_session SET used = ${now} WHERE token_hash = ${hashKey(token)}::bytea`.compile())
}

/** Notes that the password was given in a session. */
export function confirmSession(token: string): Sql {
  return sql`UPDATE browser_session SET confirmed = ${now} WHERE token_hash = ${hashKey(token)}::bytea`
}

/** Whether the password was given in a session in the last ten minutes. */
export function sessionConfirmed(token: string): Sql {
  return sql`SELECT confirmed > ${now} - interval '10 minutes' FROM browser_session WHERE token_hash = ${hashKey(token)}::bytea`
}
