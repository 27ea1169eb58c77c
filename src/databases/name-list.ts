// Names of all databases, as they were a moment ago.
import { ServiceUnavailable } from '../errors.ts'
import { isConnectionLost } from '../postgres/index.ts'

/**
 * Milliseconds that a list of names may be used for choosing: databases made by another process are seen
 * after that.
 */
const LIST_AGE_MS = 1000

interface Names {
  readonly at: number
  readonly list: Promise<readonly string[]>
  /** The list, once it was read. */
  resolved?: readonly string[]
}

export class NameList {
  readonly #read: () => Promise<readonly string[]>
  #names: Names | undefined

  constructor(read: () => Promise<readonly string[]>) {
    this.#read = read
  }

  /**
   * Result of `choose` for the names: at once if they are cached. Throws ServiceUnavailable if they cannot be
   * read: then nothing was done.
   */
  choose<T>(choose: (names: readonly string[]) => T): T | Promise<T> {
    const { resolved, list } = this.#recent()
    return resolved ? choose(resolved) : list.then(choose, listUnavailable)
  }

  /** Makes the next use read the names again. */
  forget(): void {
    this.#names = undefined
  }

  #recent(): Names {
    const now = performance.now()
    if (this.#names && now - this.#names.at <= LIST_AGE_MS) return this.#names
    const names: Names = { at: now, list: this.#read() }
    this.#names = names
    names.list.then(
      (list) => {
        names.resolved = list
      },
      () => this.forget(),
    )
    return names
  }
}

function listUnavailable(cause: unknown): never {
  if (!isConnectionLost(cause)) throw cause
  throw new ServiceUnavailable('The database is not available at the moment.', { cause, repeats: true })
}
