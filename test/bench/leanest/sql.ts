// Shared by all handlers by hand: the caller's credential check as a part of a statement, and the rows
// of the feed.

import { ANNOUNCED } from '../../../src/models/changes/last.ts'
import type { Query } from '../../../src/postgres/index.ts'
import type { Lean } from './sides.ts'

/** A check of the credential inside of a statement. */
export interface Who {
  /** Gives a row where the key, the version of rights and the user's mark are those that are known. */
  readonly text: string
  /** The parameters $1 to $3. */
  readonly values: readonly unknown[]
  readonly check: Query
}

export async function knownCaller({ check, connection }: Lean): Promise<Who> {
  const statement = await check()
  const [row = []] = await connection.query(statement.text, statement.values as unknown[])
  return {
    text: `SELECT c.uid FROM (${statement.text}) AS c(uid, version, mark) WHERE c.version = $2 AND c.mark = $3`,
    values: [...statement.values, row[1], row[2]],
    check: statement,
  }
}

/**
 * Common table expressions that announce a position of the feed and write its rows; they need `who`.
 */
export const feedOf = (rows: string): string =>
  `said AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${ANNOUNCED}::bigint | last_value) FROM comptoir_feed_seq, who),
  pos AS MATERIALIZED (SELECT nextval('comptoir_feed_seq') AS seq FROM said),
  fed AS (INSERT INTO comptoir_change (seq, n, tx, at, uid, model, op, ids, fields, event)
    SELECT pos.seq, x.n, pg_current_xact_id()::text::bigint, clock_timestamp(), who.uid, x.model, x.op, x.ids, x.fields, x.event
    FROM who, pos, (${rows}) AS x(n, model, op, ids, fields, event))`

/** The same as a function that does it at once, which the handlers are for that call functions. */
export const asFunction = (name: string, takes: string, body: string): string =>
  `CREATE FUNCTION ${name}(${takes}) RETURNS int[] LANGUAGE plpgsql AS $body$ DECLARE made int[]; BEGIN ${body} RETURN made; END $body$`

export const BEGIN: Query = { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ', values: [] }
export const COMMIT: Query = { text: 'COMMIT', values: [] }
