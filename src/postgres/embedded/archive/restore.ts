// Restores a new data directory from a base backup and the archive: never over an existing one.
import { existsSync } from 'node:fs'
import {
  chown,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../../errors.ts'
import { accountName, isRoot, runAs } from '../account.ts'
import { withClusterLock } from '../cluster.ts'
import { newPassword, resetPassword, writeSettings } from '../create.ts'
import { makeDataDir } from '../data-dir.ts'
import { choosePgdata, findPlace, type Place } from '../place.ts'
import { SUPERUSER } from '../roles.ts'
import { newRoles, type Saved, write } from '../server-file.ts'
import { type Base, filesIn, type Progress } from './base.ts'
import { copyFile } from './copying.ts'
import { walIn } from './folder.ts'
import { hashesIn } from './manifest.ts'
import { type Recovered, recover, type Target } from './recover.ts'
import { type Reach, SEGMENT_BYTES, segmentOf } from './segments.ts'
import { filesOf } from './tree.ts'

const MAJOR = '18'
const RECOVER = 'recovery.signal'

export interface Restoring {
  readonly folder: string
  readonly base: Base
  readonly reach: Reach
  readonly target: Target
  readonly durable: boolean
  readonly progress: Progress
}

/**
 * Makes the database files of a new data directory and brings them to the target; its server does not run
 * afterwards. Nothing stays of a restore that fails. Throws StartupError.
 */
export async function restoreServer(dataDir: string, restoring: Restoring): Promise<Recovered> {
  const { base } = restoring
  if (base.version.split('.')[0] !== MAJOR)
    throw new StartupError(
      `This base backup is of PostgreSQL ${base.version}, but this release has ${MAJOR}: restore it with the release that created it.`,
    )
  await assertEmpty(dataDir)
  const isNew = !existsSync(dataDir)
  makeDataDir(dataDir)
  const folder = await realpath(dataDir)
  try {
    await assertRoom(folder, restoring)
    return await withClusterLock(folder, () => fill(folder, restoring))
  } catch (error) {
    if (isNew) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function fill(folder: string, restoring: Restoring): Promise<Recovered> {
  const pgdata = await choosePgdata(folder)
  const place = await findPlace(pgdata)
  const draft: Place = { ...place, pgdata: `${pgdata}.new` }
  await assertReadable(place, walIn(restoring.folder))
  try {
    await unfold(draft, restoring)
    await writeSettings(draft, restoring.durable)
    const recovered = await recover(draft, {
      wal: walIn(restoring.folder),
      timeline: timelineOf(restoring),
      target: restoring.target,
      log: join(folder, 'postgres.log'),
      onProgress: (read) =>
        restoring.progress('recovering', Math.min(1, read / Math.max(1, restoring.reach.segments.length))),
    })
    const saved: Saved = {
      pgdata,
      port: 0,
      user: SUPERUSER,
      password: newPassword(),
      roles: newRoles(),
    }
    await resetPassword(draft, saved)
    await rename(draft.pgdata, pgdata)
    write(folder, saved)
    return recovered
  } catch (error) {
    await rm(draft.pgdata, { recursive: true, force: true })
    throw error
  }
}

/**
 * Null for the timeline of the base backup: its history is not looked for then. The archive of a server that
 * was restored itself does not have that, as the recovery which began the timeline archives nothing.
 */
function timelineOf({ base, reach }: Restoring): number | null {
  return segmentOf(base.first)?.timeline === reach.timeline ? null : reach.timeline
}

async function assertEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.some((name) => name !== 'locks' && name !== 'postgres.log'))
    throw new StartupError(
      `${dataDir} is not empty. A restore creates a new data directory: choose another one.`,
    )
}

/** The files, and what a server keeps of its log while it recovers. */
async function assertRoom(folder: string, { base }: Restoring): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const needed = base.bytes + 8 * SEGMENT_BYTES
  if (bavail * bsize < needed)
    throw new StartupError(
      `Not enough disk space: the files need ${megabytes(needed)}, and ${folder} has ${megabytes(bavail * bsize)}.`,
    )
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`

/** PostgreSQL itself reads the archive. */
async function assertReadable({ account }: Place, wal: string): Promise<void> {
  if (!isRoot() || !account) return
  const { uid } = await stat(wal)
  if (uid === account.uid) return
  const reader = accountName(account.uid)
  throw new StartupError(
    `${wal} belongs to the account ${accountName(uid)}, and PostgreSQL runs as ${reader} for root. ` +
      (uid === 0
        ? `Give the copy of the archive to that account: chown -R ${reader} ${wal}`
        : `Run this as the account of the archive: ${runAs(uid)}`),
  )
}

/** Copies a base backup out, and compares each file with the manifest. */
async function unfold(place: Place, { folder, base, progress }: Restoring): Promise<void> {
  const source = filesIn(folder, base.label)
  const expectedHashes = hashesIn(await readFile(join(source, 'backup_manifest'), 'utf8'))
  await rm(place.pgdata, { recursive: true, force: true })
  await mkdir(place.pgdata, { recursive: true, mode: 0o700 })
  const { folders } = await filesOf(source)
  for (const name of folders) await mkdir(join(place.pgdata, name), { mode: 0o700 })
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    progress('copying', Math.min(1, done / base.bytes))
  }
  for (const [name, sha256] of expectedHashes) {
    const copied = await copyFile(join(source, name), join(place.pgdata, name), onBytes).catch(missing(name))
    if (copied.sha256 !== sha256)
      throw new StartupError(`The base backup ${base.label} is damaged: ${name} does not match its checksum.`)
  }
  // Makes PostgreSQL recover from the archive.
  await writeFile(join(place.pgdata, RECOVER), '', { mode: 0o600, flush: true })
  if (place.account)
    for (const name of ['', RECOVER, ...folders, ...expectedHashes.keys()])
      await chown(join(place.pgdata, name), place.account.uid, place.account.gid)
}

const missing = (name: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') throw new StartupError(`The base backup is damaged: ${name} is missing.`)
  throw error
}
