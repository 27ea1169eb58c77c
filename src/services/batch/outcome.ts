// Outcomes of the calls of a batch, and the limit on the size of their answers.
import { type ServiceError, UnprocessableEntity } from '../../errors.ts'
import { beyond, limits } from '../../limits.ts'

/** A call's result as JSON, its refusal, or why it stands for nothing. */
export interface Outcome {
  readonly id: string | null
  readonly status: number
  readonly json?: string
  readonly error?: ServiceError
  readonly code?: 'not_run' | 'rolled_back'
  /** The answer was kept from an earlier attempt. */
  readonly isReplay?: boolean
}

/** The failed call of an atomic batch. */
export interface Failure {
  readonly place: number
  readonly error: ServiceError
}

const MOST_BYTES = 8 * 1024 * 1024
const MOST_ROWS = 2000

const tooMuch = (message: string) => new UnprocessableEntity(message, { code: 'too_many' })

/** Bytes that all results take together, and the time that all calls do; rows of each. */
export class Size {
  #bytes = 0
  readonly #until = performance.now() + limits['batch-seconds'] * 1000

  /**
   * Asked before a call runs: what is beyond is not begun. Throws PayloadTooLarge once the batch took too
   * long, UnprocessableEntity once its results are 8 MiB.
   */
  assertRoom(): void {
    if (performance.now() > this.#until) throw beyond('batch-seconds')
    this.#assertBytes()
  }

  /** Throws UnprocessableEntity beyond 8 MiB, and for a list of more rows than a batch gives. */
  add(json: string): void {
    this.#bytes += Buffer.byteLength(json)
    this.#assertBytes()
    assertRows(json)
  }

  #assertBytes(): void {
    if (this.#bytes > MOST_BYTES)
      throw tooMuch('The results of a batch exceed 8 MiB: ask for fewer fields or records.')
  }
}

function assertRows(json: string): void {
  // A row takes four letters at least: `[1],`. Shorter texts need no look.
  if (!json.startsWith('[') || json.length < 2 * MOST_ROWS) return
  const list = JSON.parse(json) as unknown[]
  if (list.length > MOST_ROWS)
    throw tooMuch(`A list in a batch may have at most ${MOST_ROWS} rows: use limit.`)
}
