// Logins that wait for their second factor: the password was right, and what they are found by opens nothing
// but the way to give a code.
import { hashKey, newKey } from '../kit/secrets.ts'
import { type SecondFactor, secondFactorOf } from '../logins/index.ts'
import { raw, sql } from '../sql/index.ts'
import type { Ask } from './ask.ts'

const now = raw("now() AT TIME ZONE 'UTC'")
const isOver = raw("made <= now() AT TIME ZONE 'UTC' - interval '10 minutes'")

/** Starts one; gives its token, which nothing but the cookie holds. */
export async function startPending(ask: Ask, uid: number): Promise<string> {
  const token = newKey()
  await ask(sql`DELETE FROM comptoir_pending_login WHERE ${isOver}`.compile())
  await ask(
    sql`INSERT INTO comptoir_pending_login (token_hash, user_id, password, made)
      SELECT ${hashKey(token)}::bytea, id, password, ${now} FROM res_users WHERE id = ${uid}::int AND active`.compile(),
  )
  return token
}

/** Whose login waits, and what for. */
export interface PendingLogin {
  readonly uid: number
  readonly login: string
  readonly secondFactor: SecondFactor
}

/** Null once ten minutes are over, and if the user was archived or the password changed meanwhile. */
export async function readPending(ask: Ask, token: string): Promise<PendingLogin | null> {
  const [row] = await ask(
    sql`SELECT u.id, u.login, ${secondFactorOf(raw('u.id'))} FROM comptoir_pending_login p JOIN res_users u ON u.id = p.user_id
      WHERE p.token_hash = ${hashKey(token)}::bytea AND NOT ${isOver} AND u.active AND u.password IS NOT DISTINCT FROM p.password`.compile(),
  )
  return row ? { uid: Number(row[0]), login: String(row[1]), secondFactor: row[2] as SecondFactor } : null
}

/** Ends a pending login; false if it was over. Of several concurrent calls one returns true. */
export async function endPending(ask: Ask, token: string): Promise<boolean> {
  const rows = await ask(
    sql`DELETE FROM comptoir_pending_login WHERE token_hash = ${hashKey(token)}::bytea RETURNING 1`.compile(),
  )
  return rows.length > 0
}
