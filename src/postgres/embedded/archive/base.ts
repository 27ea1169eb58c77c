// A base backup without pg_basebackup, which the bundled server lacks: starts a backup, copies the files
// while they are written, and stops the backup, as PostgreSQL's manual says. It is complete once its folder
// has its final name. It includes PostgreSQL's manifest, for pg_verifybackup.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../../errors.ts'
import { isDiskFull } from '../../../kit/caught.ts'
import { Connection } from '../../connection.ts'
import type { Managed } from '../cluster.ts'
import { copyFile } from './copying.ts'
import { basesIn, syncFolder, systemOf, walIn, writeWhole } from './folder.ts'
import { type Listed, manifestOf } from './manifest.ts'
import { archived } from './segments.ts'
import { CONTROL, type Found, filesOf } from './tree.ts'

/** Which part of the work is done, from 0 to 1. */
export type Progress = (step: string, done: number) => void

/** Facts about a base backup. */
export interface Base {
  /** When it was begun, as a name: 20261123T051500Z. */
  readonly label: string
  readonly system: string
  /** PostgreSQL's version. */
  readonly version: string
  readonly started: string
  /** The earliest moment that a restore from it reaches. */
  readonly ended: string
  /** Segments of the log without which it is worth nothing. */
  readonly first: string
  readonly last: string
  readonly bytes: number
}

/** Folder of the database files of a base backup. */
export const filesIn = (folder: string, label: string): string => join(basesIn(folder), label, 'postgres')

/** The base backups of a folder that are whole, the oldest first. */
export async function listBases(folder: string): Promise<Base[]> {
  const names = (await readdir(basesIn(folder))).filter((name) => /^\d{8}T\d{6}Z$/.test(name)).sort()
  return Promise.all(
    names.map(
      async (name) => JSON.parse(await readFile(join(basesIn(folder), name, 'base.json'), 'utf8')) as Base,
    ),
  )
}

/** Makes a base backup; `beside` puts more into its folder. Throws StartupError. */
export async function takeBase(
  server: Managed,
  folder: string,
  beside: (path: string) => Promise<void>,
  progress: Progress,
): Promise<Base> {
  const started = new Date()
  const label = started.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const path = join(basesIn(folder), label)
  const draft = `${path}.part`
  const connection = await Connection.connect({ ...server, database: 'postgres', statementTimeout: 0 })
  try {
    await assertArchives(connection, folder)
    await mkdir(join(draft, 'postgres'), { recursive: true, mode: 0o700 })
    await beside(draft)
    await connection.query('SELECT pg_backup_start($1, true)', [label])
    const listed = await copyAll(server.place.pgdata, join(draft, 'postgres'), progress)
    const [row] = await connection.query(
      'SELECT lsn::text, labelfile, pg_walfile_name(lsn), current_setting($1) FROM pg_backup_stop(false)',
      ['server_version'],
    )
    const [stop, note, last, version] = row as [string, string, string, string]
    const [, start = '', first = ''] = /START WAL LOCATION: (\S+) \(file ([0-9A-F]{24})\)/.exec(note) ?? []
    listed.push(await write(draft, 'backup_label', note))
    const system = await systemOf(server.place.pgdata)
    const ranges = [{ timeline: Number.parseInt(first.slice(0, 8), 16), start, end: stop }]
    await write(draft, 'backup_manifest', manifestOf(system, listed, ranges))
    progress('waiting for the log', 1)
    await untilArchived(connection, folder, last)
    const base: Base = {
      label,
      system,
      version,
      started: started.toISOString(),
      ended: new Date().toISOString(),
      first,
      last,
      bytes: listed.reduce((sum, { size }) => sum + size, 0),
    }
    await writeWhole(join(draft, 'base.json'), `${JSON.stringify(base, undefined, 2)}\n`)
    await rename(draft, path)
    await syncFolder(basesIn(folder))
    return base
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined)
    // The error's path is the one that was read, or missing: everything is written into the folder.
    throw isDiskFull(error)
      ? new StartupError(`${folder} has no room left for a base backup.`, { cause: error })
      : error
  } finally {
    // Ends a backup that was not finished, too.
    await connection.close()
  }
}

/** Throws StartupError for a server that was started before archiving was set. */
async function assertArchives(connection: Connection, folder: string): Promise<void> {
  const [row] = await connection.query(
    "SELECT current_setting('archive_mode'), current_setting('basic_archive.archive_directory', true)",
  )
  if (row?.[0] !== 'on' || row[1] !== walIn(folder))
    throw new StartupError(
      `PostgreSQL does not archive into ${folder} yet: it was started without this setting. ` +
        'Stop all processes that use the data directory, and start the server again.',
    )
}

async function write(draft: string, name: string, text: string): Promise<Listed> {
  const path = join(draft, 'postgres', name)
  await writeFile(path, text, { mode: 0o600, flush: true })
  return {
    path: name,
    size: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    at: new Date(),
  }
}

/** Copies of files at a time: each waits for the disk. */
const AT_ONCE = 4

/** Copies all files that PostgreSQL does not recreate; the control file comes last. */
async function copyAll(pgdata: string, target: string, progress: Progress): Promise<Listed[]> {
  const { folders, files } = await filesOf(pgdata)
  for (const name of folders) await mkdir(join(target, name), { recursive: true, mode: 0o700 })
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const listed: Listed[] = []
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    progress('copying', Math.min(1, done / total))
  }
  const queue = files.values()
  const copyNext = async () => {
    for (const file of queue) {
      const copied = await copyOne(pgdata, target, file, onBytes)
      if (copied) listed.push(copied)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, copyNext))
  const control = await copyOne(pgdata, target, { path: CONTROL, size: 0 }, onBytes)
  if (!control) throw new StartupError(`${pgdata} has no ${CONTROL}.`)
  for (const name of ['', ...folders]) await syncFolder(join(target, name))
  return [...listed, control]
}

/** A file that disappears meanwhile is left out: the log has its removal. */
async function copyOne(
  pgdata: string,
  target: string,
  { path }: Found,
  onBytes: (bytes: number) => void,
): Promise<Listed | null> {
  try {
    return { path, at: new Date(), ...(await copyFile(join(pgdata, path), join(target, path), onBytes)) }
  } catch (error) {
    const { code, syscall, path: where } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && syscall === 'open' && where === join(pgdata, path)) return null
    throw error
  }
}

/** Seconds that the last segments may take to be archived. */
const PATIENCE = 120

/** A backup is worth nothing without the log up to its end. Throws StartupError. */
async function untilArchived(connection: Connection, folder: string, last: string): Promise<void> {
  const end = performance.now() + PATIENCE * 1000
  while (!(await archived(walIn(folder))).has(last)) {
    if (performance.now() > end) {
      const [row] = await connection.query('SELECT last_failed_wal FROM pg_stat_archiver')
      throw new StartupError(
        `PostgreSQL does not archive its log into ${walIn(folder)}: ${row?.[0] ?? last} waits. ` +
          'Check whether the disk is full, and whether the account of PostgreSQL may write there: postgres.log in the data directory says why.',
      )
    }
    await sleep(100)
  }
}
