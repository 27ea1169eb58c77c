// Places for a process's attempts. A receiver that does not answer occupies one for seconds: so users and
// their endpoints share them in a way that leaves some for the next asker, however many attempts hang.

/** An asker for a place: an endpoint of a user. */
export interface Asker {
  /** A user of a database. */
  readonly user: string
  readonly endpoint: number
  /** Whether its receiver answered the last time. */
  readonly isProven: () => boolean
}

interface Line {
  readonly asker: Asker
  readonly waiting: (() => void)[]
  held: number
}

/** The places of one process; `take` waits for one. */
export class Places {
  #free: number
  /** Endpoints that hold or wait for something, in the order in which they were served. */
  readonly #lines = new Map<string, Line>()
  readonly #users = new Map<string, number>()

  constructor(free: number) {
    this.#free = free
  }

  /** Resolves when there is a place, with what gives it back. */
  async take(asker: Asker): Promise<() => void> {
    const key = `${asker.user} ${asker.endpoint}`
    const line = this.#lines.get(key) ?? { asker, waiting: [], held: 0 }
    this.#lines.set(key, line)
    const { promise, resolve } = Promise.withResolvers<void>()
    line.waiting.push(resolve)
    this.#serve()
    await promise
    return () => this.#leave(key, line)
  }

  #leave(key: string, line: Line): void {
    this.#hold(line, -1)
    if (line.held === 0 && line.waiting.length === 0) this.#lines.delete(key)
    this.#serve()
  }

  #hold(line: Line, count: 1 | -1): void {
    const { user } = line.asker
    line.held += count
    this.#free -= count
    const held = this.#heldBy(user) + count
    if (held) this.#users.set(user, held)
    else this.#users.delete(user)
  }

  #heldBy(user: string): number {
    return this.#users.get(user) ?? 0
  }

  /**
   * A user may hold as many places as remain free: half of them alone, a third each of two. Their endpoints
   * share the user's places in the same way; an endpoint that has not answered yet has a single place, or two
   * while its user holds few.
   */
  #may({ asker, held }: Line): boolean {
    const heldByUser = this.#heldBy(asker.user)
    const room = this.#free - heldByUser
    if (room <= 0) return false
    if (held === 0) return true
    return held < (asker.isProven() ? room : room > heldByUser ? 2 : 1)
  }

  /** Places go to those whose user has the fewest, and of these to the endpoint that has the fewest. */
  #serve(): void {
    for (;;) {
      let best: Line | undefined
      const before = (a: Line, b: Line) =>
        this.#heldBy(a.asker.user) - this.#heldBy(b.asker.user) || a.held - b.held
      for (const line of this.#lines.values())
        if (line.waiting.length && this.#may(line) && (!best || before(line, best) < 0)) best = line
      if (!best) return
      this.#hold(best, 1)
      const key = `${best.asker.user} ${best.asker.endpoint}`
      this.#lines.delete(key)
      this.#lines.set(key, best)
      best.waiting.shift()?.()
    }
  }
}
