// Cleans up data directories that exist only for speed, such as those of tests: they hold no data of users,
// so they may be removed.
import { existsSync } from 'node:fs'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withClusterLock } from './cluster.ts'
import { FileLock, lockPath } from './lock.ts'
import { isServer, readPidFile } from './pid.ts'
import { findPlace } from './place.ts'
import { stopServer } from './postmaster.ts'
import { read } from './server-file.ts'

/**
 * Removes the database files of a directory whose server neither runs nor was stopped in order: without
 * syncing to disk, a crash of the machine may have damaged them. A directory in use is left unchanged.
 */
export async function clearUnclean(dataDir: string): Promise<void> {
  await whenUnused(dataDir, async (folder) => {
    const pgdata = read(folder)?.pgdata
    const noted = pgdata === undefined ? undefined : readPidFile(pgdata)
    if (pgdata === undefined || !noted || isServer(noted.pid, pgdata)) return
    await rm(pgdata, { recursive: true, force: true })
    await rm(join(folder, 'postgres.json'), { force: true })
  })
}

/**
 * Removes a whole data directory with its database files, and stops an unused server; one in use stays as it
 * is.
 */
export async function removeUnused(dataDir: string): Promise<void> {
  await whenUnused(dataDir, async (folder) => {
    const pgdata = read(folder)?.pgdata
    if (pgdata !== undefined) {
      const running = readPidFile(pgdata)
      if (running) await stopServer(await findPlace(pgdata), running.pid)
      await rm(pgdata, { recursive: true, force: true })
    }
    await rm(join(folder, 'postgres.json'), { force: true })
  })
  const unused = existsSync(dataDir) && !existsSync(join(dataDir, 'postgres.json'))
  if (unused) await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
}

async function whenUnused(dataDir: string, work: (folder: string) => Promise<void>): Promise<void> {
  if (!existsSync(dataDir)) return
  const folder = await realpath(dataDir)
  await withClusterLock(folder, async () => {
    const users = new FileLock(lockPath(folder, 'users'))
    if (!users.tryExclusive()) return
    try {
      await work(folder)
    } finally {
      users.release()
    }
  })
}
