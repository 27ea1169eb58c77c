// Metrics of the open databases, read when the metrics endpoint is read, and not kept.
import type { Database, Databases } from '../databases/index.ts'
import { ANNOUNCED } from '../models/changes/last.ts'
import { planCache } from '../models/row/plans.ts'
import { raw } from '../sql/index.ts'

export interface Numbers {
  readonly database: string
  /** Jobs that wait, and those that run anywhere. */
  readonly queued: number
  readonly running: number
  /** Seconds that the oldest commit on its way holds the feed back. */
  readonly feedLag: number
}

/** The upper half of the number of a lock by which a position in the feed is announced. */
const CLASS = BigInt(ANNOUNCED) >> 48n

const query = raw(`SELECT (SELECT count(*)::int FROM comptoir_job WHERE state = 'queued'),
  (SELECT count(*)::int FROM comptoir_job WHERE state = 'running'),
  (SELECT COALESCE(max(extract(epoch FROM clock_timestamp() - a.query_start)), 0)::float8 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND (l.classid::bigint >> 16) = ${CLASS} AND a.datname = current_database()
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).compile()

/** The numbers of every database that is open here and answers. */
export async function numbersOf(server: Databases): Promise<Numbers[]> {
  const numbers: Numbers[] = []
  for (const database of server.settled())
    if (database.offers('jobs') || database.offers('changes'))
      numbers.push(...(await ofOne(database).catch(() => [])))
  return numbers
}

async function ofOne({ pool, name }: Database): Promise<Numbers[]> {
  const [row] = await pool.use((connection) => connection.query(query.text, query.values))
  const [queued, running, feedLag] = row as unknown as [number, number, number]
  return [{ database: name, queued, running, feedLag }]
}

/** Counts of the statement plans that this process keeps (models/row/plans.ts). */
export const planCounts = () => planCache.counts
