// Answers of many values are made whole in memory, each within its limits: few of them at a time by all calls
// of this process, few of one user, so that together they do not take more than there is.
import { Gate } from '../../kit/gate.ts'
import { serial } from '../../kit/serial.ts'
import { limits } from '../../limits.ts'

/** Values, or bytes of text, of an answer that needs a place. */
const [MANY, MUCH] = [100_000, 4 * 1024 ** 2]

/** Milliseconds that a call waits for a place, and calls of one user that may wait. */
const [PATIENCE, WAITING] = [6000, 100]

let gate: Gate | undefined
const theGate = () =>
  (gate ??= new Gate({
    places: limits['large-answers'],
    share: Math.max(1, limits['large-answers'] - 1),
    queue: WAITING,
    patienceMs: PATIENCE,
    refusal: 'Too many large answers are being made.',
  }))

/** The place of one call: asked for when its answer becomes large, kept until the call is over. */
export class LargePlace {
  readonly #who: () => string
  #leave: Promise<() => void> | undefined

  /** `holder` is the user whose answer it is; none where the server works for itself, which waits for nobody. */
  constructor(database: object, holder: number | undefined) {
    // Users of different databases have the same numbers.
    this.#who = () => `${serial(database)} ${holder}`
    if (holder === undefined) this.#leave = Promise.resolve(() => undefined)
  }

  /** Throws ServiceUnavailable where others have all places for too long. */
  async take(cells: number, bytes = 0): Promise<void> {
    if (cells <= MANY && bytes <= MUCH) return
    this.#leave ??= theGate().enter(this.#who())
    await this.#leave
  }

  leave(): void {
    const leave = this.#leave
    this.#leave = undefined
    leave?.then(
      (leaveIt) => leaveIt(),
      () => undefined,
    )
  }
}
