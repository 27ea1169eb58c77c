// Clears what is no longer wanted of the files of databases that were in use.
import type { Database } from './database.ts'

/** Milliseconds between two looks for files that no attachment refers to. */
const COLLECT_MS = 60 * 60_000

export class FileCollector {
  readonly #open: (name: string) => Promise<Database>
  readonly #log: (message: string) => void
  readonly #timer: NodeJS.Timeout
  /** Databases that were in use since their files were last looked through. */
  readonly #used = new Set<string>()

  constructor(open: (name: string) => Promise<Database>, log: (message: string) => void) {
    this.#open = open
    this.#log = log
    this.#timer = setInterval(() => void this.#collect(), COLLECT_MS).unref()
  }

  /** The database is in use: its files are looked through next time. */
  used(name: string): void {
    this.#used.add(name)
  }

  /** The database is gone. */
  forget(name: string): void {
    this.#used.delete(name)
  }

  /** A database that is just going away is left alone. */
  async #collect(): Promise<void> {
    const names = [...this.#used]
    this.#used.clear()
    for (const name of names)
      await this.#open(name)
        .then((database) => database.collectFiles())
        .catch((error: unknown) => this.#log(`Files were not collected: ${String(error)}`))
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
