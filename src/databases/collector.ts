// Removes unused files of databases that were in use.
import type { Handles } from './handles.ts'

/** Milliseconds between two looks for files that no attachment refers to. */
const COLLECT_MS = 60 * 60_000

export class FileCollector {
  readonly #handles: Handles
  readonly #log: (message: string) => void
  readonly #timer: NodeJS.Timeout

  constructor(handles: Handles, log: (message: string) => void, everyMs = COLLECT_MS) {
    this.#handles = handles
    this.#log = log
    this.#timer = setInterval(() => void this.#collect(), everyMs).unref()
  }

  /**
   * Looks through the files of all that were used since the last time. A database that is just going away is
   * left alone.
   */
  async #collect(): Promise<void> {
    for (const name of this.#handles.takeUsed())
      await this.#handles
        .forUpkeep(name)
        .then((database) => database.collectFiles())
        .catch((error: unknown) => this.#log(`Unused files could not be removed: ${String(error)}`))
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
