// Concurrency limit of long statements: PostgreSQL runs few of them at a time for one process, so that
// short statements find free processors. Long statements are those of large calls, and those that took
// long lately.
import { availableParallelism } from 'node:os'
import { ServiceUnavailable } from '../../errors.ts'
import { Gate } from '../../kit/gate.ts'
import { Recent } from '../../kit/recent.ts'
import { serial } from '../../kit/serial.ts'
import { limits } from '../../limits.ts'
import type { Statement } from '../../sql/index.ts'

/**
 * Milliseconds from which a statement is long. A long one stays long above the lower value: it runs with
 * few others.
 */
export const LONG = 250
const STILL_LONG = 60

/** Uses for which a statement counts as long after a long run. */
const BELIEVED = 20

/** Statements that are kept, and characters of one. */
const [CAPACITY, LETTERS] = [200, 20_000]

/** Milliseconds that a statement waits at most; fewer where its call may hold locks. */
const [PATIENCE, IMPATIENCE] = [6000, 1000]

/** Statements of one user that may wait. */
const WAITING = 1000

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
    queue: WAITING,
    patienceMs: PATIENCE,
    refusal: 'The database had no time for a long search or change.',
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
