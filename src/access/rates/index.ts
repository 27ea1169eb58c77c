// Rate and concurrency limits of callers, counted in memory before a body is read, without a statement
// (docs/decisions/0045).
import { TooManyRequests } from '../../errors.ts'
import type { Rate } from '../../kit/rate.ts'
import type { CallLimits } from './policy.ts'
import { type Left, Windows } from './window.ts'

export type { CallLimits } from './policy.ts'

/** The reply to a request, which carries limits as headers. */
export interface Answering {
  header(name: string, value: string): unknown
  readonly raw: { readonly closed: boolean; once(event: 'close', then: () => void): unknown }
}

/** A caller that limits apply to. */
export interface Counted {
  /** The same for all calls that count together. */
  readonly name: string
  /** Limits of the key's policy. */
  readonly limits: CallLimits | null
  /** Nodes that share what there is. */
  readonly nodes: number
}

/** Limits and count that a request was admitted with. */
interface Admitted {
  limits: CallLimits | null
  calls: number
}

/** A window that a call falls into. */
interface Policy {
  readonly policy: string
  readonly rate: Rate
}

/** Longest time until a call that found too many others running may try again, in seconds. */
const SOON = 1

export class Rates {
  readonly #general: CallLimits | null
  readonly #windows: Windows
  readonly #running = new Map<string, number>()
  readonly #admitted = new WeakMap<Answering, Admitted>()
  readonly #hear: (code: string) => void
  #active: boolean

  /** `general` applies to all callers; `hear` is called for refusals. */
  constructor(
    general: CallLimits | null,
    hear: (code: string) => void = () => undefined,
    now = () => performance.now(),
  ) {
    this.#general = general
    this.#active = general !== null
    this.#windows = new Windows(now)
    this.#hear = hear
  }

  /** Whether any limit is set: otherwise calls are not counted. */
  get active(): boolean {
    return this.#active
  }

  /** Whether calls with these limits are counted. */
  counts(limits: CallLimits | null): boolean {
    if (limits) this.#active = true
    return limits !== null || this.#general !== null
  }

  /**
   * Counts a request, once, as so many calls. Throws TooManyRequests for what is too much, of which then
   * nothing counts.
   */
  admit({ name, limits, nodes }: Counted, answering: Answering, calls = 1): void {
    const before = this.#admitted.get(answering)
    // A request that was admitted under another policy than the current one is checked against the current
    // one too.
    const admitted = before && isSame(before.limits, limits) ? before : undefined
    const more = calls - (admitted?.calls ?? 0)
    if (more <= 0) return
    const policies = this.#policiesOf(limits)
    const most = Math.min(limits?.concurrency ?? Infinity, this.#general?.concurrency ?? Infinity)
    this.#setPolicies(answering, policies, most)
    const keyOf = ({ policy }: Policy) => `${policy} ${name}`
    const share = ({ quota, seconds }: Rate) => ({ quota: Math.max(1, Math.floor(quota / nodes)), seconds })
    const states = policies.map((policy) => ({
      policy,
      left: this.#windows.left(keyOf(policy), share(policy.rate)),
    }))
    const violated = states.filter(({ left }) => left.remaining < more)
    if (violated.length > 0) {
      setRateLimit(answering, states)
      throw this.#refusal(violated)
    }
    if (!admitted && most < Infinity) this.#begin(name, Math.max(1, Math.floor(most / nodes)), answering)
    for (const { policy } of states) this.#windows.take(keyOf(policy), share(policy.rate), more)
    setRateLimit(
      answering,
      states.map(({ policy, left }) => ({ policy, left: { ...left, remaining: left.remaining - more } })),
    )
    this.#admitted.set(answering, { limits, calls })
  }

  /** The key's policy comes first, then the general one. */
  #policiesOf(limits: CallLimits | null): readonly Policy[] {
    const general = this.#general?.rate
    const applicable: Policy[] = []
    if (limits?.rate) applicable.push({ policy: 'key', rate: limits.rate })
    if (limits?.burst) applicable.push({ policy: 'burst', rate: { quota: limits.burst, seconds: 1 } })
    if (general) applicable.push({ policy: limits?.rate ? 'default' : 'key', rate: general })
    return applicable
  }

  #setPolicies(answering: Answering, policies: readonly Policy[], most: number): void {
    const items = policies.map(
      ({ policy, rate: { quota, seconds } }) => `"${policy}";q=${quota};w=${seconds}`,
    )
    if (most < Infinity) items.push(`"concurrent";q=${most};qu="concurrent-requests"`)
    answering.header('ratelimit-policy', items.join(', '))
  }

  #begin(name: string, most: number, answering: Answering): void {
    const running = this.#running.get(name) ?? 0
    if (running >= most) {
      answering.header('ratelimit', '"concurrent";r=0')
      this.#hear('too_many_at_once')
      throw new TooManyRequests(`Only ${most} calls may run at a time. Please try again.`, {
        code: 'too_many_at_once',
        context: { 'violated-policies': ['concurrent'] },
        retryAfter: SOON,
      })
    }
    if (answering.raw.closed) return
    this.#running.set(name, running + 1)
    answering.raw.once('close', () => {
      const left = (this.#running.get(name) ?? 1) - 1
      if (left > 0) this.#running.set(name, left)
      else this.#running.delete(name)
    })
  }

  #refusal(violated: readonly { readonly policy: Policy; readonly left: Left }[]): TooManyRequests {
    this.#hear('rate_exceeded')
    const retryAfter = Math.max(...violated.map(({ left }) => left.seconds))
    return new TooManyRequests(`Too many calls. Please try again in ${retryAfter} seconds.`, {
      code: 'rate_exceeded',
      context: { 'violated-policies': violated.map(({ policy }) => policy.policy) },
      retryAfter,
    })
  }
}

/** True for equal limits: a caller that was read again has a new object. */
function isSame(first: CallLimits | null, other: CallLimits | null): boolean {
  return first === other || JSON.stringify(first) === JSON.stringify(other)
}

function setRateLimit(
  answering: Answering,
  states: readonly { readonly policy: Policy; readonly left: Left }[],
): void {
  if (states.length === 0) return
  const items = states.map(({ policy, left }) => `"${policy.policy}";r=${left.remaining};t=${left.seconds}`)
  answering.header('ratelimit', items.join(', '))
}
