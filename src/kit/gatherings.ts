// Work that comes while the like of it is under way waits for that to end, and is then done at once with all
// that came meanwhile: the more there is to do, the less each of it costs. Who comes alone waits for nobody.

export interface GatheringOptions<T> {
  /** How many of a line go on at a time before further ones wait. */
  readonly atOnce: number
  /** Milliseconds after which those who wait go on all the same: nobody stands behind what takes long. */
  readonly patienceMs: number
  /** How many go together, and what they weigh in all at most; one by itself may weigh more. */
  readonly most: number
  readonly mostWeight: number
  readonly weigh: (item: T) => number
  /** Kinds of a line that wait at a time: whoever is of yet another one had better go alone. */
  readonly kinds: number
  /** Whether two of a line are of one kind, and may be done together. */
  readonly isAlike: (a: T, b: T) => boolean
}

interface Waiting<T> {
  readonly item: T
  readonly turn: (items: readonly T[] | null) => void
}

/** What waits for the same. */
interface Line<T> {
  running: number
  waiting: Waiting<T>[]
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

  /** Whether one may begin at once, as few of its line go on; it calls `end` then, and waits otherwise. */
  begins(key: string): boolean {
    const line = this.#lines.get(key)
    if (!line) this.#lines.set(key, { running: 1, waiting: [], timer: undefined })
    else if (line.running < this.#options.atOnce) line.running++
    else return false
    return true
  }

  /** Whether it pays to wait: one who is alike does, or those who do are of few kinds so far. */
  mayJoin(key: string, item: T): boolean {
    const { isAlike, kinds } = this.#options
    const others: T[] = []
    for (const { item: one } of this.#lines.get(key)?.waiting ?? []) {
      if (isAlike(one, item)) return true
      if (others.length < kinds && !others.some((other) => isAlike(other, one))) others.push(one)
    }
    return others.length < kinds
  }

  /**
   * When it is an item's turn: the items that are to be done by whoever gets them, who calls `end` behind
   * them; null where somebody else got this one among others. For those who may not begin.
   */
  wait(key: string, item: T): Promise<readonly T[] | null> {
    const line = this.#lines.get(key)
    if (!line) throw new Error('Nothing goes on that could be waited for.')
    line.timer ??= setTimeout(() => this.#late(line), this.#options.patienceMs)
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

  /** The first who waits gets all that go together with it. */
  #begin(line: Line<T>): void {
    const taken = this.#take(line)
    clearTimeout(line.timer)
    line.timer = line.waiting.length
      ? setTimeout(() => this.#late(line), this.#options.patienceMs)
      : undefined
    line.running++
    const items = taken.map(({ item }) => item)
    for (const [n, { turn }] of taken.entries()) turn(n === 0 ? items : null)
  }

  #take(line: Line<T>): Waiting<T>[] {
    const { most, mostWeight, weigh, isAlike } = this.#options
    const taken: Waiting<T>[] = []
    let weight = 0
    const [first] = line.waiting
    for (const one of line.waiting) {
      if (first && !isAlike(first.item, one.item)) continue
      weight += weigh(one.item)
      if (taken.length > 0 && (taken.length === most || weight > mostWeight)) break
      taken.push(one)
    }
    line.waiting = line.waiting.filter((one) => !taken.includes(one))
    return taken
  }
}
