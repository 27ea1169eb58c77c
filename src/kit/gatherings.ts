// Work that comes while the like of it is under way waits for that to end, and is then done at once with all
// that came meanwhile: the more there is to do, the less each of it costs. Who comes alone waits for nobody.

export interface GatheringOptions<T> {
  /** How many of the like go on at a time before further ones wait. */
  readonly atOnce: number
  /** Milliseconds after which those who wait go on all the same: nobody stands behind what takes long. */
  readonly patienceMs: number
  /** How many go together, and what they weigh in all at most; one by itself may weigh more. */
  readonly most: number
  readonly mostWeight: number
  readonly weigh: (item: T) => number
}

interface Waiting<T> {
  readonly item: T
  readonly turn: (items: readonly T[] | null) => void
}

/** What is alike. */
interface Line<T> {
  running: number
  readonly waiting: Waiting<T>[]
  timer: NodeJS.Timeout | undefined
}

export class Gatherings<T> {
  readonly #options: GatheringOptions<T>
  /** Lines in which something goes on. */
  readonly #lines = new Map<string, Line<T>>()

  constructor(options: GatheringOptions<T>) {
    this.#options = options
  }

  /** How many lines something goes on in. */
  get size(): number {
    return this.#lines.size
  }

  /**
   * When it is an item's turn: the items that are to be done by whoever gets them, at once where nobody is in
   * the way; null where somebody else got this one among others. Who gets items calls `end` behind them.
   */
  enter(key: string, item: T): readonly T[] | Promise<readonly T[] | null> {
    const { atOnce, patienceMs } = this.#options
    const line = this.#lines.get(key) ?? { running: 0, waiting: [], timer: undefined }
    this.#lines.set(key, line)
    if (line.running < atOnce) {
      line.running++
      return [item]
    }
    line.timer ??= setTimeout(() => this.#late(line), patienceMs)
    return new Promise((turn) => {
      line.waiting.push({ item, turn })
    })
  }

  /** What was got is done. */
  end(key: string): void {
    const line = this.#lines.get(key)
    if (!line) return
    line.running--
    if (line.waiting.length > 0 && line.running < this.#options.atOnce) this.#begin(line)
    if (line.running === 0) this.#lines.delete(key)
  }

  #late(line: Line<T>): void {
    line.timer = undefined
    this.#begin(line)
  }

  /** The first who waits gets as many as go together. */
  #begin(line: Line<T>): void {
    const taken = line.waiting.splice(0, this.#fitting(line.waiting))
    clearTimeout(line.timer)
    line.timer = line.waiting.length
      ? setTimeout(() => this.#late(line), this.#options.patienceMs)
      : undefined
    line.running++
    const items = taken.map(({ item }) => item)
    for (const [n, { turn }] of taken.entries()) turn(n === 0 ? items : null)
  }

  #fitting(waiting: readonly Waiting<T>[]): number {
    const { most, mostWeight, weigh } = this.#options
    let weight = 0
    let n = 0
    for (const { item } of waiting) {
      weight += weigh(item)
      if (n > 0 && (n === most || weight > mostWeight)) break
      n++
    }
    return n
  }
}
