// What is sent to one endpoint side by side: what is about one record in its order, and more as it comes, so
// that one receiver's answer that is long in coming holds up nothing else.
import { present } from '../../kit/present.ts'
import type { Due } from './due.ts'

interface Around {
  /** Whether one at a time is asked for, in order: then what came later waits for the next round. */
  readonly ordered: boolean
  /** How many may be under way by now. */
  readonly atOnce: () => number
  /** Whether it arrived; null: nothing more is to be sent. */
  readonly send: (due: Due) => Promise<boolean | null>
  /** What is due by now and about other records than these. */
  readonly look: (taken: readonly Due[]) => Promise<readonly Due[]>
  /** Whether there is time for one more. */
  readonly goesOn: () => boolean
}

export class Round {
  readonly #around: Around
  #queue: (readonly [key: string, dues: readonly Due[]])[] = []
  /** What waits here or is being sent, by what is kept in order. */
  readonly #taken = new Map<string, Due>()
  #sending = 0
  #mayBeMore = false
  #isOver = false
  #arrived = false
  #failure: unknown
  #changed = Promise.withResolvers<void>()

  constructor(around: Around) {
    this.#around = around
  }

  /** Sends all of it, and what comes meanwhile; whether something arrived. */
  async run(dues: readonly Due[]): Promise<boolean> {
    this.#add(dues, new Map())
    const { atOnce, ordered } = this.#around
    while (this.#queue.length || this.#sending) {
      while (this.#sending < atOnce()) {
        const next = this.#queue.shift()
        if (!next) break
        void this.#sendGroup(...next)
      }
      const isIdle = this.#sending > 0 && this.#sending < atOnce() && !this.#isOver
      if (isIdle && this.#mayBeMore && !ordered) await this.#lookAgain()
      else if (this.#sending) await this.#changed.promise
    }
    if (this.#failure) throw this.#failure
    return this.#arrived
  }

  /** More may be due: it is looked for while somebody has nothing to do. */
  again(): void {
    this.#mayBeMore = true
    this.#tell()
  }

  #tell(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  #add(dues: readonly Due[], before: ReadonlyMap<string, Due>): void {
    const { ordered } = this.#around
    for (const [key, group] of Map.groupBy(dues, (due) => keyOf(due, ordered))) {
      if (!before.has(key) && !this.#taken.has(key)) {
        const inOrder = group.toSorted((a, b) => a.id - b.id)
        this.#taken.set(key, present(inOrder[0]))
        this.#queue.push([key, inOrder])
      }
    }
  }

  async #sendGroup(key: string, dues: readonly Due[]): Promise<void> {
    this.#sending++
    try {
      for (const one of dues) {
        const arrived = this.#isOver || !this.#around.goesOn() ? null : await this.#around.send(one)
        if (arrived === null) this.#end()
        this.#arrived ||= arrived === true
        // What is behind a failure is held by it.
        if (!arrived) break
      }
    } catch (error) {
      this.#failure ??= error
      this.#end()
    } finally {
      this.#sending--
      this.#taken.delete(key)
      // More of the same record may wait.
      this.#mayBeMore = true
      this.#tell()
    }
  }

  async #lookAgain(): Promise<void> {
    this.#mayBeMore = false
    // What ends while it is looked for may be found as if it still waited.
    const before = new Map(this.#taken)
    try {
      this.#add(await this.#around.look([...before.values()]), before)
    } catch (error) {
      this.#failure ??= error
      this.#end()
    }
  }

  #end(): void {
    this.#isOver = true
    this.#queue = []
  }
}

/** What is kept in order: all, what is about one record, or just one delivery. */
const keyOf = ({ id, model, record }: Due, ordered: boolean): string =>
  ordered ? '' : model === null ? `#${id}` : `${model} ${record}`
