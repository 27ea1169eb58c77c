// Sealed entries of a database's audit log as lines of JSON, by their place in the chain, to be kept
// elsewhere. Memory holds one portion at a time.
import type { Database } from '../../databases/index.ts'
import { sealAudit } from '../../models/rights/audit-seal.ts'
import { withRetries } from '../../postgres/index.ts'
import { sql } from '../../sql/index.ts'

/** Lines that are read at once. */
const PORTION = 500

/** A selection of entries. */
export interface AuditSpan {
  /** Entries after this place of the chain. */
  readonly after?: number
  /** Moments of the entries, ISO 8601: from, and before. */
  readonly since?: string | null
  readonly until?: string | null
}

export interface AuditPortion {
  readonly lines: readonly string[]
  /** The place of the last entry that was looked at. */
  readonly position: number
}

/** Seals what was committed by now; false where the database is of a build before the chain. */
export function sealDatabase(database: Database): Promise<boolean> {
  // Other processes seal too: the second one starts over.
  return withRetries(() =>
    database.system(async (env) => {
      const [row] = await env.query(sql`SELECT to_regclass('comptoir_audit_open') IS NOT NULL`)
      if (row?.[0] !== true) return false
      await sealAudit(env)
      return true
    }),
  )
}

/** The hash at a place of the chain, or null where it has no such place. */
export async function hashAt(database: Database, position: number): Promise<string | null> {
  const { text, values } =
    sql`SELECT hash FROM comptoir_audit_seal WHERE position = ${position}::bigint`.compile()
  const [row] = await database.pool.use((connection) => connection.query(text, values))
  return typeof row?.[0] === 'string' ? row[0] : null
}

/** Sealed entries, portion by portion. */
export async function* auditLines(
  database: Database,
  { after = 0, since = null, until = null }: AuditSpan = {},
): AsyncGenerator<AuditPortion, void> {
  for (let position = after; ; ) {
    const rows = await database.pool.use((connection) => {
      const { text, values } = linesQuery(database.name, position, since, until).compile()
      return connection.query(text, values)
    })
    const last = rows.at(-1)
    if (!last) return
    position = last[0] as number
    yield { lines: rows.map((row) => row[1] as string), position }
    if (rows.length < PORTION) return
  }
}

const linesQuery = (database: string, position: number, since: string | null, until: string | null) =>
  sql`SELECT s.position::float8, json_build_object(
      'database', ${database}::text, 'position', s.position, 'hash', s.hash, 'id', a.id,
      'time', to_char(a.time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'event', a.event, 'uid', a.uid, 'login', a.login, 'address', a.address,
      'key', CASE WHEN a.key_id IS NOT NULL THEN json_build_object('id', a.key_id, 'name', a.key_name) END, 'session', a.session,
      'on_behalf_of', a.person_id, 'model', a.res_model, 'record', a.res_id, 'name', a.name, 'detail', a.detail)::text
    FROM comptoir_audit_seal s JOIN comptoir_audit a ON a.id = s.entry
    WHERE s.position > ${position}::bigint AND (${since}::timestamptz IS NULL OR a.time >= ${since}::timestamptz AT TIME ZONE 'UTC')
      AND (${until}::timestamptz IS NULL OR a.time < ${until}::timestamptz AT TIME ZONE 'UTC')
    ORDER BY s.position LIMIT ${PORTION}::int`
