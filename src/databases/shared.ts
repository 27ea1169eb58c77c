// Data of a whole external PostgreSQL server that must be the same for every node that uses it: the master
// password, the server's audit log, and the register of clusters (clusters/register.ts), in a small database
// of their own. With the embedded server they are files in its data directory.

import { UserError } from '../errors.ts'
import type { Admin, ServerAddress } from '../postgres/index.ts'
import { Connection, sqlState } from '../postgres/index.ts'

/** No list shows it (`isOurs`), and no template has such a name. */
export const SHARED_DATABASE = '_comptoir'

const SCHEMA = `CREATE TABLE IF NOT EXISTS secret (name text PRIMARY KEY, value text NOT NULL, changed timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS audit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, line jsonb NOT NULL);
  CREATE TABLE IF NOT EXISTS cluster (name text PRIMARY KEY, url text NOT NULL, direct text, takes_new boolean NOT NULL DEFAULT FALSE);
  CREATE TABLE IF NOT EXISTS place (database text PRIMARY KEY, cluster text NOT NULL, other text)`

const MASTER = 'master-password'

/** Lines of the log that are looked through. */
const LOOKED_AT = 5000

/** Lines of the log that are kept: two years of a hundred databases that are backed up every night. */
const KEPT = 100_000

export class Shared {
  readonly #admin: Admin
  readonly #address: ServerAddress
  #made: Promise<void> | undefined
  /** Whether the database is known to exist. */
  #isMade = false

  constructor(admin: Admin, address: ServerAddress) {
    this.#admin = admin
    this.#address = address
  }

  /** The hash of the master password; null if none is set. */
  async secret(): Promise<string | null> {
    const rows = await this.reading((connection) =>
      connection.query('SELECT value FROM secret WHERE name = $1', [MASTER]),
    )
    return (rows[0]?.[0] as string | undefined) ?? null
  }

  /** Sets it for all nodes; with `first` only if none is set yet. */
  async keepSecret(hash: string, first = false): Promise<void> {
    const otherwise = first ? 'NOTHING' : 'UPDATE SET value = excluded.value, changed = now()'
    const text = `INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO ${otherwise}`
    await this.writing((connection) => connection.query(text, [MASTER, hash]))
  }

  /** Writes a line of the audit log down; the oldest go once there are very many. */
  async note(line: object): Promise<void> {
    const text = `WITH noted AS (INSERT INTO audit (line) VALUES ($1::jsonb) RETURNING id)
      DELETE FROM audit WHERE id <= (SELECT id FROM noted) - ${KEPT}`
    await this.writing((connection) => connection.query(text, [JSON.stringify(line)]))
  }

  /** The last lines of the log as JSON, in their order. */
  async lines(): Promise<string[]> {
    const text = `SELECT line::text FROM (SELECT id, line FROM audit ORDER BY id DESC LIMIT ${LOOKED_AT}) last ORDER BY id`
    return (await this.reading((connection) => connection.query(text))).map(([line]) => String(line))
  }

  /** Empty if nothing was written yet. */
  async reading(work: (connection: Connection) => Promise<unknown[][]>): Promise<unknown[][]> {
    // Poolers keep others waiting for a while once a database was not there.
    this.#isMade ||= await this.#admin.databaseExists(SHARED_DATABASE)
    if (!this.#isMade) return []
    try {
      return await this.#within(work)
    } catch (error) {
      const state = sqlState(error)
      if (state === '3D000' || state === '42P01') return []
      throw error
    }
  }

  /** Throws if the server cannot be reached, or accepts no writes. */
  async writing(work: (connection: Connection) => Promise<unknown>): Promise<void> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
    await this.#made
    await this.#within(work)
  }

  /**
   * The first node that has something to write makes the database; one that comes at the same time waits for
   * it.
   */
  async #make(): Promise<void> {
    await this.#admin.holding([SHARED_DATABASE], async () => {
      await this.#admin.createDatabase(SHARED_DATABASE).catch((error: unknown) => {
        if (!(error instanceof UserError && sqlState(error.cause) === '42P04')) throw error
      })
      await this.#within((connection) => connection.simple(SCHEMA))
    })
  }

  async #within<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await Connection.connect({ ...this.#address, database: SHARED_DATABASE })
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  }
}
