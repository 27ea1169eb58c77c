// Databases of one server: list, create, drop, rename, duplicate, over a short-lived connection to the
// maintenance database.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { UserError } from '../errors.ts'
import type { ConnectionOptions } from './address.ts'
import { forMaintenance } from './address.ts'
import { Connection } from './connection.ts'
import { sqlState } from './errors.ts'

/**
 * Collation of every database that is created: by code point ("C"), the same on every system and the fastest.
 * The recordings leave it open: every list in them that is ordered by text is in order both by code point and
 * linguistically. Letters outside ASCII must still have their case for ILIKE and lower()
 * (domain/unicode.json), hence the C.UTF-8 character types: PostgreSQL's own from 17 on, the C library's
 * before.
 */
const LOCALE = "LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'"
const BUILTIN_LOCALE = "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LC_COLLATE 'C' LC_CTYPE 'C'"

export class Admin {
  readonly #address: ConnectionOptions
  readonly #strategy: string

  /**
   * Databases are copied page by page through the log; if nothing has to be synced (`durable` false), file by
   * file, which takes less of the processor.
   */
  constructor(address: ConnectionOptions, { durable = true }: { readonly durable?: boolean } = {}) {
    this.#address = address
    this.#strategy = durable ? '' : ' STRATEGY FILE_COPY'
  }

