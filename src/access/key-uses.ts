// Records the use of API keys in `comptoir.key.use`: counted in memory (callers.ts) and written once a minute
// at most, outside of requests.
import { NotFound } from '../errors.ts'
import type { Pool } from '../postgres/index.ts'
import { sqlState } from '../postgres/index.ts'
import { type Sql, sql } from '../sql/index.ts'
import { askPool } from './ask.ts'

/** One key's uses that are waiting to be written. */
export interface Use {
  /** The key's. */
  readonly hash: Buffer
  uses: number
  /** When it was used last, in milliseconds. */
  last: number
  address: string
  /** The client's `User-Agent`. */
  agent: string
}

/** Longest `User-Agent` that is kept, in characters. */
const LENGTH = 200

/** Writes uses down; false when that cannot be done now. Never throws. */
export async function writeUses(pool: Pool, uses: readonly Use[]): Promise<boolean> {
  if (uses.length === 0) return true
  try {
    await askPool(pool)(usesQuery(uses).compile())
    return true
  } catch (error) {
    // Without the database, or its table while modules are not upgraded, there is nowhere to write.
    return error instanceof NotFound || sqlState(error) === '42P01'
  }
}

/** Keys that were revoked meanwhile are left out. */
function usesQuery(uses: readonly Use[]): Sql {
  const rows = uses.map(({ hash, last, agent, ...use }) => ({
    ...use,
    hash: hash.toString('hex'),
    agent: agent.slice(0, LENGTH).replaceAll('\0', '').toWellFormed(),
    last: new Date(last).toISOString().slice(0, 19),
  }))
  return sql`INSERT INTO comptoir_key_use AS u (key_id, user_id, last_used, last_address, last_user_agent, uses)
    SELECT k.id, k.user_id, x.last, x.address, x.agent, x.uses
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(hash text, last timestamp, address text, agent text, uses int)
    JOIN res_users_apikeys k ON k.key_hash = decode(x.hash, 'hex') ORDER BY k.id
    ON CONFLICT (key_id) DO UPDATE SET uses = LEAST(COALESCE(u.uses, 0)::bigint + excluded.uses, 2147483647)::int,
      (last_used, last_address, last_user_agent) = (SELECT s.* FROM (VALUES (excluded.last_used, excluded.last_address, excluded.last_user_agent),
        (u.last_used, u.last_address, u.last_user_agent)) s ORDER BY 1 DESC NULLS LAST LIMIT 1)`
}
