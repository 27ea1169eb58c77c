// Files of a database directory that belong into a base backup: those that PostgreSQL rewrites at each start
// are left out, as its manual lists them.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../../errors.ts'

/** The file that names the state of the others. */
export const CONTROL = 'global/pg_control'

/** Folders whose contents are of no use to another server. */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])

/** Files of one run of the server, or of a backup. */
const LEFT = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'backup_label',
  'backup_label.old',
  'tablespace_map',
  'tablespace_map.old',
  'backup_manifest',
  'current_logfiles',
  CONTROL,
])

export interface Found {
  /** From the database directory on. */
  readonly path: string
  readonly size: number
}

/** Folders and files of a database directory; its control file is not among them. Throws StartupError. */
export async function filesOf(pgdata: string): Promise<{ folders: string[]; files: Found[] }> {
  const folders: string[] = []
  const files: Found[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(pgdata, folder), { withFileTypes: true })) {
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (entry.isSymbolicLink() && folder === 'pg_tblspc')
        throw new StartupError('Tablespaces outside of the data directory are not backed up.')
      if (entry.isDirectory()) {
        if (entry.name.startsWith('pgsql_tmp')) continue
        folders.push(path)
        if (!EMPTIED.has(path)) await walk(path)
      } else if (entry.isSymbolicLink() && EMPTIED.has(path)) folders.push(path)
      else if (entry.isFile() && !isLeft(path, entry.name)) {
        const stats = await stat(join(pgdata, path)).catch(() => null)
        if (stats) files.push({ path, size: stats.size })
      }
    }
  }
  await walk('')
  return { folders, files }
}

const isLeft = (path: string, name: string): boolean =>
  LEFT.has(path) ||
  name.startsWith('pgsql_tmp') ||
  name.startsWith('pg_internal.init') ||
  name.endsWith('.new')
