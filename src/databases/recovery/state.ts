// State of the backups of an embedded server, from files on the disks: it is requested often, so it queries
// no database.
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Archive, listBases, walIn } from '../../postgres/embedded/index.ts'
import { KeptContents } from './contents.ts'
import { unarchivedSince } from './lag.ts'

export interface BackupState {
  /** Why a restore would lack something at the moment; null: all is well. */
  readonly failing: string | null
  /** Seconds that the oldest segment of the log waits to be archived. */
  readonly waitingSeconds: number
  /** Seconds for which the oldest write is not archived: what a lost machine would cost now, at most. */
  readonly lagSeconds: number
  /** Seconds since the last base backup was complete; null: there is no base backup. */
  readonly baseAge: number | null
}

/** Seconds after which a segment that waits is no longer just late. */
const LATE = 120
/** Seconds that archiving a segment may take, beyond those that it is filled for. */
const TO_ARCHIVE = 10
/** Free bytes of an archive below which a warning is reported. */
const LITTLE = 256 * 1024 ** 2

/** Milliseconds for which what was found is good. */
const GOOD_FOR = 5000
/** Seconds between two base backups by default. */
const DAY = 86_400

/** The cached state, for frequent requests. */
export class BackupStates {
  readonly #look: () => Promise<BackupState>
  #found: { readonly until: number; readonly state: Promise<BackupState> } | undefined

  constructor(archive: Archive & { readonly pgdata: string }, dataDir: string, every = DAY) {
    this.#look = () => stateOf(archive, dataDir, every)
  }

  now(): Promise<BackupState> {
    if (!this.#found || performance.now() > this.#found.until)
      this.#found = { until: performance.now() + GOOD_FOR, state: this.#look() }
    return this.#found.state
  }
}

/** Looks at the backups; `every` are the seconds between two base backups. */
export async function stateOf(
  archive: Archive & { readonly pgdata: string },
  dataDir: string,
  every: number,
): Promise<BackupState> {
  const [waiting, since, room, bases, missing] = await Promise.all([
    waitingIn(archive.pgdata),
    unarchivedSince(dataDir),
    statfs(walIn(archive.folder)).catch(() => null),
    listBases(archive.folder).catch(() => []),
    new KeptContents(archive.folder, dataDir).missing(),
  ])
  const lagSeconds = since === null ? 0 : Math.max(0, (Date.now() - since) / 1000)
  const newest = bases.at(-1)
  const baseAge = newest ? (Date.now() - Date.parse(newest.ended)) / 1000 : null
  const free = room ? room.bavail * room.bsize : null
  const reasons = [
    free === null && `${archive.folder} is not there`,
    waiting.seconds > LATE &&
      `the log is not archived: ${waiting.count} segments wait in the data directory, the oldest for ${Math.round(waiting.seconds)} s`,
    lagSeconds > archive.seconds + TO_ARCHIVE &&
      `writes of the last ${Math.round(lagSeconds)} s are not archived, and --backup-wal-seconds is ${archive.seconds}`,
    free !== null && free < LITTLE && `${archive.folder} has ${Math.floor(free / 1_000_000)} MB left`,
    missing > 0 && `${missing} contents of attachments are not copied`,
    baseAge !== null && baseAge > 2 * every + 3600 && `the last base backup was taken at ${newest?.ended}`,
    baseAge === null && 'there is no base backup yet',
  ].filter((reason) => reason !== false)
  return {
    failing: reasons.length ? reasons.join('; ') : null,
    waitingSeconds: waiting.seconds,
    lagSeconds,
    baseAge,
  }
}

/** Segments that PostgreSQL has closed and not archived. */
async function waitingIn(pgdata: string): Promise<{ count: number; seconds: number }> {
  const folder = join(pgdata, 'pg_wal', 'archive_status')
  const ready = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.ready'))
  const [oldest] = ready.sort()
  const since = oldest && (await stat(join(folder, oldest)).catch(() => null))
  return { count: ready.length, seconds: since ? Math.max(0, (Date.now() - since.mtimeMs) / 1000) : 0 }
}
