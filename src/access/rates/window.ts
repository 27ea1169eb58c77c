// Calls counted in windows of time, in memory: a window begins with the first call in it.
import type { Rate } from '../../kit/rate.ts'
import { Recent } from '../../kit/recent.ts'

interface Window {
  began: number
  used: number
}

/** The rest of a quota. */
export interface Left {
  readonly remaining: number
  /** Seconds until the window ends, rounded up. */
  readonly seconds: number
}

/** Callers that are counted at most; the least recent are forgotten first. */
const MOST = 100_000

export class Windows {
  readonly #windows = new Recent<string, Window>(MOST)
  readonly #now: () => number

  /** `now` gives milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The rest of a quota, without taking from it. */
  left(name: string, rate: Rate): Left {
    const { used, began } = this.#of(name, rate)
    const seconds = Math.ceil((began + rate.seconds * 1000 - this.#now()) / 1000)
    return { remaining: Math.max(0, rate.quota - used), seconds: Math.max(1, seconds) }
  }

  /** Takes this amount, even beyond the quota. */
  take(name: string, rate: Rate, amount: number): void {
    const window = this.#of(name, rate)
    window.used += amount
    this.#windows.set(name, window)
  }

  #of(name: string, { seconds }: Rate): Window {
    const existing = this.#windows.get(name)
    const now = this.#now()
    return existing && now < existing.began + seconds * 1000 ? existing : { began: now, used: 0 }
  }
}
