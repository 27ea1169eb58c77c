// The age of the oldest write that the archive lacks, by positions in PostgreSQL's log; and a segment
// that is closed when its first write gets too old.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Archive, manageEmbedded, newestArchived, walIn } from '../../postgres/embedded/index.ts'
import { Connection } from '../../postgres/index.ts'

/**
 * Transactions so far, and the segment in which the log ends. PostgreSQL's own records move only the end: an
 * idle server has nothing to archive.
 */
const LOOK = 'SELECT pg_current_snapshot()::text, pg_walfile_name(pg_current_wal_insert_lsn())'

/** Seconds between two looks at an archive that may lag by so many seconds. */
export const lagPause = ({ seconds }: Archive): number => Math.min(5, seconds / 4)

const noteIn = (dataDir: string) => join(dataDir, 'backup-lag')

/** Since when the oldest write waits, as the process that looks has noted it; null: all is archived. */
export async function unarchivedSince(dataDir: string): Promise<number | null> {
  const text = await readFile(noteIn(dataDir), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || null
}

/**
 * Looks from time to time. PostgreSQL's own clock (`archive_timeout`) does not run before the first
 * checkpoint after a start or a crash, five minutes later, so segments are closed here as well.
 */
export class ArchiveLag {
  readonly #dataDir: string
  readonly #archive: Archive
  readonly #now: () => number
  #connection: Connection | null = null
  /** Segments with writes that are not archived, with the earliest moment of the first write. */
  readonly #waiting = new Map<string, number>()
  #snapshot: string | null = null
  /** When the snapshot was looked at last: what changed since is as old as this at most. */
  #lookedAt: number
  #noted: number | null | undefined

  constructor(dataDir: string, archive: Archive, now: () => number = Date.now) {
    this.#dataDir = dataDir
    this.#archive = archive
    this.#now = now
    this.#lookedAt = now()
  }

  /**
   * Throws if PostgreSQL does not answer. The lag then grows from the last look that succeeded, or from the
   * start, as there may have been writes since.
   */
  async look(): Promise<void> {
    const at = this.#now()
    try {
      this.#connection ??= await this.#connect()
      await this.#lookBy(this.#connection, at)
    } catch (error) {
      this.#close()
      await this.#note(this.#lookedAt)
      throw error
    }
    await this.#note(null)
  }

  /** Removes the note: a server that stops in order archives everything. */
  async end(): Promise<void> {
    this.#close()
    await rm(noteIn(this.#dataDir), { force: true })
  }

  #close(): void {
    this.#connection?.destroy()
    this.#connection = null
  }

  async #connect(): Promise<Connection> {
    // Writes of a server that was killed wait since its own note.
    if (this.#snapshot === null) this.#lookedAt = (await unarchivedSince(this.#dataDir)) ?? this.#lookedAt
    return Connection.connect({ ...(await manageEmbedded(this.#dataDir)), database: 'postgres' })
  }

  async #lookBy(connection: Connection, at: number): Promise<void> {
    const [row] = await connection.query(LOOK)
    const [snapshot, segment] = [String(row?.[0]), String(row?.[1])]
    if (snapshot !== this.#snapshot && !this.#waiting.has(segment)) this.#waiting.set(segment, this.#lookedAt)
    this.#snapshot = snapshot
    this.#lookedAt = at
    // An archive of a week has many files: they are listed while something waits, and not otherwise.
    const newest = this.#waiting.size > 0 ? await newestArchived(walIn(this.#archive.folder)) : ''
    for (const name of this.#waiting.keys()) if (name <= newest) this.#waiting.delete(name)
    const since = this.#waiting.get(segment)
    const latest = at - (this.#archive.seconds - 2 * lagPause(this.#archive)) * 1000
    if (since !== undefined && since <= latest) await connection.query('SELECT pg_switch_wal()')
  }

  /** Notes since when the oldest write waits; `otherwise` if no write is known to wait. */
  async #note(otherwise: number | null): Promise<void> {
    const [since = otherwise] = this.#waiting.values()
    if (since === this.#noted) return
    if (since === null) await rm(noteIn(this.#dataDir), { force: true })
    else await writeFile(noteIn(this.#dataDir), `${since}\n`, { mode: 0o600 })
    this.#noted = since
  }
}
