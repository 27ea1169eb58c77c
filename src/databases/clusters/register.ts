// The register of PostgreSQL servers besides the main one, and of the place of each database: two small
// tables of the main server, so that all nodes see the same and a move is one UPDATE (docs/decisions/0061).
import { UserError } from '../../errors.ts'
import { sqlState } from '../../postgres/index.ts'
import type { Shared } from '../shared.ts'

/** The server of `--database-url`, which has all databases without a row in the map. */
export const MAIN = 'main'

/** Clusters besides the main one. */
const MOST = 100

export interface Entry {
  readonly name: string
  readonly url: string
  /** The address without a pooler; null if there is no pooler. */
  readonly direct: string | null
  /** Default cluster for new databases. */
  readonly takesNew: boolean
}

export interface Place {
  readonly cluster: string
  /** Cluster of a copy that is not in service: of a move that is under way, or died. */
  readonly other: string | null
}

export interface Registered {
  readonly entries: readonly Entry[]
  /** By the names of databases. */
  readonly places: ReadonlyMap<string, Place>
}

export class Register {
  readonly #shared: Shared

  constructor(shared: Shared) {
    this.#shared = shared
  }

  /**
   * The whole register; empty for a role that has no access to it. Throws if the main server cannot be
   * reached.
   */
  async read(): Promise<Registered> {
    const reading = this.#shared.reading((connection) =>
      connection.query(`SELECT name, url, direct, takes_new, NULL FROM cluster
        UNION ALL SELECT database, NULL, other, FALSE, cluster FROM place ORDER BY 1`),
    )
    const rows = await reading.catch((error: unknown) => {
      if (sqlState(error) === '42501') return []
      throw error
    })
    const [places, entries] = [new Map<string, Place>(), [] as Entry[]]
    for (const [name, url, third, takesNew, cluster] of rows as Row[]) {
      if (url === null) places.set(name, { cluster: cluster ?? MAIN, other: third })
      else entries.push({ name, url, direct: third, takesNew })
    }
    return { entries, places }
  }

  /**
   * Adds a cluster with its databases, all or nothing. Throws UserError when there are too many; the names
   * must be free.
   */
  async add({ name, url, direct }: Omit<Entry, 'takesNew'>, databases: readonly string[]): Promise<void> {
    const text = `WITH added AS (INSERT INTO cluster (name, url, direct)
        SELECT $1, $2, $3 WHERE (SELECT count(*) FROM cluster) < ${MOST} RETURNING name),
      placed AS (INSERT INTO place (database, cluster) SELECT database, name FROM added, unnest($4::text[]) database)
      SELECT FROM added`
    const added = await this.#write(text, [name, url, direct, databases])
    if (added.length === 0) throw new UserError(`A server has at most ${MOST} clusters.`)
  }

  /** Removes a cluster. Throws UserError while it has a database. */
  async remove(name: string): Promise<void> {
    const text =
      'DELETE FROM cluster WHERE name = $1 AND NOT EXISTS (SELECT FROM place WHERE $1 IN (cluster, other)) RETURNING 1'
    if ((await this.#write(text, [name])).length === 0)
      throw new UserError(`The cluster ${name} has databases: move or delete them first.`)
  }

  /** New databases are made in this one. */
  async useForNew(name: string): Promise<void> {
    await this.#write('UPDATE cluster SET takes_new = (name = $1)', [name])
  }

  /** The database is in this cluster from now on; the main one needs no row for that. */
  async place(database: string, cluster: string, other: string | null = null): Promise<void> {
    await (cluster === MAIN && other === null
      ? this.#write('DELETE FROM place WHERE database = $1', [database])
      : this.#write(
          `INSERT INTO place (database, cluster, other) VALUES ($1, $2, $3)
            ON CONFLICT (database) DO UPDATE SET cluster = excluded.cluster, other = excluded.other`,
          [database, cluster, other],
        ))
  }

  /** There is no such database any more. */
  async unplace(database: string): Promise<void> {
    await this.#write('DELETE FROM place WHERE database = $1', [database])
  }

  async #write(text: string, values: readonly unknown[]): Promise<unknown[][]> {
    let rows: unknown[][] = []
    await this.#shared.writing(async (connection) => {
      rows = await connection.query(text, [...values])
    })
    return rows
  }
}

type Row = [name: string, url: string | null, third: string | null, takesNew: boolean, cluster: string | null]
