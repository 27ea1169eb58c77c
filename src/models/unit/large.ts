// Concurrency limit of calls with large answers or large parameters. Each is within its own limits; this
// keeps the sum of memory, processor time and connections of all calls of the process, and of one user,
// bounded.
import { Gate } from '../../kit/gate.ts'
import { serial } from '../../kit/serial.ts'
import { limits } from '../../limits.ts'
import type { Unit } from '../language/unit.ts'

/** Values, or bytes of text, of an answer that needs a place. */
const [MANY, MUCH] = [100_000, 4 * 1024 ** 2]

/** Milliseconds that a call waits for a place, and calls of one user that may wait. */
const [PATIENCE, WAITING] = [6000, 100]

const gateOfAnswers = lazily(() => gateFor('Too many large answers are being made.'))
const gateOfCalls = lazily(() => gateFor('Too many large calls are being worked on.'))

const gateFor = (refusal: string) =>
  new Gate({
    places: limits['large-answers'],
    share: Math.max(1, limits['large-answers'] - 1),
    queue: WAITING,
    patienceMs: PATIENCE,
    refusal,
  })

/** Milliseconds left to a call that began to wait at `since`. */
export const patienceFrom = (since: number | undefined): number =>
  since === undefined ? PATIENCE : Math.max(0, since + PATIENCE - performance.now())

/** The limits are read once all of them are set. */
function lazily<T>(make: () => T): () => T {
  let result: T | undefined
  return () => (result ??= make())
}

/**
 * The places of one call, kept until it is over: one that it asks for before it has a connection, where it is
 * known to be large, and one that it asks for when its answer becomes large. They are two kinds, so that who
 * has the first and waits for a connection never keeps the second from those who have one.
 */
export class LargePlace {
  readonly #unit: Pick<Unit, 'database' | 'isHeavy'>
  readonly #holder: number | undefined
  #leaveCalls: Promise<() => void> | undefined
  #leaveAnswers: Promise<() => void> | undefined

  /** `holder` is the user whose call it is; undefined for the server's own work, which never waits. */
  constructor(unit: Pick<Unit, 'database' | 'isHeavy'>, holder: number | undefined) {
    this.#unit = unit
    this.#holder = holder
  }

  /**
   * Of a call that is known to be large. Its client began to wait at `since`, by `performance.now()`: a call
   * that is repeated is not more patient for it. Throws ServiceUnavailable where others have all places for
   * too long.
   */
  async begin(since?: number): Promise<void> {
    if (this.#holder === undefined) return
    this.#leaveCalls ??= gateOfCalls().enter(this.#who, patienceFrom(since))
    await this.#leaveCalls
    this.#unit.isHeavy = true
  }

  /** Of an answer that becomes as large. Throws as `begin` does. */
  async take(cells: number, bytes = 0): Promise<void> {
    if ((cells <= MANY && bytes <= MUCH) || this.#holder === undefined) return
    this.#leaveAnswers ??= gateOfAnswers().enter(this.#who)
    await this.#leaveAnswers
    this.#unit.isHeavy = true
  }

  /** Users of different databases have the same numbers. */
  get #who(): string {
    return `${serial(this.#unit.database)} ${this.#holder}`
  }

  leave(): void {
    const places = [this.#leaveCalls, this.#leaveAnswers]
    this.#leaveCalls = undefined
    this.#leaveAnswers = undefined
    for (const place of places)
      place?.then(
        (leaveIt) => leaveIt(),
        () => undefined,
      )
  }
}
