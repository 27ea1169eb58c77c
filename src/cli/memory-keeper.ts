// Gives back what a process that answers held for its start and for large calls: V8 keeps the pages of what
// it collected, and collects nothing while only small things go on (decisions/0070).
import { performance } from 'node:perf_hooks'

/** Milliseconds between two looks. */
const LOOK_MS = 5000
/** The share of its time that a process works at most in a moment that counts as calm. */
const CALM = 0.2
/** Calm looks in a row before a collection: what just ended may go on. */
const CALM_LOOKS = 2
/** Bytes above the least that was ever held, from which a collection is worth its pause. */
const SLACK = 64 * 1024 ** 2
/** Looks between two collections, and at most (an hour) if they gave nothing back. */
const [REST, LONGEST_REST] = [6, 720]

/** State of a process at one moment. */
export interface Look {
  /** Bytes that it has of the machine. */
  readonly resident: number
  /** Whether it worked much since the last look. */
  readonly isBusy: boolean
}

/** Decides when a process is to give memory back. */
export class MemoryKeeper {
  #least = Number.POSITIVE_INFINITY
  /** Whether it still has what only its start needed. */
  #isFresh = true
  #calm = 0
  #rest = 0
  /** Collections in a row that gave little back. */
  #vain = 0

  /** Whether memory is to be given back now. */
  look({ resident, isBusy }: Look): boolean {
    this.#least = Math.min(this.#least, resident)
    this.#calm = isBusy ? 0 : this.#calm + 1
    if (this.#rest > 0) this.#rest--
    const isWorthIt = this.#isFresh || resident > this.#least + SLACK
    return this.#rest === 0 && this.#calm >= CALM_LOOKS && isWorthIt
  }

  /** Resident bytes before and after a collection. If it gave little back, the next one comes ever later. */
  collected(before: number, after: number): void {
    this.#least = Math.min(this.#least, after)
    this.#isFresh = false
    this.#vain = before - after < SLACK / 4 ? this.#vain + 1 : 0
    this.#rest = Math.min(REST * 2 ** this.#vain, LONGEST_REST)
  }
}

/** Watches this process until it ends, if collections can be requested (`--expose-gc`). */
export function keepMemory(): void {
  const collect = globalThis.gc
  if (!collect) return
  const keeper = new MemoryKeeper()
  let usage = performance.eventLoopUtilization()
  setInterval(async () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, usage)
    usage = now
    const resident = process.memoryUsage.rss()
    if (!keeper.look({ resident, isBusy: utilization > CALM })) return
    // No other kind of collection gives back the pages that it emptied.
    await collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
    keeper.collected(resident, process.memoryUsage.rss())
  }, LOOK_MS).unref()
}
