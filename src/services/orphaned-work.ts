// Finds work that dead processes left, by a look into every database. Processes also notify each other over a
// connection; this is the second safety net. Each look opens a connection, so many databases take long.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Databases } from '../databases/index.ts'

/** A worker that takes up work that was left. */
export interface Taker {
  readonly isClosed: boolean
  /** Whether it looks after a database already. */
  has(name: string): boolean
  /** Whether there is something for it. */
  finds(database: Database): Promise<boolean>
  wake(name: string, tell: boolean): void
}

/** Looks into every database, once for all takers together. */
export async function findOrphanedWork(
  databases: Pick<Databases, 'list' | 'visit'>,
  takers: readonly Taker[],
): Promise<void> {
  for (const name of await databases.list().catch(() => [])) {
    const open = takers.filter((taker) => !taker.isClosed && !taker.has(name))
    if (takers.every(({ isClosed }) => isClosed)) return
    if (open.length === 0) continue
    // One that is away, or gone, is looked into the next time.
    const concerned = await databases
      .visit(name, async (database) => {
        const needed: Taker[] = []
        for (const taker of open) if (await taker.finds(database)) needed.push(taker)
        return needed
      })
      .catch(() => [])
    for (const taker of concerned) taker.wake(name, false)
  }
}

/** Milliseconds between two passes at least, and how much longer than a pass the pause after it is. */
const [PAUSE_MS, REST] = [60_000, 9]

/**
 * Passes, one after the other: a pass through thousands of databases that takes long is followed by a long
 * rest, so that all of them together take a tenth of a core at most. The first begins at once.
 */
export class Passes {
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(pass: () => Promise<void>, pauseMs = PAUSE_MS) {
    this.#running = this.#run(pass, pauseMs)
  }

  /** Begins no other one, and waits for the one that goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(pass: () => Promise<void>, pauseMs: number): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const began = performance.now()
      await pass()
      const pause = Math.max(pauseMs, REST * (performance.now() - began))
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
