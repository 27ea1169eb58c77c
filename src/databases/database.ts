// One database of the server: its pool, its registry, and the rights that were read from it.
import { setImmediate as turn } from 'node:timers/promises'
import { Callers } from '../access/index.ts'
import { type ExtensionName, type Extensions, everyExtension } from '../config/index.ts'
import { renewFeed } from '../models/changes/tables.ts'
import type { Environment, Module } from '../models/index.ts'
import type { Registry } from '../models/language/definitions.ts'
import type { AuditRow } from '../models/language/outside.ts'
import { Pool, type PoolOptions, Replica, type ReplicaOptions, SYSTEM, sqlState } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'
import { CallQueues } from './call-queues.ts'
import type { DatabaseFiles } from './contents/contents.ts'
import { type DatabaseState, readDatabaseState } from './database-state.ts'
import { tryLockFiles } from './filestore.ts'
import { MoveGate } from './move-gate.ts'
import { isGone, noDatabase } from './names.ts'
import { unitOf } from './system-unit.ts'

/**
 * The name belongs to another database by now. Never reaches a client: the database is opened again and the
 * call repeated.
 */
export class ReplacedDatabase extends Error {
  constructor() {
    super('Another database now has this name.')
    this.name = 'ReplacedDatabase'
  }
}

/** Parts of the server that a database needs. */
interface Surroundings {
  readonly files: DatabaseFiles
  /** A server that follows the one of the pool. */
  readonly replica?: ReplicaOptions | null
  /** Extensions of the documented API; by default all. */
  readonly extensions?: Extensions | undefined
}

export class Database {
  readonly name: string
  readonly callers: Callers
  readonly pool: Pool
  /** Server for calls that only read; null if there is no replica. */
  readonly replica: Replica | null
  /** Contents of attachments. */
  readonly files: DatabaseFiles
  readonly lanes = new CallQueues()
  /** Changes of the database wait here while it is moved. */
  readonly gate = new MoveGate()
  /** Called with each entry of the database's audit log, once it is committed. */
  tell: ((row: AuditRow) => void) | null = null
  /** Called after this process committed changes; null if changes are not announced. */
  get changed(): (() => void) | null {
    return this.offers('changes') ? this.#changed : null
  }

  readonly #changed = (): void => this.wake?.()
  /** Wakes followers of this database's changes. */
  wake: (() => void) | null = null
  /** Ends what shows that this process serves the database. */
  left: (() => void) | null = null
  /** Called when another database stands under the name. */
  replaced: (() => void) | null = null
  /** Calls in flight. */
  #calls = 0
  #quiet: PromiseWithResolvers<void> | undefined
  readonly #modules: readonly Module[]
  readonly #extensions: Extensions
  #known: DatabaseState

  private constructor(
    name: string,
    pool: Pool,
    modules: readonly Module[],
    state: DatabaseState,
    { files, extensions = everyExtension }: Surroundings,
    replica: Replica | null,
  ) {
    this.name = name
    this.pool = pool
    this.#modules = modules
    this.#extensions = extensions
    this.#known = state
    this.files = files
    this.replica = replica
    this.callers = new Callers(this)
  }

  /** Opens a database of Comptoir. Throws NotFound if it is missing or was not created by Comptoir. */
  static async open(
    name: string,
    options: PoolOptions,
    modules: readonly Module[],
    surroundings: Surroundings,
  ): Promise<Database> {
    const pool = new Pool({ ...options, database: name })
    try {
      const state = await readDatabaseState(pool, modules)
      if (state.hasTables) await keepFeed(pool, surroundings.extensions?.has('changes') ?? true)
      const replica = await replicaOf(pool, { ...options, database: name }, surroundings.replica ?? null)
      return new Database(name, pool, modules, state, surroundings, replica)
    } catch (error) {
      await pool.end()
      throw isGone(error) || sqlState(error) === '42P01' ? noDatabase() : error
    }
  }

  get registry(): Registry {
    return this.#known.registry
  }

  /**
   * Whether calls such as `sale.order/create` need an idempotency key, by the parameter
   * `comptoir.idempotency_required`.
   */
  wantsKey(call: string): boolean {
    return this.offers('idempotency') && this.#known.keyed.matches(call)
  }

