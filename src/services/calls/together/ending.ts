// How the transaction of several calls ends: whether each of them may be done again by itself.
import { ServiceError, ServiceUnavailable } from '../../../errors.ts'
import { LongAnswer } from '../../../models/read/long-answer.ts'
import type { UnitOfWork } from '../../../models/unit/unit.ts'
import { isRetryable } from '../../../postgres/index.ts'
import type { Attempted } from '../../request.ts'

type Ended = Pick<UnitOfWork, 'stays' | 'committing'>

export class Ending {
  readonly #count: number
  /** The transaction whose COMMIT is next, or has left. */
  #unit: Ended | null = null

  /** `count`: records that the calls make. */
  constructor(count: number) {
    this.#count = count
  }

  /**
   * Hears what comes of the work of a transaction, before that ends. Throws where it is not an answer for
   * each of the calls: nothing of it stays then.
   */
  async heard<T extends Attempted | LongAnswer>(unit: Ended, work: Promise<T>): Promise<T> {
    this.#unit = null
    const answer = await work
    const ids: unknown = answer instanceof LongAnswer || answer.modules ? null : JSON.parse(answer.json)
    if (!Array.isArray(ids) || ids.length !== this.#count)
      throw new Error('Creations that were made together have no answer each.')
    this.#unit = unit
    return answer
  }

  /** Whether nothing stays, after a failure; where nobody knows, it may. */
  isUndone(failure: unknown): boolean {
    if (!this.#unit) return true
    const { stays, committing } = this.#unit
    if (stays || (failure instanceof ServiceUnavailable && failure.unknown)) return false
    // Behind COMMIT only what PostgreSQL refused there is known to be undone, not a fault of ours.
    return !committing || failure instanceof ServiceError || isRetryable(failure)
  }
}
