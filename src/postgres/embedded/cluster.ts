// The embedded PostgreSQL of a data directory: each process that needs it starts it or joins those that use
// it, and the last one stops it. Files: <data directory>/postgres.json (0600: where and how to log in),
// postgres.log, postgres/ (or elsewhere: place.ts), locks/.
import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { StartupError } from '../../errors.ts'
import type { Login } from '../address.ts'
import { type Archive, prepareFolder, type WantedArchive } from './archive/folder.ts'
import { createFiles, hasFiles, newPassword, resetPassword, writeSettings } from './create.ts'
import { makeDataDir } from './data-dir.ts'
import { FileLock, lockPath } from './lock.ts'
import { isServer, readPidFile } from './pid.ts'
import type { Place } from './place.ts'
import { choosePgdata, findPlace } from './place.ts'
import type { Running } from './postmaster.ts'
import { findRunning, signalServer, startServer, stopServer } from './postmaster.ts'
import { ensureRoles, knowsRoles, reloadSettings, SUPERUSER } from './roles.ts'
import { archiveOf, loginsOf, newRoles, read, type Saved, write } from './server-file.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log: (message: string) => void
  /** False for tests: faster, and a crash of the machine may lose everything. Default true. */
  readonly durable?: boolean
  /** Archive of its log from now on; by default the stored one. */
  readonly archive?: WantedArchive | undefined
}

/** Address of the server, and the role that owns its databases. */
export interface EmbeddedAddress extends Login {
  readonly host: string
  readonly port: number
}

export interface Embedded extends EmbeddedAddress {
  /** The role that runs the statements of backups. */
  readonly restorer: Login
  /** Whether this call started the server; false: it was running already. */
  readonly started: boolean
  /** Where its log is archived; null: nowhere. */
  readonly archive: (Archive & { readonly pgdata: string }) | null
  /** Leaves; the last user to leave stops the server. Further calls do nothing. */
  stop(): Promise<void>
  /** Leaves at once, in a process that ends: the last user stops the server without waiting for its end. */
  leave(): void
}

const MAJOR = '18'
/** Milliseconds between two checks that the server runs, and between attempts to start it. */
const WATCH_MS = process.platform === 'linux' ? 1000 : 10_000
const RETRY_MS = 15_000
/** A first start makes the files, another may recover from a crash. */
const WAIT_FOR_START = 180_000

/**
 * Starts the data directory's server, or joins the one that runs (also one whose parent was killed). Throws
 * StartupError.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, log, durable = true } = options
  makeDataDir(dataDir)
  const folder = await realpath(dataDir)
  const users = new FileLock(lockPath(folder, 'users'))
  return withClusterLock(folder, async () => {
    if (!users.tryShared())
      throw new StartupError(`The locks in ${folder} are held by something else than Comptoir.`)
    try {
      const { place, saved } = await prepare(folder, options)
      const existing = await findRunning(place.pgdata, saved)
      if (existing) await settleFound(place, existing, saved, durable)
      const running = existing ?? (await start(folder, place, saved, durable))
      return embedded(
        { folder, place, saved: { ...saved, port: running.port }, durable, log, users },
        running,
        existing === undefined,
      )
    } catch (error) {
      users.release()
      throw error
    }
  })
}

/** Address of the data directory's server, or null when it does not run. Does not count as a user of it. */
export async function attachEmbedded(dataDir: string): Promise<EmbeddedAddress | null> {
  const saved = existsSync(dataDir) ? read(await realpath(dataDir)) : undefined
  const running = saved && (await findRunning(saved.pgdata, saved))
  return running && saved?.roles ? address(running, { ...saved, roles: saved.roles }) : null
}

/** A server that runs, for who keeps its backups: as its superuser, with its files. */
export interface Managed extends Running {
  readonly place: Place
}

/** The data directory's server as its superuser, who alone may begin backups. Throws StartupError when it does not run. */
export async function manageEmbedded(dataDir: string): Promise<Managed> {
  const saved = read(await realpath(dataDir))
  const running = saved && (await findRunning(saved.pgdata, saved))
  if (!running) throw new StartupError('PostgreSQL does not run.')
  return { ...running, place: await findPlace(saved.pgdata) }
}

/** The stored archive of a data directory; undefined: none. */
export async function archiveNoted(dataDir: string): Promise<Archive | undefined> {
  return existsSync(dataDir) ? read(await realpath(dataDir))?.archive : undefined
}

/** Removes the stored archive; a running server goes on archiving until it is stopped. */
export async function endArchive(dataDir: string): Promise<void> {
  const folder = await realpath(dataDir)
  await withClusterLock(folder, async () => {
    const saved = read(folder)
    if (saved?.roles) write(folder, { ...saved, roles: saved.roles, archive: undefined })
  })
}

/** State of a process that uses a server. */
interface Use {
  readonly folder: string
  readonly place: Place
  readonly saved: Saved
  readonly durable: boolean
  readonly log: (message: string) => void
  readonly users: FileLock
}

