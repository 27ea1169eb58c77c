// Horizon of the feed: up to there it can be read without missing a transaction that has not committed yet
// (docs/decisions/0043).
import { ANNOUNCED } from '../../models/changes/last.ts'
import type { Row } from '../../models/language/unit.ts'
import { raw, type Statement } from '../../sql/index.ts'

/**
 * The last number of the sequence, then, in this order, the least number that a running transaction has
 * announced: changes up to both are committed, or never will be. The setting keeps the horizon for the next
 * statement, which sees the commits up to then.
 */
const statement = raw(`WITH l AS MATERIALIZED (SELECT last_value AS last FROM comptoir_feed_seq),
  k AS MATERIALIZED (SELECT l.last, announced.least FROM l CROSS JOIN LATERAL (
    SELECT min(((classid::bigint << 32) | objid::bigint) & ~${ANNOUNCED}::bigint) AS least FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint >> 16) = ${0x434f} AND l.last IS NOT NULL
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) OFFSET 0) AS announced)
  SELECT k.last::float8, LEAST(k.last, k.least)::float8, f.id::text, f.floor::float8, f.kept,
    set_config('comptoir.horizon', LEAST(k.last, k.least)::text, true) FROM k, comptoir_feed f`)

export const horizonStatement: Statement = { ...statement.compile(), leads: true }

export interface Horizon {
  readonly last: number
  /** Up to here nothing is missing. */
  readonly at: number
  /** Identity of the feed. */
  readonly feed: string
  /** Positions up to here are no longer kept. */
  readonly floor: number
  /** Whether changes are written at all. */
  readonly kept: boolean
}

/** The result of `horizonStatement`. */
export function horizonOf(rows: readonly Row[]): Horizon {
  const [last, at, feed, floor, kept] = rows[0] as unknown as [number, number, string, number, boolean]
  return { last, at, feed, floor, kept }
}
