// The folder of backups that the embedded server archives into: `wal/` (PostgreSQL's log, a file a segment),
// `base/` (copies of the database files, a folder each), `files/` (contents of attachments), `backup.json`.
import { chown, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../../errors.ts'
import { codeOf } from '../../../kit/caught.ts'
import { canReach, isRoot } from '../account.ts'
import { FileLock } from '../lock.ts'
import type { Place } from '../place.ts'

/** The archive of a server, and the most seconds that a segment of its log is filled. */
export interface Archive {
  readonly folder: string
  readonly seconds: number
}

/** A requested archive: without seconds the stored value or the default is used. */
export interface WantedArchive {
  readonly folder: string
  readonly seconds?: number | undefined
}

/** Default seconds of an archive. */
export const USUAL_SECONDS = 60

export const walIn = (folder: string): string => join(folder, 'wal')
export const basesIn = (folder: string): string => join(folder, 'base')
export const contentsIn = (folder: string): string => join(folder, 'files')

/**
 * Makes the folder ready for the server of these database files. Throws StartupError for a folder that holds
 * another server's backups, or that the server's account cannot enter.
 */
export async function prepareFolder(folder: string, place: Place): Promise<void> {
  if (process.platform === 'win32')
    throw new StartupError('--backup-dir needs Linux or macOS. Use `comptoir db backup` here.')
  if (/[\r\n]/.test(folder)) throw new StartupError('--backup-dir must be a path of one line.')
  await mkdir(folder, { recursive: true, mode: isRoot() ? 0o711 : 0o700 })
  for (const path of [walIn(folder), basesIn(folder), contentsIn(folder)])
    await mkdir(path, { recursive: true, mode: 0o700 })
  if (place.account) {
    await chown(walIn(folder), place.account.uid, place.account.gid)
    if (!(await canReach(place.account, walIn(folder))))
      throw new StartupError(
        `The account that PostgreSQL runs as (uid ${place.account.uid}) cannot enter ${folder}. ` +
          'Give the directories above it execute permission for others (chmod o+x), or choose another --backup-dir.',
      )
  }
  const system = await systemOf(place.pgdata)
  const owner = await readOwner(folder)
  if (owner !== undefined && owner !== system)
    throw new StartupError(
      `${folder} holds the backups of another server (${owner}, and this one is ${system}). Choose another --backup-dir.`,
    )
  if (owner === undefined)
    await writeWhole(join(folder, 'backup.json'), JSON.stringify({ comptoir_archive: 1, system }))
}

/** The number by which PostgreSQL tells clusters apart: the first eight bytes of global/pg_control. */
export async function systemOf(pgdata: string): Promise<string> {
  const control = await readFile(join(pgdata, 'global', 'pg_control'))
  return control.readBigUInt64LE(0).toString()
}

/** Whose backups a folder holds; undefined for a folder that holds none. Throws StartupError for another kind. */
export async function readOwner(folder: string): Promise<string | undefined> {
  const path = join(folder, 'backup.json')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = codeOf(error) ?? ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new StartupError(
      `${path} cannot be read (${code}). The folder of backups must belong to the account that uses it: chown -R ACCOUNT: ${folder}.`,
      { cause: error },
    )
  })
  if (text === null) return undefined
  const { comptoir_archive, system } = JSON.parse(text) as {
    comptoir_archive?: number
    system?: string
  }
  if (comptoir_archive !== 1 || system === undefined)
    throw new StartupError(`${path} was written by an unknown (later) release: use that release.`)
  return system
}

/** Runs work while no other process changes the backups of a folder; null if another one is at it. */
export async function holdingFolder<T>(folder: string, work: () => Promise<T>): Promise<T | null> {
  const lock = new FileLock(join(folder, 'lock'))
  if (!lock.tryExclusive()) return null
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** Writes a file that exists completely or not at all. */
export const writeWhole = (path: string, text: string): Promise<void> => writeBytes(path, Buffer.from(text))

export async function writeBytes(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, bytes, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  await syncFolder(join(path, '..'))
}

/** Syncs a folder, so that files created or renamed in it survive a crash of the machine. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