function embedded(use: Use, running: Running, started: boolean): Embedded {
  const { folder, place, users } = use
  let pid = running.pid
  let stopped = false
  let asking = false
  // No process stops the server while it is used: if it is gone, it was killed, by the kernel for its memory
  // or by mistake.
  const watch = setInterval(async () => {
    if (asking || isServer(pid, place.pgdata)) return
    asking = true
    try {
      pid = (await revived(use, () => stopped)) ?? pid
    } catch (error) {
      use.log(
        `PostgreSQL ended and could not be restarted: ${error instanceof Error ? error.message : error}`,
      )
      await sleep(RETRY_MS, undefined, { ref: false })
    }
    asking = false
  }, WATCH_MS).unref()
  return {
    ...address(running, use.saved),
    restorer: loginsOf(use.saved).restorer,
    started,
    archive: use.saved.archive ? { ...use.saved.archive, pgdata: place.pgdata } : null,
    async stop() {
      if (stopped) return
      stopped = true
      clearInterval(watch)
      await withClusterLock(folder, async () => {
        // Another process may have restarted it already.
        if (users.tryExclusive()) await stopServer(place, readPidFile(place.pgdata)?.pid ?? pid)
        users.release()
      })
    },
    leave() {
      if (stopped) return
      stopped = true
      clearInterval(watch)
      const lock = new FileLock(lockPath(folder, 'start'))
      // Another process that starts or stops it meanwhile uses it, or is the last one.
      if (lock.tryExclusive() && users.tryExclusive())
        signalServer(readPidFile(place.pgdata)?.pid ?? pid, 'SIGINT')
      users.release()
      lock.release()
    },
  }
}

/**
 * The process id of the restarted server after it ended by itself; undefined if this process has left
 * meanwhile. Throws StartupError if its port is taken.
 */
function revived(
  { folder, place, saved, durable, log }: Use,
  isOver: () => boolean,
): Promise<number | undefined> {
  return withClusterLock(folder, async () => {
    if (isOver()) return undefined
    const survivor = await findRunning(place.pgdata, saved)
    if (!survivor) log('PostgreSQL ended unexpectedly; restarting it')
    const running = survivor ?? (await start(folder, place, saved, durable))
    if (running.port !== saved.port)
      throw new StartupError(
        `PostgreSQL now uses port ${running.port}, because port ${saved.port} is in use: restart the server.`,
      )
    return running.pid
  })
}

/**
 * Finds or creates the files. Their place is noted before they exist, so that this function can finish after
 * a crash.
 */
async function prepare(
  folder: string,
  { log, archive: wanted }: EmbeddedOptions,
): Promise<{ place: Place; saved: Saved }> {
  const noted = read(folder)
  const archive = archiveOf(folder, noted?.archive, wanted)
  if (noted?.archive && !archive)
    log(
      `This data directory was moved or copied: set --backup-dir again to archive into ${noted.archive.folder}`,
    )
  const superuser = noted ?? {
    pgdata: await choosePgdata(folder),
    port: 0,
    user: SUPERUSER,
    password: newPassword(),
  }
  const saved: Saved = { ...superuser, roles: noted?.roles ?? newRoles(), archive }
  const place = await findPlace(saved.pgdata)
  if (noted && (!noted.roles || !isDeepStrictEqual(noted.archive, archive))) write(folder, saved)
  if (!noted) {
    const lost = hasFiles(place.pgdata)
    if (lost) {
      log('postgres.json is missing: setting a new password for the database server')
      await resetPassword(place, saved)
    }
    write(folder, saved)
    if (!saved.pgdata.startsWith(folder))
      log(
        `PostgreSQL does not run as root, and its account cannot enter ${folder}: the database files are in ${saved.pgdata}`,
      )
  }
  return { place, saved }
}

async function start(folder: string, place: Place, saved: Saved, durable: boolean): Promise<Running> {
  if (hasFiles(place.pgdata)) await checkVersion(place.pgdata)
  else if (saved.port) throw new StartupError(missingFilesMessage(folder, place.pgdata))
  else await createFiles(place, saved, durable)
  if (saved.archive) await prepareFolder(saved.archive.folder, place)
  await writeSettings(place, durable, saved.archive)
  const running = await startServer(place, saved, join(folder, 'postgres.log'), saved.port)
  // Before clients connect: rights of the roles follow this release.
  await ensureRoles(running, loginsOf(saved))
  if (running.port !== saved.port) write(folder, { ...saved, port: running.port })
  return running
}

/** A server that runs may have been started by an earlier release, which had one role. */
async function settleFound(place: Place, running: Running, saved: Saved, durable: boolean): Promise<void> {
  const secrets = loginsOf(saved)
  if (await knowsRoles(running, secrets)) return
  await writeSettings(place, durable, saved.archive)
  await reloadSettings(running, secrets)
  await ensureRoles(running, secrets)
}

function missingFilesMessage(folder: string, pgdata: string): string {
  return (
    `The database files of ${folder} are missing: ${pgdata} does not exist or is incomplete. ` +
    `Restore them, or remove ${join(folder, 'postgres.json')} to begin anew.`
  )
}

async function checkVersion(pgdata: string): Promise<void> {
  const version = (await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim()
  if (version === MAJOR) return
  throw new StartupError(
    `The database files in ${pgdata} are of PostgreSQL ${version}, but this release has ${MAJOR}. ` +
      'Back up the databases with the release that created them, and restore them into a new data directory.',
  )
}

/** Lets no other process start or stop this data directory's server meanwhile. */
export async function withClusterLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = new FileLock(lockPath(folder, 'start'))
  await lock.exclusive(WAIT_FOR_START, 'starting or stopping the database server')
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function address({ host, port }: Running, saved: Saved): EmbeddedAddress {
  return { host, port, ...loginsOf(saved).server }
}