  /** This build, as the database tells builds apart. */
  get build(): string {
    return this.#known.build
  }

  /** Whether an upgrade under way leads to another build: there may be models that this one does not know. */
  get isOutgoing(): boolean {
    const { expanded, build } = this.#known
    return expanded !== null && expanded !== build
  }

  get narrowsKeys(): boolean {
    return this.#extensions.has('scopes')
  }

  /** Whether an extension of the documented API is on. */
  offers(name: ExtensionName): boolean {
    return this.#known.hasTables && this.#extensions.has(name)
  }

  /**
   * Whether models may have changed since they were read: rights of another version, which every change of
   * models raises too, were seen.
   */
  isBehind(version: string): boolean {
    return version !== this.#known.version
  }

  /**
   * Reads the installed modules, and the custom models and fields, again. Throws ReplacedDatabase when the
   * name belongs to another database by now.
   */
  async refresh(): Promise<void> {
    const state = await readDatabaseState(this.pool, this.#modules, this.#known)
    if (state.identity !== this.#known.identity) {
      this.replaced?.()
      throw new ReplacedDatabase()
    }
    // Of two that read at a time the earlier state may come last: the next call sees that it is another than
    // its own.
    this.#known = state
  }

  /** One transaction of the server's own. */
  system<T>(work: (env: Environment) => Promise<T>): Promise<T> {
    return unitOf(this.pool, this.registry, work, this.files, this.changed)
  }

  /** Removes files that no attachment refers to any more; gives their number, 0 while a backup reads them. */
  collectFiles(graceMs?: number): Promise<number> {
    return this.pool.use(async (connection) => {
      await connection.simple('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
      try {
        const [row] = await connection.query(tryLockFiles)
        return row?.[0] === true ? await this.#collect(graceMs) : 0
      } finally {
        await connection.simple('ROLLBACK')
      }
    })
  }

  #collect(graceMs?: number): Promise<number> {
    return this.files.collect(async (keys) => {
      const { text, values } =
        sql`SELECT store_fname FROM ir_attachment WHERE store_fname = ANY(${[...keys]}::text[])`.compile()
      const rows = await this.pool.use((connection) => connection.query(text, values))
      return new Set(rows.map((row) => row[0] as string))
    }, graceMs)
  }

  /**
   * Begins a call: closing the database waits until its `leave`, as it may need several connections one after
   * the other.
   */
  enter(): void {
    this.#calls++
  }

  leave(): void {
    if (--this.#calls === 0) this.#quiet?.resolve()
  }

  /** Keeps no connections any more; calls that have the database may go on with it. */
  async retire(): Promise<void> {
    this.gate.open()
    this.left?.()
    await this.callers.settle()
    this.pool.retire()
    this.replica?.pool.retire()
  }

  /** Closes it once the calls in flight have ended; no further call may begin. */
  async close(): Promise<void> {
    // A caller that got the database in this turn has not called `enter` yet.
    await turn()
    if (this.#calls > 0) {
      this.#quiet ??= Promise.withResolvers()
      await this.#quiet.promise
    }
    this.left?.()
    await this.callers.settle()
    await this.replica?.pool.end()
    await this.pool.end()
  }
}

/** The replica of the server that a pool leads to. */
async function replicaOf(pool: Pool, options: PoolOptions, replica: ReplicaOptions | null) {
  if (!replica) return null
  const [row] = await pool.use((connection) => connection.query(`SELECT ${SYSTEM}`))
  return new Replica(String(row?.[0]), options, replica)
}

/**
 * A server that records no changes leaves a gap in the feed: it notes that, and the next server that records
 * them gives the feed a new identity.
 */
async function keepFeed(pool: Pool, keeps: boolean): Promise<void> {
  const [row] = await pool.use((connection) => connection.query('SELECT kept FROM comptoir_feed'))
  if (!row || row[0] === keeps) return
  await pool.use((connection) =>
    connection.query(keeps ? renewFeed : 'UPDATE comptoir_feed SET kept = FALSE'),
  )
}
