// Restoring: a checked backup becomes a database under a name of its own, and gets the wanted name when it is whole.
import type { Environment, Module } from '../../models/index.ts'
import type { Admin } from '../../postgres/index.ts'
import { type ConnectionOptions, Copying, Pool, type PoolOptions, sqlState } from '../../postgres/index.ts'
import { systemUnit } from '../database.ts'
import { publish, withDraft } from '../drafts.ts'
import { filesDirectory } from '../filestore.ts'
import { neutralize, renew } from '../renew.ts'
import { notOurs, runScript } from './script.ts'
import { type Backup, openBackup } from './upload.ts'

export interface RestoreOptions {
  /** The database gets an identity of its own, as the other one goes on existing. */
  readonly copy?: boolean
  readonly neutralize?: boolean
}

/** What is needed to make a database of a backup. */
export interface Place {
  readonly admin: Admin
  readonly pool: PoolOptions
  readonly modules: readonly Module[]
  readonly dataDir: string
}

/** Restores the backup in a file. Throws UserError for what is no backup; nothing stays of a restore that fails. */
export async function restoreDatabase(place: Place, name: string, path: string, options: RestoreOptions): Promise<void> {
  const { admin, dataDir } = place
  const backup = await openBackup(path)
  try {
    await withDraft(place, 'restore', async (draft) => {
      await admin.createDatabase(draft)
      await fill({ ...place.pool, database: draft }, backup)
      await makeOwn(place, draft, options)
      await backup.extractFiles(filesDirectory(dataDir, draft))
      await publish(place, draft, name)
    })
  } finally {
    backup.close()
  }
}

/** Runs the backup's script, all or nothing. */
async function fill(address: ConnectionOptions, backup: Backup): Promise<void> {
  const connection = await Copying.connect(address)
  try {
    await connection.query('BEGIN')
    await runScript(connection, await backup.script())
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

async function makeOwn(place: Place, draft: string, options: RestoreOptions): Promise<void> {
  if (!options.copy && !options.neutralize) return
  const pool = new Pool({ ...place.pool, database: draft, max: 1 })
  try {
    await systemUnit(pool, place.modules, async (env: Environment) => {
      if (options.copy) await renew(env)
      if (options.neutralize) await neutralize(env)
    })
  } finally {
    await pool.end()
  }
}
