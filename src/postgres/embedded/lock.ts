// Locks between processes on one machine, which vanish with their holder, even under kill -9.
// Node has no flock(); its SQLite has the file locks of every platform. The lock file is an empty SQLite
// database in which nothing is ever written: a reading transaction holds a shared lock, an exclusive
// transaction an exclusive one.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

const SQLITE_BUSY = 5

export class FileLock {
  readonly #path: string
  #file: DatabaseSync | undefined

  /** Names the lock; nothing is held yet. */
  constructor(path: string) {
    this.#path = path
  }

  /** Takes a shared lock; false while another process holds it exclusively. */
  tryShared(): boolean {
    return this.#take('BEGIN; SELECT count(*) FROM sqlite_schema')
  }

  /** Takes the lock for this holder alone; false while there is any other. */
  tryExclusive(): boolean {
    return this.#take('BEGIN EXCLUSIVE')
  }

  /** Waits for the lock. Throws StartupError after `timeout` milliseconds, with `purpose` in its message. */
  async exclusive(timeout: number, purpose: string): Promise<void> {
    const end = performance.now() + timeout
    while (!this.tryExclusive()) {
      if (performance.now() > end) throw new StartupError(`Another process keeps ${purpose} (${this.#path}).`)
      await sleep(20)
    }
  }

  release(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #take(begin: string): boolean {
    this.release()
    mkdirSync(dirname(this.#path), { recursive: true })
    let file: DatabaseSync | undefined
    try {
      // Loaded with this call, so that Node.js without this module can load this file and report the version
      // that the server needs.
      const sqlite = process.getBuiltinModule('node:sqlite')
      file = new sqlite.DatabaseSync(this.#path, { timeout: 0 })
      // A journal in memory: one on the disk would need room there, although nothing is ever written.
      file.exec(`PRAGMA journal_mode = MEMORY; ${begin}`)
      this.#file = file
      return true
    } catch (error) {
      file?.close()
      if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY)
        return false
      throw new StartupError(
        `Cannot lock ${this.#path}: ${error instanceof Error ? error.message : error}. Check that this account may write to the directory.`,
        {
          cause: error,
        },
      )
    }
  }
}

/** Path of a lock in a data directory. */
export function lockPath(dataDir: string, name: 'serve' | 'start' | 'users'): string {
  return join(dataDir, 'locks', name)
}

/**
 * Makes this process the one server of a data directory until `release` or its end, however that comes.
 * Throws StartupError naming the process that serves it already.
 */
export function lockServe(dataDir: string): { release(): void } {
  const lock = new FileLock(lockPath(dataDir, 'serve'))
  const note = join(dataDir, 'locks', 'serve.pid')
  if (!lock.tryExclusive()) {
    throw new StartupError(
      `A server is already running on the data directory ${dataDir} (process ${readNote(note)}). ` +
        'Stop it first, or choose another --data-dir.',
    )
  }
  writeFileSync(note, `${process.pid}\n`)
  return {
    release() {
      rmSync(note, { force: true })
      lock.release()
    },
  }
}

/** The process id that a holder wrote down; it may be about to write it. */
function readNote(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
