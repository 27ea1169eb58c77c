// Browser sessions as their owner sees them: where they began, when they were used last, and their end.

import { recordAudit } from '#engine'
import type { Environment } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { idList, type Sql, sql, TRUE } from '../../../sql/index.ts'

/** Moments are UTC, `YYYY-MM-DD HH:MM:SS`. */
export interface SessionOverview {
  /** Names the session, and opens nothing. */
  readonly id: string
  readonly began: string
  /** Written down every ten minutes. */
  readonly used: string
  readonly address: string | false
  readonly user_agent: string | false
  /** Whether the call comes from it. */
  readonly current: boolean
}

/** Public name of a session: neither its token nor the hash by which it is looked up. */
const name = sql`left(encode(sha256('session' || s.token_hash), 'hex'), 16)`
/** A person who acts as the system user has their own sessions. */
const ownSessionSql = (env: Environment) =>
  sql`s.owner_id = COALESCE((SELECT c.owner_id FROM browser_session c WHERE c.token_hash = ${env.unit.services.guard?.sessionHash ?? null}::bytea), ${env.uid}::int)`
const isCurrent = (env: Environment) =>
  sql`COALESCE(s.token_hash = ${env.unit.services.guard?.sessionHash ?? null}::bytea, FALSE)`

export async function sessionsOf(env: Environment): Promise<readonly SessionOverview[]> {
  const moment = (column: 'made' | 'used') =>
    sql`to_char(s.${column === 'made' ? sql`made` : sql`used`}, 'YYYY-MM-DD HH24:MI:SS')`
  const rows = await env.rows(
    sql`SELECT json_build_object('id', ${name}, 'began', ${moment('made')}, 'used', ${moment('used')},
      'address', COALESCE(to_json(s.address), 'false'), 'user_agent', COALESCE(to_json(s.agent), 'false'), 'current', ${isCurrent(env)})::text
    FROM browser_session s JOIN res_users o ON o.id = s.owner_id
    WHERE ${ownSessionSql(env)} AND o.password IS NOT DISTINCT FROM s.password ORDER BY s.used DESC, s.made DESC`,
    { reads: ['res.users'], row: ['text'] },
  )
  return rows.map((row) => JSON.parse(row[0]) as SessionOverview)
}

/**
 * Ends the caller's sessions of these ids, or all but the one that calls; gives how many. Throws InvalidValue
 * for what is not a list of texts.
 */
export async function endSessions(env: Environment, ids: unknown): Promise<number> {
  const wanted = ids ?? null
  if (wanted !== null && !(Array.isArray(wanted) && wanted.every((need) => typeof need === 'string')))
    throw new InvalidValue('sessions must be a list of ids, or null')
  return end(env, wanted === null ? sql`NOT ${isCurrent(env)}` : sql`${name} = ANY(${wanted}::text[])`)
}

/** Ends every session of the caller, the one that calls too; gives how many. */
export function endAllSessions(env: Environment): Promise<number> {
  return end(env, TRUE)
}

/**
 * Ends all sessions of users who were archived, and their logins that wait for a code, for good: being active
 * again opens none of them.
 */
export async function endSessionsOf(env: Environment, users: readonly number[]): Promise<void> {
  if (users.length)
    await env.execute(
      sql`WITH waiting AS (DELETE FROM comptoir_pending_login WHERE user_id = ANY(${idList(users)}))
        DELETE FROM browser_session WHERE owner_id = ANY(${idList(users)}) OR user_id = ANY(${idList(users)})`,
    )
}

async function end(env: Environment, chosen: Sql): Promise<number> {
  const { length } = await env.rows(
    sql`DELETE FROM browser_session s WHERE ${ownSessionSql(env)} AND ${chosen} RETURNING 1`,
    { reads: [], row: ['int'] },
  )
  if (length)
    recordAudit(env, {
      event: 'session.end',
      model: 'res.users',
      record: env.uid,
      name: env.user.login,
      detail: { sessions: length },
    })
  return length
}
