// One database of the server: its pool, its registry, and the rights that were read from it.

import { setImmediate as turn } from 'node:timers/promises'
import { Callers } from '../access/index.ts'
import { type ExtensionName, type Extensions, everyExtension } from '../config/index.ts'
import { DeclarationError } from '../errors.ts'
import { Wildcards } from '../kit/wildcards.ts'
import { renewFeed } from '../models/changes/tables.ts'
import type { Environment, Module } from '../models/index.ts'
import type { Registry } from '../models/language/definitions.ts'
import type { AuditRow } from '../models/language/outside.ts'
import { type ManualRows, manualRows, parseManualRows } from '../models/manual/rows.ts'
import { composeRegistry, recompose } from '../models/registry/registry.ts'
import { unrestricted } from '../models/rights/unrestricted.ts'
import { versionColumn } from '../models/rights/version.ts'
import { environmentOf } from '../models/unit/environment.ts'
import { SYSTEM } from '../models/unit/system.ts'
import { UnitOfWork } from '../models/unit/unit.ts'
import { Pool, type PoolOptions, sqlState } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'
import { type Filestore, tryLockFiles } from './filestore.ts'
import { isGone, noDatabase } from './names.ts'

/** Registries by the modules they hold: databases with the same modules share one. */
const registries = new Map<string, Registry>()

/** The registry of a list of installed modules, in the order of `known`. */
export function registryOf(known: readonly Module[], installed: ReadonlySet<string>): Registry {
  const modules = known.filter((module) => installed.has(module.name))
  const key = modules.map((module) => `${module.name} ${module.version}`).join()
  let registry = registries.get(key)
  if (!registry) {
    registry = composeRegistry(modules)
    registries.set(key, registry)
  }
  return registry
}

/**
 * Another database stands under the name by now. Never reaches a client: the database is opened anew and the
 * call repeated.
 */
export class ReplacedDatabase extends Error {
  constructor() {
    super('Another database stands under this name by now.')
    this.name = 'ReplacedDatabase'
  }
}

/** What a database is given beside its rows. */
interface Surroundings {
  readonly files: Filestore
  /** What the server offers beyond the documented API; all of it by default. */
  readonly extensions?: Extensions | undefined
}

export class Database {
  readonly name: string
  readonly callers: Callers
  readonly pool: Pool
  /** Contents of attachments. */
  readonly files: Filestore
  /** Hears of what is written to the database's audit log, once it is committed. */
  tell: ((row: AuditRow) => void) | null = null
  /** Told of changes that this process committed; null where changes are not told. */
  get changed(): (() => void) | null {
    return this.offers('changes') ? this.#changed : null
  }

  readonly #changed = (): void => this.wake?.()
  /** Wakes those who follow the changes of this database. */
  wake: (() => void) | null = null
  /** Called when another database stands under the name. */
  replaced: (() => void) | null = null
  #lane: Promise<void> = Promise.resolve()
  readonly #turns = new Map<string, Promise<void>>()
  /** Calls in flight. */
  #calls = 0
  #quiet: PromiseWithResolvers<void> | undefined
  readonly #modules: readonly Module[]
  readonly #extensions: Extensions
  #known: Known

  private constructor(
    name: string,
    pool: Pool,
    modules: readonly Module[],
    known: Known,
    { files, extensions = everyExtension }: Surroundings,
  ) {
    this.name = name
    this.pool = pool
    this.#modules = modules
    this.#extensions = extensions
    this.#known = known
    this.files = files
    this.callers = new Callers(this)
  }

  /** Opens a database of ours. Throws NotFound for one that is not there or not made by Comptoir. */
  static async open(
    name: string,
    options: PoolOptions,
    modules: readonly Module[],
    surroundings: Surroundings,
  ): Promise<Database> {
    const pool = new Pool({ ...options, database: name })
    try {
      const known = await readKnown(pool, modules)
      if (known.hasTables) await keepFeed(pool, surroundings.extensions?.has('changes') ?? true)
      return new Database(name, pool, modules, known, surroundings)
    } catch (error) {
      await pool.end()
      throw isGone(error) || sqlState(error) === '42P01' ? noDatabase() : error
    }
  }

  get registry(): Registry {
    return this.#known.registry
  }

  /**
   * Whether calls such as `sale.order/create` need an idempotency key: the parameter
   * `comptoir.idempotency_required` says so.
   */
  wantsKey(call: string): boolean {
    return this.offers('idempotency') && this.#known.keyed.matches(call)
  }

  get narrowsKeys(): boolean {
    return this.#extensions.has('scopes')
  }

  /** Whether a part of what lies beyond the documented API is there. */
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
   * Reads anew which modules are installed, and which models and fields were made over the API. Throws
   * ReplacedDatabase when another database stands under this name by now.
   */
  async refresh(): Promise<void> {
    const known = await readKnown(this.pool, this.#modules, this.#known)
    if (known.identity !== this.#known.identity) {
      this.replaced?.()
      throw new ReplacedDatabase()
    }
    // Of two that read at a time the earlier state may come last: the next call sees that it is another than
    // its own.
    this.#known = known
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
   * Runs work after all that was given before: repeated calls queue here, so that they do not lose against
   * each other again.
   */
  inLane<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#lane.then(work)
    this.#lane = run.then(
      () => undefined,
      () => undefined,
    )
    return run
  }