  /** Names of the databases that may belong to Comptoir, in order; `accept` decides (default: `isOurs`). */
  async listDatabases(accept: (name: string) => boolean = isOurs): Promise<string[]> {
    const rows = await this.#run((connection) =>
      connection.query(
        `SELECT datname::text FROM pg_database WHERE NOT datistemplate AND datallowconn AND NOT ${INVALID} ORDER BY datname`,
      ),
    )
    return rows.map(([name]) => String(name)).filter(accept)
  }

  /** Size of each of the databases on disk, in bytes, by name. */
  async sizes(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#run((connection) =>
      connection.query(
        'SELECT datname::text, pg_database_size(oid)::float8 FROM pg_database WHERE datname = ANY($1::text[])',
        [names],
      ),
    )
    return new Map(rows.map(([name, bytes]) => [String(name), Number(bytes)]))
  }

  /** Whether a database of exactly this name exists, including those that Comptoir did not create. */
  async databaseExists(name: string): Promise<boolean> {
    const rows = await this.#run((connection) =>
      connection.query(`SELECT 1 FROM pg_database WHERE datname = $1 AND NOT ${INVALID}`, [name]),
    )
    return rows.length > 0
  }

  /** Names of databases whose drop was begun and never completed: they refuse connections. */
  async listBroken(): Promise<string[]> {
    const rows = await this.#run((connection) =>
      connection.query(`SELECT datname::text FROM pg_database WHERE ${INVALID}`),
    )
    return rows.map(([name]) => String(name))
  }

  /** Drops a database of this name when there is one, broken or whole. */
  async clearDatabase(name: string): Promise<void> {
    await this.#run((connection) => dropping(connection, name, `DROP DATABASE IF EXISTS ${quote(name)}`))
  }

  /**
   * Runs `work` while this process alone holds the names, among all that use the server: the lock ends with
   * the work, or with the process. With `wait` false returns undefined, without running it, if another
   * process holds one of them.
   */
  holding<T>(names: readonly string[], work: () => Promise<T>, wait?: true): Promise<T>
  holding<T>(names: readonly string[], work: () => Promise<T>, wait: boolean): Promise<T | undefined>
  async holding<T>(names: readonly string[], work: () => Promise<T>, wait = true): Promise<T | undefined> {
    const holder = await this.#connect()
    try {
      // In order, so that two processes with the same names do not deadlock.
      for (const name of [...new Set(names)].sort()) {
        const lock = wait ? 'pg_advisory_lock' : 'pg_try_advisory_lock'
        const [row] = await holder.query(`SELECT ${lock}(hashtextextended($1, 0))`, [
          `comptoir database ${name}`,
        ])
        if (row?.[0] === false) return undefined
      }
      return await work()
    } finally {
      await holder.close()
    }
  }

  /**
   * Creates an empty database, or a copy of `template`, whose connections are cut. Throws UserError when the
   * name is taken.
   */
  async createDatabase(name: string, template?: string): Promise<void> {
    await this.#run(async (connection) => {
      if (template === undefined) {
        const [version] = await connection.query("SELECT current_setting('server_version_num')::int")
        const locale = Number(version?.[0]) >= 170_000 ? BUILTIN_LOCALE : LOCALE
        await connection.simple(
          `CREATE DATABASE ${quote(name)} TEMPLATE template0 ENCODING 'UTF8' ${locale}${this.#strategy}`,
        )
      } else {
        await alone(
          connection,
          template,
          `CREATE DATABASE ${quote(name)} TEMPLATE ${quote(template)}${this.#strategy}`,
        )
      }
    })
  }

  /**
   * Makes `name` a copy of `source`, which stays. Connections to `source` are cut; callers close their pools
   * first.
   */
  async duplicateDatabase(source: string, name: string): Promise<void> {
    await this.createDatabase(name, source)
  }

  /** Drops a database and cuts its connections. Throws UserError if it does not exist. */
  async dropDatabase(name: string): Promise<void> {
    await this.#run((connection) => dropping(connection, name, `DROP DATABASE ${quote(name)}`))
  }

  /** Renames a database, whose connections are cut. */
  async renameDatabase(name: string, newName: string): Promise<void> {
    await this.#run((connection) =>
      alone(connection, name, `ALTER DATABASE ${quote(name)} RENAME TO ${quote(newName)}`),
    )
  }

  /** Refuses new connections, and ends all sessions but one; the database's files stay. */
  async closeDatabase(name: string, spared: number): Promise<void> {
    await this.#run(async (connection) => {
      await connection.simple(`ALTER DATABASE ${quote(name)} ALLOW_CONNECTIONS false`)
      // A session that connected just before becomes visible a moment later.
      for (let quiet = 0, round = 1; quiet < 2; round++) {
        const others = await connection.query(CUT, [name, spared])
        if (others.length && round > CLOSING_ROUNDS)
          throw new UserError('Sessions of the database do not end.')
        quiet = others.length ? 0 : quiet + 1
        await sleep(CLOSING_MS)
      }
    })
  }

  /** Allows connections again. */
  async openDatabase(name: string): Promise<void> {
    await this.#run((connection) => connection.simple(`ALTER DATABASE ${quote(name)} ALLOW_CONNECTIONS true`))
  }

  /**
   * A connection over which `handler` receives the payloads that `notify` sends on the channel, from any
   * process; the caller closes it.
   */
  async listen(channel: string, handler: (payload: string) => void): Promise<Connection> {
    const connection = await this.#connect()
    try {
      await connection.listen(channel, handler)
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  /** Sends a payload to all listeners on the channel of this server. */
  async notify(channel: string, payload: string): Promise<void> {
    await this.#run((connection) => connection.query('SELECT pg_notify($1, $2)', [channel, payload]))
  }

  #connect(): Promise<Connection> {
    return Connection.connect({ ...forMaintenance(this.#address), statementTimeout: 0 })
  }

  async #run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#connect()
    try {
      return await work(connection)
    } catch (error) {
      throw refusal(error)
    } finally {
      await connection.close()
    }
  }
}

/** Checks for remaining sessions, and milliseconds between two. */
const CLOSING_ROUNDS = 100
const CLOSING_MS = 10

/**
 * PostgreSQL's mark of a database before it drops its files: if it crashes meanwhile, the database stays and
 * is unusable.
 */
const INVALID = '(datconnlimit = -2)'

/**
 * Not the maintenance database, nor a name that begins with `_` or `template`: those belong to the server or
 * to tools.
 */
export function isOurs(name: string): boolean {
  return name !== 'postgres' && !name.startsWith('_') && !name.startsWith('template')
}

/**
 * Runs a statement that needs exclusive use of `database` after cutting its connections. PostgreSQL itself
 * waits five seconds for them to end; clients that reconnect meanwhile are cut again, twice.
 */
async function alone(connection: Connection, database: string, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await connection.query(CUT, [database, 0])
    try {
      return await connection.simple(statement)
    } catch (error) {
      if (sqlState(error) !== '55006' || attempt === 3) throw error
    }
  }
}

/** Drops a database, with its sessions. */
async function dropping(connection: Connection, database: string, drop: string): Promise<void> {
  try {
    await connection.simple(`${drop} WITH (FORCE)`)
  } catch (error) {
    // FORCE would end PostgreSQL's own processes (autovacuum), which only a superuser may; without it
    // PostgreSQL stops them itself.
    if (sqlState(error) !== '42501') throw error
    await alone(connection, database, drop)
  }
}

/**
 * Sessions of this role only: PostgreSQL's workers end by themselves, and sessions of a superuser must not be
 * ended.
 */
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = $1 AND pid <> $2::int AND pid <> pg_backend_pid() AND usesysid IS NOT NULL AND pg_has_role(usesysid, 'USAGE')`

function quote(name: string): string {
  return pg.escapeIdentifier(name)
}

/** The right that the role lacks, by PostgreSQL's error, and how to grant it. */
function lackingRight(error: unknown): string {
  const { message } = error as Error
  // The error has the same code as "must be owner of database".
  const remedy = /create database/.test(message)
    ? 'a superuser gives the right by ALTER ROLE … CREATEDB'
    : 'use the role that created the database'
  return `${message}; ${remedy}.`
}

function refusal(error: unknown): unknown {
  switch (sqlState(error)) {
    case '42P04':
      return new UserError('A database of this name exists already.', { cause: error })
    case '3D000':
      return new UserError('Database not found.', { cause: error })
    case '55006':
      return new UserError('The database is in use; try again in a moment.', { cause: error })
    case '42602':
    case '42622':
      return new UserError('This name is not possible for a database.', { cause: error })
    case '42501':
      return new UserError(
        `PostgreSQL denies this to the role that the server uses: ${lackingRight(error)}`,
        {
          cause: error,
        },
      )
    default:
      return error
  }
}
