// Slows down guessing: after a few wrong answers in a row, every further one from the same address has to
// wait, one after the other.

import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied } from '../errors.ts'
import { networkOf } from '../kit/network.ts'
import { present } from '../kit/present.ts'
import { Recent } from '../kit/recent.ts'

export interface GuessPolicy {
  /** Wrong answers in a row that cost no wait. */
  readonly free: number
  /** The first wait in milliseconds; each further one is twice as long. */
  readonly firstMs: number
  readonly mostMs: number
  /** Milliseconds without a wrong answer after which an address is forgotten. */
  readonly forgetMs: number
}

const POLICY: GuessPolicy = { free: 5, firstMs: 250, mostMs: 5000, forgetMs: 10 * 60_000 }

/** Addresses that are remembered; the one with the oldest failure is dropped first. */
const MOST = 10_000

/**
 * Milliseconds that an answer waits to be judged, those before it included; what would wait longer is not
 * judged, right or wrong.
 */
const PATIENCE = 5500

/** Answers of one address that may wait to be judged; further ones are not. */
const MOST_WAITING = 100

/**
 * Wrong answers in a minute, from all addresses: beyond that only answers from addresses with an earlier
 * right one are verified.
 */
const MOST_A_MINUTE = 100
const MINUTE = 60_000

interface Guesser {
  wrong: number
  last: number
  /** Answers that were given and are not judged yet. */
  waiting: number
  /**
   * The answer before: answers of one address are verified one at a time, so that parallel requests gain
   * nothing.
   */
  turn: Promise<unknown>
}

interface Answer {
  readonly isRight: () => Promise<boolean>
  /** By `performance.now()`. */
  readonly until: number
}

export class Guesses {
  readonly #policy: GuessPolicy
  readonly #pause: (ms: number) => Promise<unknown>
  readonly #guessers = new Map<string, Guesser>()
  readonly #tell: (verdict: string) => void
  /** Where right ones came from. */
  readonly #trusted = new Recent<string, true>(MOST)
  /** Wrong ones of this minute, from wherever. */
  #minute = { since: 0, wrong: 0 }

  /**
   * `pause` waits; tests hand in one that only notes. `tell` is given every verdict, for the `hear` of other
   * processes.
   */
  constructor(
    policy: Partial<GuessPolicy> = {},
    pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
    tell: (verdict: string) => void = () => undefined,
  ) {
    this.#policy = { ...POLICY, ...policy }
    this.#pause = pause
    this.#tell = tell
  }

  /** A verdict of another process: its guesses count as if they had been made here. */
  hear(text: string): void {
    const [, outcome, address] = /^(right|wrong) (.+)$/s.exec(text) ?? []
    if (address !== undefined) this.#count(address, this.#guesserOf(address), outcome === 'right')
  }

  /**
   * Judges an answer from an address, later if that address was wrong too often; a right one clears its
   * account. Rejects with AccessDenied, whatever the answer, when it would be later than some seconds.
   */
  judge(from: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const address = networkOf(from)
    const guesser = this.#guesserOf(address)
    if (guesser.waiting >= MOST_WAITING) return Promise.reject(tooMany(PATIENCE))
    if (this.#tooManyElsewhere(address)) return Promise.reject(tooMany(MINUTE))
    guesser.waiting++
    const until = performance.now() + PATIENCE
    const result = guesser.turn
      .then(() => this.#judge(address, guesser, { isRight, until }))
      .finally(() => {
        guesser.waiting--
      })
    guesser.turn = result.catch(() => undefined)
    this.#remember(address, guesser)
    return result
  }

  #tooManyElsewhere(address: string): boolean {
    if (performance.now() - this.#minute.since > MINUTE) this.#minute = { since: performance.now(), wrong: 0 }
    return this.#minute.wrong >= MOST_A_MINUTE && !this.#trusted.get(address)
  }

  async #judge(address: string, guesser: Guesser, { isRight, until }: Answer): Promise<boolean> {
    const wait = this.waitOf(guesser.wrong)
    if (performance.now() + wait > until) throw tooMany(wait)
    if (wait > 0) await this.#pause(wait)
    const right = await isRight()
    // Right answers are common, and announced only if others wait because of wrong ones.
    if (!right || guesser.wrong > 0) this.#tell(`${right ? 'right' : 'wrong'} ${address}`)
    this.#count(address, guesser, right)
    return right
  }

  #guesserOf(address: string): Guesser {
    const now = performance.now()
    const guesser = this.#guessers.get(address)
    if (guesser && !(guesser.wrong > 0 && now - guesser.last > this.#policy.forgetMs)) return guesser
    return { wrong: 0, last: now, waiting: 0, turn: Promise.resolve() }
  }

  #count(address: string, guesser: Guesser, right: boolean): void {
    guesser.wrong = right ? 0 : guesser.wrong + 1
    guesser.last = performance.now()
    if (right) {
      this.#guessers.delete(address)
      this.#trusted.set(address, true)
    } else {
      this.#minute.wrong++
      this.#remember(address, guesser)
    }
  }

  /** Milliseconds to wait after so many wrong answers in a row. */
  waitOf(wrong: number): number {
    const { free, firstMs, mostMs } = this.#policy
    return wrong < free ? 0 : Math.min(mostMs, firstMs * 2 ** Math.min(wrong - free, 20))
  }

  #remember(address: string, guesser: Guesser): void {
    this.#guessers.delete(address)
    this.#guessers.set(address, guesser)
    if (this.#guessers.size > MOST) this.#guessers.delete(present(this.#guessers.keys().next().value))
  }
}

function tooMany(ms: number): AccessDenied {
  return new AccessDenied('Too many attempts with a wrong password: wait a moment', {
    retryAfter: Math.ceil(ms / 1000) || 1,
  })
}
