// Restoring: a checked backup becomes a database under a temporary name, and gets its name when it is
// complete.
import type { Environment, Module } from '../../models/index.ts'
import { applyDictionaries } from '../../models/schema/tables.ts'
import {
  type Admin,
  analyzeLarge,
  type ConnectionOptions,
  Copying,
  type Login,
  type PoolOptions,
  sqlState,
  withRestoreRole,
} from '../../postgres/index.ts'
import { sql } from '../../sql/index.ts'
import type { Contents } from '../contents/contents.ts'
import { publish, withDraft } from '../drafts.ts'
import { assertKnown, upgradeUnused } from '../release.ts'
import { forgetPassing, neutralize, renew } from '../renew.ts'
import { Meter, type Progress } from './meter.ts'
import { foreignScriptError, refusedContent, Script } from './script.ts'
import { type Backup, openBackup } from './upload.ts'

export interface RestoreOptions {
  /** The database gets an identity of its own, as the original stays in use. */
  readonly copy?: boolean
  readonly neutralize?: boolean
  /** Restore even though modules of the backup are not here; their data stays, unused. */
  readonly ignoreMissing?: boolean
  /** Cluster of the new database; by default the one for new databases. */
  readonly cluster?: string | undefined
  readonly progress?: Progress
}

/** Result of a restore. */
export interface Restored {
  /** Another build made it: tables and data were brought up to date. */
  readonly upgraded: boolean
  /** Modules that it had and this server has not. */
  readonly without: readonly string[]
}

/** Surroundings that a restore needs to make a database. */
export interface Place {
  readonly admin: Admin
  readonly pool: PoolOptions
  readonly restorer: Login | null
  readonly modules: readonly Module[]
  readonly dataDir: string
  readonly files: Contents
  readonly claim: (name: string, work: () => Promise<void>) => Promise<void>
}

/**
 * Runs work in a transaction of a database, without checks of rights, with the modules that are installed in
 * it.
 */
type Within = (draft: string, work: (env: Environment) => Promise<void>) => Promise<void>

/**
 * Restores the backup in a file; one that another build made is brought up to date. Throws UserError for what
 * is no backup, for one of a later release and for one that needs modules which are not here, ValidationError
 * where its records break a rule that is new; nothing stays of a restore that fails.
 */
export async function restoreDatabase(
  place: Place,
  name: string,
  path: string,
  options: RestoreOptions,
  within: Within,
): Promise<Restored> {
  const { admin, files, modules } = place
  const { ignoreMissing = false } = options
  const meter = new Meter(options.progress)
  const backup = await openBackup(path, meter)
  try {
    if (!ignoreMissing)
      assertKnown(backup.modules.filter((needed) => !modules.some((module) => module.name === needed)))
    return await withDraft(place, 'restore', async (draft) => {
      await admin.createDatabase(draft)
      const address = { ...place.pool, database: draft }
      const views = await filled(place, draft, backup)
      const { older, missing } = await asBackupError(async () => {
        const standing = await upgradeUnused(address, modules, { ignoreMissing, progress: upgrading(meter) })
        await within(draft, async (env) => {
          if (!standing.older) await recreateModuleObjects(env, modules)
          if (!ignoreMissing) await assertViews(env, views)
          await forgetPassing(env)
          if (options.copy) await renew(env)
          if (options.neutralize) await neutralize(env, modules)
        })
        return standing
      })
      await backup.extractFiles(files.of(draft))
      await publish(place, draft, name)
      return { upgraded: older, without: missing }
    })
  } finally {
    backup.close()
  }
}

/** Progress of the upgrade of an older backup; it takes about as long as reading one of a few megabytes. */
function upgrading(meter: Meter): Progress {
  let tell: Progress | undefined
  return (step, done) => {
    tell ??= meter.part(0.25)
    tell(`upgrading ${step}`, done)
  }
}

/** One row for a database of Comptoir: its version of rights, and the module that all others need. */
const OURS =
  "SELECT (SELECT version::bigint FROM rights_version) FROM ir_module_module WHERE name = 'base' AND state = 'installed'"

/**
 * Runs the backup's statements in the draft, as a role that can do no harm elsewhere. Gives the names of its
 * views, which are the modules' to make.
 */
async function filled(place: Place, draft: string, backup: Backup): Promise<readonly string[]> {
  let views: readonly string[] = []
  await withRestoreRole(place, draft, async (address) => {
    views = await fill(address, backup)
  })
  return views
}

/** Runs the backup's statements, all or nothing. */
async function fill(address: ConnectionOptions, backup: Backup): Promise<readonly string[]> {
  const connection = await Copying.connect(address)
  try {
    const script = await Script.begin(connection)
    await asBackupError(async () => {
      await connection.query('BEGIN')
      await backup.fill(script)
      // Detects a script of Comptoir's format that does not hold a Comptoir database.
      const [row] = await connection.query(OURS)
      if (row?.[0] == null) throw foreignScriptError()
      await connection.query('COMMIT')
      await analyzeLarge((text) => connection.query(text))
    })
    await connection.close()
    return script.views
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/**
 * Throws UserError when the backup had a view that no module created: a file does not show what a view reads.
 */
async function assertViews(env: Environment, views: readonly string[]): Promise<void> {
  const rows = await env.query(
    sql`SELECT v FROM unnest(${[...views]}::text[]) AS v WHERE NOT EXISTS (SELECT FROM pg_views WHERE schemaname = 'public' AND viewname = v) LIMIT 1`,
  )
  if (rows[0])
    throw refusedContent(`the view ${String(rows[0][0]).slice(0, 63)}, which none of the modules here makes`)
}

/**
 * Codes of what PostgreSQL has against statements and values, the broken message of a statement that holds a
 * NUL among them.
 */
const OBJECTIONS = /^(08P01|0A|20|21|22|23|2B|3F|42|54)/

/**
 * Runs work on the contents of a backup. Errors that PostgreSQL reports for them are the backup's fault
 * (UserError); a lost connection or a full disk is not.
 */
async function asBackupError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const state = sqlState(error)
    throw state && OBJECTIONS.test(state) ? Object.assign(foreignScriptError(), { cause: error }) : error
  }
}

/**
 * Creates what modules add to their tables, such as triggers: taken from the modules, not from the backup.
 */
async function recreateModuleObjects(env: Environment, modules: readonly Module[]): Promise<void> {
  const installed = new Set(env.unit.registry.modules)
  for (const { models } of modules.filter(({ name }) => installed.has(name)))
    for (const { init } of models) if (init) await init(env)
  await applyDictionaries(env.unit, env.unit.registry)
}
