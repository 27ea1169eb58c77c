// Checks on the primary server that keys are still valid, for calls that read from a replica: one query at a
// time, for all callers that arrived meanwhile.
import type { Row } from '../models/language/unit.ts'
import { type Pool, type Position, positionOf } from '../postgres/index.ts'
import { askPool } from './ask.ts'
import type { Caller } from './caller.ts'
import { keysNow, StaleCredential, verifyFacts } from './credential.ts'

/** Columns of a row of `keysNow`, after those of the facts. */
const HASH = 6
const POSITION = 7

interface Question {
  readonly hashes: Set<string>
  readonly answer: PromiseWithResolvers<ReadonlyMap<string, Row>>
}

export class KeyChecks {
  readonly #pool: Pool
  /** The question that leaves when the one under way is answered. */
  #next: Question | null = null
  #isAsking = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Position of the primary server, as of a moment after the query. Throws StaleCredential if the caller's
   * key was changed or removed.
   */
  async of({ keyHash, expected }: Caller): Promise<Position> {
    const hash = keyHash?.toString('hex') ?? ''
    this.#next ??= { hashes: new Set(), answer: Promise.withResolvers() }
    const { hashes, answer } = this.#next
    hashes.add(hash)
    if (!this.#isAsking) void this.#ask()
    const row = (await answer.promise).get(hash)
    verifyFacts(row ? [row] : [], expected, () => new StaleCredential())
    return positionOf(row?.[POSITION])
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    for (let question = this.#next; question; question = this.#next) {
      this.#next = null
      const { hashes, answer } = question
      await askPool(this.#pool)(keysNow([...hashes]).compile()).then(
        (rows) => answer.resolve(new Map(rows.map((row) => [String(row[HASH]), row]))),
        (error: unknown) => answer.reject(error),
      )
    }
    this.#isAsking = false
  }
}
