// Concurrency limit of calls with large answers or large parameters. Each is within its own limits; this
// keeps the sum of memory, processor time and connections of all calls of the process, and of one user,
// bounded.
import { availableParallelism } from 'node:os'
import { ServiceUnavailable } from '../../errors.ts'
import { Gate } from '../../kit/gate.ts'
import { Recent } from '../../kit/recent.ts'
import { serial } from '../../kit/serial.ts'
import { assertWithin, limits } from '../../limits.ts'
import type { Statement } from '../../sql/index.ts'
import type { Shown, Unit } from '../language/unit.ts'

/** Values, or bytes of text, of an answer that needs a place. */
const [MANY, MUCH] = [100_000, 4 * 1024 ** 2]

/** Milliseconds that a call waits for a place, and calls of one user that may wait. */
const [PATIENCE, WAITING] = [6000, 100]

const gateOfAnswers = lazily(() => gateFor('Too many large responses are being prepared. Please try again.'))
const gateOfCalls = lazily(() => gateFor('Too many large calls are in progress. Please try again.'))

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
  readonly #unit: Pick<Unit, 'database' | 'usage'>
  readonly #holder: number | undefined
  #leaveCalls: Promise<() => void> | undefined
  #leaveAnswers: Promise<() => void> | undefined

  /** `holder` is the user whose call it is; undefined for the server's own work, which never waits. */
  constructor(unit: Pick<Unit, 'database' | 'usage'>, holder: number | undefined) {
    this.#unit = unit
    this.#holder = holder
  }

  /**
   * Its client began to wait at `since`: a call that is repeated is not more patient for it. Throws
   * ServiceUnavailable where others have all places for too long.
   */
  async begin(since?: number): Promise<void> {
    if (this.#holder === undefined) return
    this.#leaveCalls ??= gateOfCalls().enter(this.#who, patienceFrom(since))
    await this.#leaveCalls
    this.#unit.usage.isHeavy = true
  }

  async take(cells: number, bytes = 0): Promise<void> {
    if ((cells <= MANY && bytes <= MUCH) || this.#holder === undefined) return
    this.#leaveAnswers ??= gateOfAnswers().enter(this.#who)
    await this.#leaveAnswers
    this.#unit.usage.isHeavy = true
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

// The size of a call's answer, counted while it is built: answers are held in memory as a whole.

export class ShownSoFar implements Shown {
  readonly #place: LargePlace
  #cells = 0
  #bytes = 0
  #queries = 0

  constructor(place: LargePlace) {
    this.#place = place
  }

  get cells(): number {
    return this.#cells
  }

  get length(): number {
    return this.#bytes
  }

  expect(cells: number): Promise<void> {
    return this.#place.take(this.#cells + cells, this.#bytes)
  }

  begin(since?: number): Promise<void> {
    return this.#place.begin(since)
  }

  add(cells: number): void {
    this.#cells += cells
    assertWithin('cells', this.#cells)
  }

  reach(cells: number): void {
    this.#cells = Math.max(this.#cells, cells)
    assertWithin('cells', this.#cells)
  }

  addText(bytes: number): void {
    this.#bytes += bytes
    assertWithin('answer', this.#bytes)
  }

  addQuery(): void {
    assertWithin('queries', ++this.#queries)
  }

  leave(): void {
    this.#place.leave()
  }

  forget(): void {
    this.#cells = 0
    this.#bytes = 0
    this.#queries = 0
  }
}

// Concurrency limit of long statements: PostgreSQL runs few of them at a time for one process, so that short
// statements find free processors. Long statements are those of large calls, and those that took long lately.

/** Milliseconds of a long statement; a long one, which runs with few others, stays so above the second. */
export const LONG = 250
const STILL_LONG = 60

/** Uses for which a statement counts as long after a long run. */
const BELIEVED = 20

/** Statements that are kept, and characters of one. */
const [CAPACITY, LETTERS] = [200, 20_000]

/** Milliseconds that a statement waits at most; fewer where its call may hold locks. */
const [STATEMENT_PATIENCE, IMPATIENCE] = [6000, 1000]

/** Statements of one user that may wait. */
const WAITING_STATEMENTS = 1000

/** Remaining uses for which each statement counts as long, by its text. */
const usesByText = new Recent<string, number>(CAPACITY)
/** Whether any statement was long so far: a cheap test before each statement. */
export let isAnyKnown = false

/** Whether a statement took long lately, and may wait. */
export const isLong = ({ text, leads }: Statement): boolean => !leads && (usesByText.get(text) ?? 0) > 0

/** Records the duration of a read; other statements may wait for locks. */
export function noteTime(statement: Statement, ms: number): void {
  const left = usesByText.get(statement.text)
  if (ms > (left ? STILL_LONG : LONG)) {
    if (statement.text.length > LETTERS) return
    usesByText.set(statement.text, BELIEVED)
    isAnyKnown = true
  } else if (left === 1) usesByText.delete(statement.text)
  else if (left) usesByText.set(statement.text, left - 1)
}

let gate: Gate | undefined
const theGate = () =>
  (gate ??= new Gate({
    places: limits['long-statements'] || Math.max(2, availableParallelism() - 1),
    queue: WAITING_STATEMENTS,
    patienceMs: STATEMENT_PATIENCE,
    refusal: 'The database was too busy for a long search or change. Please try again.',
  }))

/**
 * Waits until few long statements are under way; returns a function to call when this one has ended. The
 * users (`holder`) of each database take turns; the server itself counts as a user. Throws
 * ServiceUnavailable after six seconds. A statement of an open transaction (`holds`) proceeds after one
 * second: statements that are queued before it may wait for its locks.
 */
export async function turnOf(
  database: object,
  holder: number | undefined,
  holds: boolean,
): Promise<() => void> {
  const who = `${serial(database)} ${holder}`
  if (!holds) return theGate().enter(who)
  try {
    return await theGate().enter(who, IMPATIENCE)
  } catch (error) {
    if (error instanceof ServiceUnavailable) return () => undefined
    throw error
  }
}
