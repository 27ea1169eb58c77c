// Writes outcomes of attempts: those that end while a statement is running go with the next one.
import type { Database } from '../../databases/index.ts'
import { disable, type Ended, endAttempts } from './rows.ts'

/** Days without a successful delivery after which an endpoint is disabled. */
const DAYS = 5

/** Collects outcomes of attempts and writes them, one statement at a time. */
export class Outcomes {
  readonly #database: Database
  readonly #holder: string
  #waiting: Ended[] = []
  #writing: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(database: Database, holder: string) {
    this.#database = database
    this.#holder = holder
  }

  /** Resolves when it is written down. */
  add(ended: Ended): Promise<void> {
    this.#waiting.push(ended)
    if (!this.#writing) return this.#begin()
    this.#next ??= this.#writing.catch(() => undefined).then(() => this.#begin())
    return this.#next
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const ended = this.#waiting
    this.#waiting = []
    const writing = this.#write(ended).finally(() => {
      if (this.#writing === writing) this.#writing = undefined
    })
    this.#writing = writing
    return writing
  }

  async #write(ended: readonly Ended[]): Promise<void> {
    await this.#database.pool.use(async (connection) => {
      const { text, values } = endAttempts(this.#holder, ended, DAYS).compile()
      for (const [id] of (await connection.query(text, values)) as [number][]) {
        const off = disable(id, `No delivery succeeded for ${DAYS} days.`).compile()
        await connection.query(off.text, off.values)
      }
    })
  }
}