  /**
   * Runs work after all that was given before about any of the same things. One call of a process waits in
   * PostgreSQL, for those of others.
   */
  inTurn<T>(turns: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = turns.flatMap((one) => this.#turns.get(one) ?? [])
    const run = Promise.all(before).then(work)
    const end = run.then(
      () => undefined,
      () => undefined,
    )
    for (const one of turns) this.#turns.set(one, end)
    void end.then(() => {
      for (const one of turns) if (this.#turns.get(one) === end) this.#turns.delete(one)
    })
    return run
  }

  /**
   * A call begins: whoever closes the database waits until it `leave`s, for it may want several connections
   * one after the other.
   */
  enter(): void {
    this.#calls++
  }

  leave(): void {
    if (--this.#calls === 0) this.#quiet?.resolve()
  }

  /** Keeps no connection any more; whoever has the database may go on with it. */
  async retire(): Promise<void> {
    await this.callers.settle()
    this.pool.retire()
  }

  /** Closes it once the calls in flight have ended; nobody may begin another. */
  async close(): Promise<void> {
    // Who was given the database in this turn has not come to `enter` yet.
    await turn()
    if (this.#calls > 0) {
      this.#quiet ??= Promise.withResolvers()
      await this.#quiet.promise
    }
    await this.callers.settle()
    await this.pool.end()
  }
}

/**
 * A server that writes no changes leaves a hole in the feed: it says so, and who goes on with it gives it
 * another identity.
 */
async function keepFeed(pool: Pool, keeps: boolean): Promise<void> {
  const [row] = await pool.use((connection) => connection.query('SELECT kept FROM comptoir_feed'))
  if (!row || row[0] === keeps) return
  await pool.use((connection) =>
    connection.query(keeps ? renewFeed : 'UPDATE comptoir_feed SET kept = FALSE'),
  )
}

/** The models of a database as of one version of its rights. */
interface Known {
  readonly version: string
  /** PostgreSQL's own number of the database: names go from one to another. */
  readonly identity: number
  readonly registry: Registry
  /** Installed modules and rows of made models, as text: the same text means the same registry. */
  readonly text: string
  /** Calls that need an idempotency key, as `model/method`. */
  readonly keyed: Wildcards
  /**
   * Whether it has the tables of what is offered beyond the documented API: a database of an earlier build
   * has none until it is upgraded.
   */
  readonly hasTables: boolean
}

const knownQuery =
  sql`SELECT (SELECT ${versionColumn} FROM rights_version), (SELECT oid::int8::float8 FROM pg_database WHERE datname = current_database()),
  ARRAY(SELECT name FROM ir_module_module WHERE state = 'installed' ORDER BY name), ${manualRows},
  (SELECT value FROM ir_config_parameter WHERE key = 'comptoir.idempotency_required'), to_regclass('comptoir_feed') IS NOT NULL`.compile()

async function readKnown(pool: Pool, modules: readonly Module[], before?: Known): Promise<Known> {
  const [row] = await pool.use((connection) => connection.query(knownQuery.text, knownQuery.values))
  const [version, identity, installed, made, keyed, hasTables] = row as [
    string,
    number,
    string[],
    string,
    string | null,
    boolean,
  ]
  const text = `${installed.join()} ${made}`
  const facts = { version, identity, text, keyed: new Wildcards(keyed ?? ''), hasTables }
  if (before?.text === text) return { ...facts, registry: before.registry }
  const declared = registryOf(modules, new Set(installed))
  return { ...facts, registry: withMade(declared, parseManualRows(made)) }
}

/**
 * Made models that no longer fit the modules must not lock everybody out: they stay in their tables, unseen.
 */
function withMade(declared: Registry, rows: ManualRows): Registry {
  if (rows.models.length === 0 && rows.fields.length === 0 && rows.precisions.length === 0) return declared
  try {
    return recompose(declared, rows)
  } catch (error) {
    if (error instanceof DeclarationError) {
      process.emitWarning(
        `Models made through the API do not fit the installed modules and are left out: ${error.message}`,
      )
      return declared
    }
    throw error
  }
}

/**
 * One transaction of the server's own, as the system user beside all rights, in a database with `modules`.
 */
export async function systemUnit<T>(
  pool: Pool,
  modules: readonly Module[],
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  return unitOf(pool, registryOf(modules, new Set(modules.map((module) => module.name))), work)
}

async function unitOf<T>(
  pool: Pool,
  registry: Registry,
  work: (env: Environment) => Promise<T>,
  files?: Filestore,
  changed?: (() => void) | null,
): Promise<T> {
  const unit = new UnitOfWork(pool, registry, unrestricted, {
    readonly: false,
    patient: true,
    changed: changed ?? null,
    ...(files ? { files } : {}),
  })
  try {
    const env = environmentOf(unit, SYSTEM, { active_test: false }, true)
    const result = await work(env)
    await unit.registry.engine.flush(env)
    await unit.commit()
    return result
  } catch (error) {
    throw await unit.abandon(error)
  }
}
