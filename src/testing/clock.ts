// The clock of a test: it stands still, and is set by hand, in this process and in the database.
import { clockScript, type Database } from '../databases/index.ts'
import { UserError } from '../errors.ts'
import type { Clock } from '../kit/clock.ts'

export class TestClock implements Clock {
  readonly #start: Date
  #at: Date

  /** Throws UserError for what is not a moment. */
  constructor(moment: string | Date) {
    this.#start = momentOf(moment)
    this.#at = this.#start
  }

  now(): Date {
    return new Date(this.#at)
  }

  /** Sets it, for `database` too. Throws UserError for what is not a moment. */
  async set(moment: string | Date, database: Database): Promise<void> {
    const at = momentOf(moment)
    await database.pool.use((connection) => connection.simple(clockScript(at)))
    this.#at = at
  }

  /** Back to the moment of the start, which the database is at again. */
  back(): void {
    this.#at = this.#start
  }
}

/** Texts name their zone: without one the same test would mean another moment on another machine. */
function momentOf(moment: string | Date): Date {
  const named = moment instanceof Date || /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(moment)
  const at = new Date(moment)
  if (!named || Number.isNaN(at.getTime()))
    throw new UserError(`${JSON.stringify(moment)} is not a time: write it as 2026-03-01T09:00:00Z.`)
  return at
}
