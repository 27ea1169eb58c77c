// Which build of Comptoir a database was last brought up to date by, and bringing up to date one that another
// build made.
import { UserError } from '../errors.ts'
import type { Module } from '../models/index.ts'
import { install } from '../models/install/install.ts'
import type { Unit } from '../models/language/unit.ts'
import { schemaOf } from '../models/schema/tables.ts'
import { Pool, type PoolOptions } from '../postgres/index.ts'
import { quote, raw, sql } from '../sql/index.ts'
import { buildId } from './build-id.ts'
import { registryOf } from './database-state.ts'
import { markInstalled, markRelease, RELEASE } from './modules.ts'
import { systemUnit } from './system-unit.ts'
import { buildOf, EXPANDED, UNFINISHED } from './upgrade/builds.ts'

/** The state of a database compared to the modules of this server. */
export interface Standing {
  /** Modules that are installed in it and known here, in order. */
  readonly installed: readonly Module[]
  /** Names of modules that are installed in it and not known here. */
  readonly missing: readonly string[]
  /** Whether another build made it. */
  readonly older: boolean
}

const standingQuery = sql`SELECT name, latest_version, (SELECT value FROM ir_config_parameter WHERE key = ${RELEASE})
  FROM ir_module_module WHERE state = 'installed' ORDER BY name`

/** Reads the state of a database. Throws UserError for one of a later release: there is no downgrade. */
export async function buildStateOf(pool: Pool, modules: readonly Module[]): Promise<Standing> {
  const { text, values } = standingQuery.compile()
  const rows = (await pool.use((connection) => connection.query(text, values))) as [
    string,
    string | null,
    string | null,
  ][]
  const versions = new Map(rows.map(([name, version]) => [name, version]))
  const installed = modules.filter(({ name }) => versions.has(name))
  const later = installed
    .filter(({ name, version }) => isLater(versions.get(name), version))
    .map(({ name }) => name)
  if (later.length)
    throw new UserError(
      `This database comes from a later release (${later.join(', ')}). Update this server first.`,
    )
  return {
    installed,
    missing: rows.map(([name]) => name).filter((name) => !modules.some((module) => module.name === name)),
    older:
      rows[0]?.[2] !== buildId() || installed.some(({ name, version }) => versions.get(name) !== version),
  }
}

/** Advice to the administrator about a database of another build, or null. */
export async function adviceOn(name: string, pool: Pool, modules: readonly Module[]): Promise<string | null> {
  try {
    const { older, installed } = await buildStateOf(pool, modules)
    const unfinished = await factOf(pool, UNFINISHED)
    if (unfinished)
      return `Database ${name}: a change of modules is unfinished (${unfinished.replace(' ', ': ')}). If no process is working on it, complete it with: comptoir module upgrade --database ${name}`
    if (!older) return null
    const expanded = await expandedFor(pool)
    if (expanded === buildOf(installed))
      return `Database ${name} has been expanded for this build, but its upgrade is unfinished. Stop the nodes of the previous build, and run: comptoir module upgrade --step contract --database ${name}`
    return expanded
      ? `Database ${name} is being upgraded to another build (${expanded}). Start that build instead.`
      : `Database ${name} was last brought up to date by another build. Stop the server and run: comptoir module upgrade --database ${name}`
  } catch (error) {
    if (error instanceof UserError) return `Database ${name}: ${error.message}`
    throw error
  }
}

/**
 * Whether an earlier build made it, and it has not been expanded for this one yet. Throws UserError for one
 * of a later release.
 */
export async function awaitsUpgrade(pool: Pool, modules: readonly Module[]): Promise<boolean> {
  const { older, installed } = await buildStateOf(pool, modules)
  return older && (await expandedFor(pool)) !== buildOf(installed)
}

const expandedFor = (pool: Pool): Promise<string | null> => factOf(pool, EXPANDED)

async function factOf(pool: Pool, key: string): Promise<string | null> {
  const { text, values } = sql`SELECT value FROM ir_config_parameter WHERE key = ${key}`.compile()
  const [row] = await pool.use((connection) => connection.query(text, values))
  return (row?.[0] ?? null) as string | null
}

/** Whether a version comes after another: numbers between dots, compared one by one. */
export function isLater(version: string | null | undefined, than: string): boolean {
  const numbers = (text: string) => text.split('.').map((part) => Number.parseInt(part, 10) || 0)
  const [versionNumbers, other] = [numbers(version ?? ''), numbers(than)]
  for (let i = 0; i < Math.max(versionNumbers.length, other.length); i++) {
    const difference = (versionNumbers[i] ?? 0) - (other[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

/** Throws UserError that names the modules which a database needs and this server does not have. */
export function assertKnown(names: readonly string[]): void {
  if (names.length === 0) return
  const [them, it] = names.length === 1 ? ['it', 'its'] : ['them', 'their']
  throw new UserError(
    `This backup needs ${names.length === 1 ? 'a module' : 'modules'} that this server does not have: ${names.join(', ')}. Start the server with ${them} (--addons), ` +
      `or restore with \`comptoir db restore --ignore-missing-modules\`, which leaves ${it} data unused.`,
  )
}

export interface RenewalOptions {
  /** Go on without modules that are not here. */
  readonly ignoreMissing: boolean
  readonly progress: (step: string, done: number) => void
}

/**
 * Upgrades an unused database of another build; returns its state before. Throws UserError for one of a later
 * release, and for one with missing modules unless they may be ignored, ValidationError if records violate a
 * new constraint.
 */
export async function upgradeUnused(
  options: PoolOptions,
  modules: readonly Module[],
  { ignoreMissing, progress }: RenewalOptions,
): Promise<Standing> {
  const pool = new Pool({ ...options, max: 1, statementTimeout: 0 })
  try {
    const standing = await buildStateOf(pool, modules)
    if (!ignoreMissing) assertKnown(standing.missing)
    const { installed, missing, older } = standing
    if (older || missing.length)
      await systemUnit(pool, installed, async ({ unit }) => {
        if (older) await install(unit, { modules: installed, fresh: false, progress })
        if (missing.length) await freeColumns(unit, installed)
        await markInstalled(unit, modules, installed)
        await markRelease(unit)
        await unit.query(sql`UPDATE rights_version SET version = version + 1`)
      })
    return standing
  } finally {
    await pool.end()
  }
}

/** Makes columns optional that missing modules added to tables of others: no module fills them. */
async function freeColumns(unit: Unit, installed: readonly Module[]): Promise<void> {
  const { tables } = schemaOf(registryOf(installed, new Set(installed.map(({ name }) => name))))
  const knownColumns = new Map(
    tables.map(({ name, columns }) => [name, new Set(['id', ...columns.map((column) => column.name)])]),
  )
  const rows =
    await unit.query(sql`SELECT c.relname::text, a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef
      AND a.attidentity = '' ORDER BY 1, 2`)
  for (const [table, column] of rows as readonly (readonly [string, string])[]) {
    const columns = knownColumns.get(table)
    if (columns && !columns.has(column))
      await unit.query(raw(`ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(column)} DROP NOT NULL`))
  }
}
