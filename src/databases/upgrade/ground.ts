// The state that a step of an upgrade works on: a database reached without a pooler, locked against other
// upgrades, its modules as this build has them.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable, UserError } from '../../errors.ts'
import type { Module } from '../../models/index.ts'
import { leftovers } from '../../models/install/install.ts'
import { fixedDefault } from '../../models/install/tasks.ts'
import type { Environment } from '../../models/language/environment.ts'
import type { Unit } from '../../models/language/unit.ts'
import { brokenRule, readColumns, readThings, withoutTrigrams } from '../../models/schema/apply.ts'
import { type Change, type Comparison, compare, type Rolling } from '../../models/schema/rolling.ts'
import { schemaOf } from '../../models/schema/tables.ts'
import { Connection, Pool, type ServerAddress, sqlState, withRetries } from '../../postgres/index.ts'
import { sql } from '../../sql/index.ts'
import type { Cluster } from '../clusters/clusters.ts'
import { withDependencies } from '../make.ts'
import type { Progress } from '../maker.ts'
import { noDatabase } from '../names.ts'
import { buildStateOf, type Standing } from '../release.ts'
import { systemUnit } from '../system-unit.ts'
import { buildOf } from './builds.ts'

export interface GroundOptions {
  readonly name: string
  readonly cluster: Cluster
  /** The server where announcements are made. */
  readonly main: ServerAddress
  /** All modules that this server knows. */
  readonly available: readonly Module[]
  readonly progress?: Progress | undefined
  /** Writes down what is done, in the transaction that does it. */
  readonly record?: ((unit: Unit, modules: readonly Module[]) => Promise<void>) | undefined
  /**
   * Modules are installed or removed: it waits for others who do so, and does not mind modules that this
   * server lacks.
   */
  readonly ofModules?: true
}

export interface Ground extends GroundOptions {
  readonly pool: Pool
  /** A separate session, outside of transactions. */
  readonly session: Connection
  readonly standing: Standing
  /** Installed modules and, but for changes of modules, those that they need by now. */
  readonly modules: readonly Module[]
  readonly build: string
  readonly notes: string[]
}

/** Milliseconds that others wait for a table while a statement waits for its lock, and attempts. */
const PATIENCE_MS = 800
const TRIES = 100
const PAUSE_MS = 300

const HOLD = "SELECT pg_try_advisory_lock(hashtextextended('comptoir upgrade', 0))"

/** Whether this session is the only process that changes the schema; `waits`: for others to be done. */
async function holds(session: Connection, waits: boolean): Promise<boolean> {
  for (let tried = 1; ; tried++) {
    const [held] = await session.query(HOLD)
    if (held?.[0] === true || !waits || tried >= TRIES) return held?.[0] === true
    await sleep(PAUSE_MS * (0.5 + Math.random()))
  }
}

/**
 * Runs `work` on a database, locked against other upgrades. Throws ServiceUnavailable if another one is
 * running.
 */
export async function withUpgradeLock<T>(
  options: GroundOptions,
  work: (ground: Ground) => Promise<T>,
): Promise<T> {
  const { name, cluster, available, ofModules } = options
  const way = { ...cluster.maker.pool, ...cluster.address, database: name, statementTimeout: 0 }
  const pool = new Pool({ ...way, max: 2 })
  let session: Connection | undefined
  try {
    session = await Connection.connect(way)
    if (!(await holds(session, ofModules === true)))
      throw new ServiceUnavailable('Another process is upgrading this database.', {
        retryAfter: 5,
        repeats: true,
      })
    const standing = await buildStateOf(pool, available).catch((error: unknown) => {
      throw sqlState(error) === '42P01' ? noDatabase() : error
    })
    if (!ofModules) assertNoneMissing(standing.missing)
    const installed = standing.installed.map((module) => module.name)
    const modules = ofModules ? standing.installed : withDependencies(available, installed)
    return await work({ ...options, pool, session, standing, modules, build: buildOf(modules), notes: [] })
  } catch (error) {
    throw sqlState(error) === '3D000' ? noDatabase() : error
  } finally {
    await session?.close()
    await pool.end()
  }
}

function assertNoneMissing(missing: readonly string[]): void {
  if (missing.length)
    throw new UserError(
      `This database has modules that this server lacks: ${missing.join(', ')}. Upgrade it with a server that has them (--addons).`,
    )
}

/**
 * One transaction as the system user with the models of this build, repeated after a serialization failure.
 */
export const inUnit = <T>({ pool, modules }: Ground, work: (env: Environment) => Promise<T>): Promise<T> =>
  withRetries(() => systemUnit(pool, modules, work), { attempts: 20 })

/** Compares the current schema with the required one. */
export const compared = (ground: Ground): Promise<{ comparison: Comparison; rolling: Rolling }> =>
  inUnit(ground, async (env) => {
    const { unit } = env
    const full = schemaOf(unit.registry)
    const schema = { ...full, things: await withoutTrigrams(unit, full.things) }
    const columns = await readColumns(unit)
    const defaults = new Map<string, string>()
    for (const model of unit.registry.models.values()) {
      const existingColumns = model.hasTable ? columns.get(model.table) : undefined
      for (const field of existingColumns ? model.fields.values() : []) {
        const value =
          field.column && !existingColumns?.has(field.name) ? await fixedDefault(env, field) : null
        if (value !== null) defaults.set(`${model.table}.${field.name}`, value)
      }
    }
    const comparison = {
      schema,
      columns,
      things: await readThings(unit),
      leftovers: await leftovers(env, schema),
      defaults,
    }
    return { comparison, rolling: compare(comparison) }
  })

/** Carries out changes one after the other; other calls wait for a table only a moment at a time. */
export async function applyChanges(
  ground: Ground,
  changes: readonly Change[],
  schema: Comparison['schema'],
): Promise<void> {
  for (const [i, change] of changes.entries()) {
    ground.progress?.(change.words, i / changes.length)
    try {
      await patiently(ground.session, change)
    } catch (error) {
      if (!change.otherwise) throw error
      for (const statement of change.otherwise.statements) await ground.session.simple(statement)
      const { words } = change.otherwise
      if (words === undefined || sqlState(error) !== '23514') throw await broken(ground, schema, error)
      ground.notes.push(words)
    }
  }
}

async function patiently(session: Connection, { statements, apart }: Change): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      if (!apart)
        return await session.simple(
          `BEGIN; SET LOCAL lock_timeout = ${PATIENCE_MS}; ${statements.join('; ')}; COMMIT`,
        )
      for (const statement of statements)
        await session.simple(`SET lock_timeout = 0`).then(() => session.simple(statement))
      return
    } catch (error) {
      // The error arrives before the state of its transaction.
      if (session.usable) await session.simple('ROLLBACK')
      if (!['55P03', '40P01'].includes(sqlState(error) ?? '') || tried >= TRIES) throw error
      await sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  }
}

/** Records that violate a new constraint, with its message. */
const broken = (ground: Ground, { things, foreignKeys }: Comparison['schema'], error: unknown) =>
  inUnit(ground, async ({ unit }) => brokenRule(unit, [...things, ...foreignKeys], error) ?? error)

/** Parameters that say how far an upgrade is. */
export async function factsOf(
  { pool }: Ground,
  keys: readonly string[],
): Promise<readonly (string | null)[]> {
  const { text, values } =
    sql`SELECT key, value FROM ir_config_parameter WHERE key = ANY(${[...keys]}::text[])`.compile()
  const rows = await pool.use((connection) => connection.query(text, values))
  const facts = new Map(rows.map(([key, value]) => [key as string, value as string]))
  return keys.map((key) => facts.get(key) ?? null)
}
