// Sends to one endpoint concurrently: deliveries about one record in their order, others as they come, so
// that one slow answer of the receiver delays nothing else.
import { present } from '../../kit/present.ts'
import type { Due } from './due-deliveries.ts'

interface Around {
  /** Whether one at a time is asked for, in order: then what came later waits for the next round. */
  readonly ordered: boolean
  /** Most concurrent attempts at the moment. */
  readonly atOnce: () => number
  /** Whether it arrived; null: nothing more is to be sent. */
  readonly send: (due: Due) => Promise<boolean | null>
  /** Looks for due deliveries about other records than these. */
  readonly look: (taken: readonly Due[]) => Promise<readonly Due[]>
  /** Whether there is time for one more. */
  readonly goesOn: () => boolean
}

/** One round of deliveries to an endpoint: it ends when nothing more is due, or an attempt ends it. */
export class Round {
  readonly #around: Around
  #queue: (readonly [key: string, dues: readonly Due[]])[] = []
  /** Deliveries that are queued here or being sent, by the key that orders them. */
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

  /** More may be due: look for it as soon as an attempt could begin. */
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
      for (const delivery of dues) {
        const arrived = this.#isOver || !this.#around.goesOn() ? null : await this.#around.send(delivery)
        if (arrived === null) this.#end()
        this.#arrived ||= arrived === true
        // Later deliveries about the record wait for the failed one.
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
    // A delivery that ends during the look may be returned by it as if it still waited.
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

/**
 * Deliveries with the same key are sent in order: all of an endpoint, those of one record, or a single one.
 */
const keyOf = ({ id, model, record }: Due, ordered: boolean): string =>
  ordered ? '' : model === null ? `#${id}` : `${model} ${record}`
