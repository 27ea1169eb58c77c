// Long loops take turns with everything else that the process does.
import { turn } from './turns.ts'

/** Milliseconds of work in a row. */
const TURN = 20

export class Pace {
  #since = performance.now()

  /** Whether this turn was long enough. */
  get due(): boolean {
    return performance.now() - this.#since >= TURN
  }

  /** Lets others have their turn when this one was long enough. */
  async step(): Promise<void> {
    if (!this.due) return
    await turn()
    this.#since = performance.now()
  }
}

/** Items that a loop processes between two looks at the clock. */
const STRIDE = 64

/** As `map`, in turns. */
export async function mapInTurns<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const pace = new Pace()
  const out: R[] = []
  for (const [i, item] of items.entries()) {
    out.push(map(item, i))
    if (i % STRIDE === STRIDE - 1 && pace.due) await pace.step()
  }
  return out
}
