// Restoring: a checked backup becomes a database under a name of its own, and gets the wanted name when it is whole.
import type { Environment, Module } from '../../models/index.ts'
import type { Admin } from '../../postgres/index.ts'
import { type ConnectionOptions, Copying, type PoolOptions, sqlState } from '../../postgres/index.ts'
import { sql } from '../../sql/index.ts'
import { publish, withDraft } from '../drafts.ts'
import { filesDirectory } from '../filestore.ts'
import { neutralize, renew } from '../renew.ts'
import { Meter, type Progress } from './meter.ts'
import { notOurs } from './script.ts'
import { type Backup, openBackup } from './upload.ts'

export interface RestoreOptions {
  /** The database gets an identity of its own, as the other one goes on existing. */
  readonly copy?: boolean
  readonly neutralize?: boolean
  readonly progress?: Progress
}

/** What is needed to make a database of a backup. */
export interface Place {
  readonly admin: Admin
  readonly pool: PoolOptions
  readonly modules: readonly Module[]
  readonly dataDir: string
}

/** Runs work in a transaction of a database, beside all rights, with the modules that are installed in it. */
type Within = (draft: string, work: (env: Environment) => Promise<void>) => Promise<void>

/** Restores the backup in a file. Throws UserError for what is no backup; nothing stays of a restore that fails. */
export async function restoreDatabase(place: Place, name: string, path: string, options: RestoreOptions, within: Within): Promise<void> {
  const { admin, dataDir, modules } = place
  const meter = new Meter(options.progress)
  const backup = await openBackup(path, meter)
  try {
    await withDraft(place, 'restore', async (draft) => {
      await admin.createDatabase(draft)
      await fill({ ...place.pool, database: draft }, backup)
      await within(draft, async (env) => {
        await makeAnew(env, modules)
        if (options.copy) await renew(env)
        if (options.neutralize) await neutralize(env, modules)
      })
      await backup.extractFiles(filesDirectory(dataDir, draft))
      await publish(place, draft, name)
    })
  } finally {
    backup.close()
  }
}

/** Runs the backup's statements, all or nothing. */
async function fill(address: ConnectionOptions, backup: Backup): Promise<void> {
  const connection = await Copying.connect(address)
  try {
    await connection.query('BEGIN')
    await backup.fill(connection)
    // A script of ours that holds no database of ours is found out here.
    await connection.query('SELECT version FROM rights_version')
    await connection.query('COMMIT')
    await connection.query('ANALYZE')
    await connection.close()
  } catch (error) {
    connection.destroy()
    // What PostgreSQL objects to in a script is the script's fault; a lost connection or a full disk is not.
    const state = sqlState(error)
    throw state && /^(22|23|42)/.test(state) ? Object.assign(notOurs(), { cause: error }) : error
  }
}

/** What modules make beside their tables, such as triggers: taken from the modules themselves. */
async function makeAnew(env: Environment, modules: readonly Module[]): Promise<void> {
  const installed = new Set(env.unit.registry.modules)
  const there = new Set((await env.query(sql`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace`)).flat())
  for (const { models } of modules.filter(({ name }) => installed.has(name))) {
    for (const { init, contract } of models) {
      const def = env.unit.registry.get(contract.name)
      // A backup of an older build lacks what an upgrade will bring.
      if (init && (!def?.hasTable || there.has(def.table))) await init(env)
    }
  }
}
