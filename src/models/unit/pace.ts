// Long statements: PostgreSQL works on few of them at a time for one process, so that processors are left to
// the short ones of all others. Long are those of large calls, and those that took long lately.
import { availableParallelism } from 'node:os'
import { ServiceUnavailable } from '../../errors.ts'
import { Gate } from '../../kit/gate.ts'
import { Recent } from '../../kit/recent.ts'
import { serial } from '../../kit/serial.ts'
import { limits } from '../../limits.ts'
import type { Statement } from '../../sql/index.ts'

/** Milliseconds from which a statement is long; one that was long still is from fewer, with few beside it. */
export const LONG = 250
const STILL_LONG = 60

/** How often a statement is believed to be long after it was. */
const BELIEVED = 20

/** Statements that are remembered, and letters of one. */
const [CAPACITY, LETTERS] = [200, 20_000]

/** Milliseconds that a statement waits at most, and one whose call holds what others may wait for. */
const [PATIENCE, IMPATIENCE] = [6000, 1000]

/** Statements of one user that may wait. */
const WAITING = 1000

/** How often each long statement is still believed to be long, by its text. */
const known = new Recent<string, number>(CAPACITY)
/** Whether any statement was long so far: asked before each statement, so that most ask nothing else. */
export let isAnyKnown = false

/** Whether a statement took long lately, and may wait. */
export const isLong = ({ text, leads }: Statement): boolean => !leads && (known.get(text) ?? 0) > 0

/** Remembers how long a statement took: one that only reads, for others may wait for locks. */
export function noteTime(statement: Statement, ms: number): void {
  const left = known.get(statement.text)
  if (ms > (left ? STILL_LONG : LONG)) {
    if (statement.text.length > LETTERS) return
    known.set(statement.text, BELIEVED)
    isAnyKnown = true
  } else if (left === 1) known.delete(statement.text)
  else if (left) known.set(statement.text, left - 1)
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
 * Waits until few long statements are under way; gives what is to be called when this one is over. The users
 * (`holder`) of each database take turns, the server itself is one of them. Throws ServiceUnavailable after
 * six seconds; who `holds` a transaction goes on after one: others may wait for its locks, among them those
 * who are before it here.
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
