// Limits the memory of all request bodies together: no client takes all of it, and when it is full, bodies
// wait for a moment, in order.
import { ServiceUnavailable } from '../errors.ts'
import { limits } from '../limits.ts'

/**
 * Milliseconds that a body waits for others: once, and in total. Without the total, bodies that make each
 * other wait block by block would wait until the last of them times out.
 */
const [PATIENCE, ALTOGETHER] = [3000, 5000]
/** Seconds after which a body that waited in vain may be sent again. */
const RETRY_AFTER = 2

const FULL = 'The server is processing too many large requests. Please try again.'

/** Parts of the limit: what may be taken in one name. */
const shares = {
  /** Bodies whose sender has proven nothing. */
  unproven: 1 / 4,
  address: 1 / 2,
  user: 1 / 2,
  database: 3 / 4,
} as const

/**
 * The name that a body's memory counts for: `address 10.0.0.1`, `user main 2`. The first word selects its
 * share.
 */
export type Name = `${keyof typeof shares}${'' | ` ${string}`}`

interface Waiting {
  readonly account: Account
  readonly amount: number
  readonly resolve: () => void
  readonly reject: (reason: ServiceUnavailable) => void
  /** When it began, by `performance.now()`. */
  readonly since: number
  readonly timer: NodeJS.Timeout
}

/** Bytes held, by name; and waiting bodies, in order. One per server. */
export class BodyMemory {
  readonly #held = new Map<Name, number>()
  readonly #patience: number
  readonly #altogether: number
  #total = 0
  #queue: Waiting[] = []

  constructor(patience = PATIENCE, altogether = ALTOGETHER) {
    this.#patience = patience
    this.#altogether = altogether
  }

  /** Bytes that all bodies hold at the moment. */
  get total(): number {
    return this.#total
  }

  /** The account of a body that an address sends. */
  account(address: string): Account {
    return new Account(this, ['unproven', `address ${address}`])
  }

  /**
   * Counts bytes for an account: at once, or when others are done. Rejects with ServiceUnavailable (503) when
   * that takes too long.
   */
  take(account: Account, amount: number): void | Promise<void> {
    if (this.#queue.length === 0 && this.#fits(account, amount)) return this.#add(account, amount)
    return new Promise((resolve, reject) => {
      const left = Math.min(this.#patience, this.#altogether - account.waited)
      const timer = setTimeout(() => this.#rejectWaiting(account), left)
      this.#queue.push({ account, amount, resolve, reject, since: performance.now(), timer })
      // Others may wait for shares that are not this one's.
      this.#next()
    })
  }

  /** Takes back all that an account holds or waits for. */
  leave(account: Account): void {
    this.#count(account.names, -account.held)
    this.#total -= account.held
    account.held = 0
    this.#rejectWaiting(account)
  }

  /** Counts what an account holds in other names from now on. */
  rename(account: Account, names: readonly Name[]): void {
    this.#count(account.names, -account.held)
    this.#count(names, account.held)
    account.names = names
    this.#next()
  }

  /** Ends the waiting of an account. */
  #rejectWaiting(account: Account): void {
    const gone = this.#queue.filter((waiting) => waiting.account === account)
    for (const { timer } of gone) clearTimeout(timer)
    this.#queue = this.#queue.filter((waiting) => waiting.account !== account)
    for (const { reject } of gone) reject(new ServiceUnavailable(FULL, { retryAfter: RETRY_AFTER }))
    this.#next()
  }

  /** Serves the queue in order; an account that waits for its own share does not delay the others. */
  #next(): void {
    let isFull = false
    this.#queue = this.#queue.filter(({ account, amount, resolve, since, timer }) => {
      isFull ||= this.#total > account.held && this.#total + amount > limits['in-flight']
      if (isFull || !this.#fits(account, amount)) return true
      clearTimeout(timer)
      account.waited += performance.now() - since
      this.#add(account, amount)
      resolve()
      return false
    })
  }

  /** Whether there is room. A single body fits whatever the limit: its own limit bounds it. */
  #fits(account: Account, amount: number): boolean {
    const fits = (held: number, part: number) =>
      held === account.held || held + amount <= limits['in-flight'] * part
    return (
      fits(this.#total, 1) && account.names.every((name) => fits(this.#held.get(name) ?? 0, shareOf(name)))
    )
  }

  #add(account: Account, amount: number): void {
    this.#count(account.names, amount)
    this.#total += amount
    account.held += amount
  }

  #count(names: readonly Name[], amount: number): void {
    for (const name of names) {
      const held = (this.#held.get(name) ?? 0) + amount
      if (held > 0) this.#held.set(name, held)
      else this.#held.delete(name)
    }
  }
}

const shareOf = (name: Name): number => shares[name.split(' ', 1)[0] as keyof typeof shares]

/** Memory of one body, from its first bytes until its call is answered. */
export class Account {
  readonly #memory: BodyMemory
  names: readonly Name[]
  held = 0
  /** Milliseconds that it waited for others so far. */
  waited = 0
  #isClosed = false

  constructor(memory: BodyMemory, names: readonly Name[]) {
    this.#memory = memory
    this.names = names
  }

  /** Counts bytes; they may have to wait for others. Rejects with ServiceUnavailable (503). */
  take(amount: number): void | Promise<void> {
    if (!this.#isClosed && amount > 0) return this.#memory.take(this, amount)
  }

  /** The sender has proven who they are: the body counts for them. */
  rename(...names: readonly Name[]): void {
    this.#memory.rename(this, [...names, ...this.names.filter((name) => name.startsWith('address'))])
  }

  /** Nothing is held any more. */
  close(): void {
    this.#isClosed = true
    this.#memory.leave(this)
  }
}
