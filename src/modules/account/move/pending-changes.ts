// Entries that are being changed: what lines and headers set in motion is settled once, when the outermost
// change of a call is made.
import type { Environment } from '#models'

/**
 * A change of the rate of an entry: its day or its currency is another, so that the rate is looked up;
 * somebody wrote the rate itself; or it was agreed, and stays whatever day is given.
 */
export type RateChange = 'redated' | 'written' | 'agreed'

/** Entries to settle, and those of them whose rate changed. */
type Settle = (moves: readonly number[], rates: ReadonlyMap<number, RateChange>) => Promise<void>

interface Work {
  /** Changes within changes. */
  depth: number
  /** Entries whose items are to be settled. */
  readonly touched: Set<number>
  readonly rates: Map<number, RateChange>
  /** The items are being settled: what is written now follows from what was written before. */
  settling: boolean
}

const works = new WeakMap<Environment['unit'], Work>()

function workOf({ unit }: Environment): Work {
  const existing = works.get(unit)
  if (existing) return existing
  const work: Work = { depth: 0, touched: new Set(), rates: new Map(), settling: false }
  works.set(unit, work)
  return work
}

/** Notes entries whose items are to be settled. */
export function touch(env: Environment, moves: Iterable<number>): void {
  const work = workOf(env)
  if (!work.settling) for (const id of moves) work.touched.add(id)
}

/** Notes entries that are to be settled at another rate. */
export function touchRates(env: Environment, moves: Iterable<number>, change: RateChange): void {
  const work = workOf(env)
  if (work.settling) return
  for (const id of moves) if (work.rates.get(id) !== 'agreed') work.rates.set(id, change)
}

/** Whether what is written now comes from settling itself. */
export const isSettling = (env: Environment): boolean => workOf(env).settling

/** Runs `work` without settling: the caller sets all items itself. */
export async function withoutSettling<T>(env: Environment, work: () => Promise<T>): Promise<T> {
  const changeWork = workOf(env)
  const before = changeWork.settling
  changeWork.settling = true
  try {
    return await work()
  } finally {
    changeWork.settling = before
  }
}

/** Does `change`, then `settle` with all entries that it touched, unless this is part of a larger change. */
export async function withSettledEntries<T>(
  env: Environment,
  change: () => Promise<T>,
  settle: Settle,
): Promise<T> {
  const work = workOf(env)
  work.depth++
  let answer: T
  try {
    answer = await change()
  } catch (error) {
    work.depth--
    if (work.depth === 0) {
      work.touched.clear()
      work.rates.clear()
    }
    throw error
  }
  work.depth--
  if (work.depth === 0 && work.touched.size && !work.settling) await settleTouched(work, settle)
  return answer
}

async function settleTouched(work: Work, settle: Settle): Promise<void> {
  const moves = [...work.touched]
  const rates = new Map(work.rates)
  work.touched.clear()
  work.rates.clear()
  work.settling = true
  try {
    await settle(moves, rates)
  } finally {
    work.settling = false
  }
}
