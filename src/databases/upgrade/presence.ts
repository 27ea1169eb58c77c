// Presence of nodes: which serve a database, and by which build. Each holds shared advisory locks over its
// connection for announcements, one for its build and one for each database that it has open. They end with
// the connection, so a node that dies leaves nothing to clean up.
import { hostname } from 'node:os'
import { sha256 } from '../../kit/sha256.ts'
import { Connection, forMaintenance, type ServerAddress } from '../../postgres/index.ts'
import { processBuild } from './builds.ts'

/** Two numbers that PostgreSQL knows a lock by. */
export interface Presence {
  readonly what: number
  readonly build: number
}

const numberOf = (text: string) => sha256(text).readInt32BE()
const PROCESS = numberOf('comptoir: processes')
const ofDatabase = (name: string) => numberOf(`comptoir: database ${name}`)
const asNumber = (build: string) => Number.parseInt(build, 16) | 0

/** Presence of this process. */
export const processPresence = (): Presence => ({ what: PROCESS, build: asNumber(processBuild()) })

/** That it serves a database. */
export const databasePresence = (name: string, build: string): Presence => ({
  what: ofDatabase(name),
  build: asNumber(build),
})

/** Application name of the connection in `pg_stat_activity`; PostgreSQL takes 63 bytes. */
export const lineName = (): string => `comptoir ${hostname().slice(0, 30)} process ${process.pid}`

export interface OtherNode {
  /** Its name and where its line comes from. */
  readonly name: string
  /** The build by which it serves the database, if it has the database open. */
  readonly build: string | null
}

const OTHERS = `SELECT a.application_name, COALESCE(host(a.client_addr), ''), max(lpad(to_hex(l.objid::int8), 8, '0')) FILTER (WHERE l.classid::int8 = $3)
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((l.classid::int8 = $1 AND l.objid::int8 <> $2) OR (l.classid::int8 = $3 AND l.objid::int8 <> $4))
  GROUP BY a.pid, a.application_name, a.client_addr ORDER BY 1, 2`

/**
 * Running processes of other builds, or that serve the database with other modules. `address` is that of
 * announcements.
 */
export async function otherBuildsIn(
  address: ServerAddress,
  name: string,
  build: string,
): Promise<OtherNode[]> {
  const connection = await Connection.connect(forMaintenance(address))
  try {
    const [ofProcess, its] = [processPresence(), databasePresence(name, build)]
    const numbers = [ofProcess.what, ofProcess.build, its.what, its.build].map((number) => number >>> 0)
    const rows = (await connection.query(OTHERS, numbers)) as [string, string, string | null][]
    return rows.map(([line, host, theirs]) => ({
      name: host ? `${line.replace(/^comptoir /, '')} (${host})` : line.replace(/^comptoir /, ''),
      build: theirs,
    }))
  } finally {
    await connection.close()
  }
}
