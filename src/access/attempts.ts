// Attempts to prove an identity. Each reserves a place in the counts of its address and login before anything
// is verified, so that of any number at once, on any number of nodes, no more are verified than may fail. An
// attempt that has to wait is refused, right or wrong; failures are counted, answered late and logged.
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied, ServiceUnavailable } from '../errors.ts'
import { networkOf } from '../kit/network.ts'
import { patience } from '../kit/patience.ts'
import { loginMark } from '../kit/secrets.ts'
import { askJson } from './ask.ts'
import type { AttemptQueue } from './attempt-queue.ts'
import {
  countQuery,
  delayOf,
  type Failures,
  isPaused,
  type Kind,
  limitOf,
  type Parameters,
  pauseOf,
  releaseQuery,
  reserveQuery,
  type Subject,
  stateQuery,
} from './failures.ts'

interface State {
  readonly parameters: Parameters | null
  readonly failures: readonly Failures[] | null
  readonly known: boolean
}

/** Origin of an attempt, and the subjects that count it. */
export interface Attempted {
  readonly address: string
  readonly subjects: readonly Subject[]
  /** Name of the caller in the log; an attempt does not prove a user's name. */
  readonly login?: string | null
  /** The user whom the attempt is about, where no login is given. */
  readonly uid?: number
  /** The entry point: a form, a protocol, a method. */
  readonly by: string
  /** The audit event of a failure by a known user; by default `login.failed`, without a user. */
  readonly refusal?: string
  /** Whether a right password resets the counts of the other subjects too. */
  readonly clears?: boolean
}

/**
 * An attempt over a form or RPC's logins: counts for the address and, from wherever it comes, for the login.
 */
export function loginAttempt(login: string, address: string, by: string): Attempted {
  // People type passwords where logins belong: only the log, which administrators read, holds what was typed.
  const subjects: Subject[] = [
    { kind: 'address', name: networkOf(address) },
    { kind: 'login', name: loginMark(login) },
  ]
  return { address, subjects, login, by }
}

/** A code of the second factor of a user whose password was right, at the login or in a session. */
export function codeAttempt(uid: number, login: string, address: string, by: string): Attempted {
  const attempted = loginAttempt(login, address, by)
  const subjects: Subject[] = [...attempted.subjects, { kind: 'code', name: String(uid) }]
  return { ...attempted, subjects, uid, refusal: 'second_factor.refused' }
}

/** The subject that counts attempts at one user over RPC from one address. */
export function userFromAddress(uid: number, address: string): Subject {
  return { kind: 'rpc here', name: `${uid} ${networkOf(address)}` }
}

/**
 * An attempt of a call over RPC that sends a password each time. `wasRight`: the process remembers this very
 * password as right from this address. It does not wait for failures of others at the address or elsewhere,
 * only for guesses at this user from this address: otherwise the missing wait would reveal a right password.
 */
export function userAttempt(uid: number, address: string, wasRight: boolean): Attempted {
  const userAtAddress = userFromAddress(uid, address)
  const others: Subject[] = [
    { kind: 'rpc address', name: networkOf(address) },
    { kind: 'rpc user', name: String(uid) },
  ]
  return {
    address,
    subjects: wasRight ? [userAtAddress] : [userAtAddress, ...others],
    uid,
    by: `rpc user ${uid}`,
    clears: !wasRight,
  }
}

/**
 * Subjects that wait only if they had no recent success: otherwise strangers could lock people out by failing
 * in their name.
 */
const exempted: ReadonlySet<Kind> = new Set(['login', 'rpc user'])

/** Milliseconds that an attempt waits for others that are being judged, on other nodes perhaps. */
const PATIENCE = 10_000

/**
 * One attempt: `judge`, or `begin` and one of the three ends. Its statements are outside of any transaction:
 * a failure stays counted whatever becomes of the call.
 */
export class Attempt {
  readonly #queue: AttemptQueue
  readonly #of: Attempted
  #state: State = { parameters: null, failures: null, known: false }
  #leave: (() => void) | null = null

  constructor(queue: AttemptQueue, attempted: Attempted) {
    this.#queue = queue
    this.#of = attempted
  }

  /**
   * The result of `work`, null for a wrong credential. Counts are reset unless it is right and not `isWhole`
   * yet. Throws AccessDenied while one of the subjects has to wait, ServiceUnavailable when too many wait for
   * verification.
   */
  async judge<T>(
    work: () => Promise<T | null>,
    isWhole: (result: T) => boolean = () => true,
  ): Promise<T | null> {
    await this.begin()
    const result = await work().catch(async (error: unknown) => {
      await this.giveBack()
      throw error
    })
    if (result === null) await this.failed()
    else await (isWhole(result) ? this.right() : this.giveBack())
    return result
  }

  /**
   * Takes a place among those being judged. Throws AccessDenied while one of the subjects has to wait,
   * ServiceUnavailable when too many wait to be judged.
   */
  async begin(): Promise<void> {
    this.#leave = await this.#queue.turns.enter(networkOf(this.#of.address))
    try {
      await this.#reserve()
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  async #reserve(): Promise<void> {
    const { subjects } = this.#of
    const end = performance.now() + PATIENCE * patience.factor
    for (;;) {
      await this.#assertNone()
      const rows = await this.#queue.run(reserveQuery(subjects.map((subject) => this.#wanted(subject))))
      if (rows.length === subjects.length) return
      const taken = subjects.filter(({ kind }) => rows.some((row) => row[0] === kind))
      if (taken.length) await this.#queue.run(releaseQuery(taken, false))
      if (performance.now() > end)
        throw new ServiceUnavailable('Too many logins are being checked. Try again in a moment.')
      await sleep(10 + Math.random() * 40)
    }
  }

  #wanted(subject: Subject) {
    const limit = limitOf(subject.kind, this.#state.parameters ?? {})
    const seen = this.#state.failures?.find(({ kind }) => kind === subject.kind)?.count ?? null
    return {
      ...subject,
      seen,
      limit: limit <= 0 || this.#isExempt(subject.kind) ? Number.MAX_SAFE_INTEGER : limit,
    }
  }

  #isExempt(kind: Kind): boolean {
    return this.#state.known && exempted.has(kind)
  }

  async #assertNone(): Promise<void> {
    this.#state = (await askJson<State>(this.#queue.ask, stateQuery(this.#of))) ?? this.#state
    const parameters = this.#state.parameters ?? {}
    const waiting = this.#state.failures?.filter(
      (failures) => isPaused(failures, parameters) && !this.#isExempt(failures.kind),
    )
    if (!waiting?.length) return
    await this.#countHere(waiting)
    const retryAfter = Math.ceil(
      Math.max(...waiting.map((failures) => pauseOf(failures, parameters) - failures.age)),
    )
    throw new AccessDenied('Too many login failures, please wait a bit before trying again.', { retryAfter })
  }

  /**
   * An attempt that goes on while the address has to wait is counted for the user: a remembered password
   * waits for nothing else.
   */
  async #countHere(waiting: readonly Failures[]): Promise<void> {
    const userAtAddress = this.#of.subjects.find(({ kind }) => kind === 'rpc here')
    if (userAtAddress && !waiting.some(({ kind }) => kind === userAtAddress.kind))
      await this.#queue.run(countQuery([userAtAddress]))
  }

  /** Counts and writes down a failure, and holds its answer back the longer the more there were. */
  async failed(): Promise<void> {
    const { subjects, address, login, by, uid, refusal } = this.#of
    const rows = await this.#queue.run(countQuery(subjects)).finally(() => this.#leave?.())
    const parameters = this.#state.parameters ?? {}
    const counts = subjects.map(({ kind }) => ({
      limit: limitOf(kind, parameters),
      count: Number(rows.find((row) => row[0] === kind)?.[1] ?? 0),
    }))
    const paused = counts.some(({ limit, count }) => limit > 0 && count === limit)
    await this.#queue.write({
      event: refusal ?? 'login.failed',
      uid: refusal ? (uid ?? null) : null,
      login: login ?? null,
      address,
      detail: { by, ...(paused ? { paused } : {}) },
    })
    await sleep(Math.max(...counts.map(({ limit, count }) => delayOf(count, limit))))
  }

  /** The credential was right: resets the counts. */
  async right(): Promise<void> {
    await this.#end(this.#of.clears ?? true)
  }

  /** Neither right nor wrong: something else came between. */
  async giveBack(): Promise<void> {
    await this.#end(false)
  }

  async #end(anew: boolean): Promise<void> {
    await this.#queue.run(releaseQuery(this.#of.subjects, anew)).finally(() => this.#leave?.())
  }

  /** Writes down that `uid` signed in. */
  async signedIn(uid: number): Promise<void> {
    const { address, login, by } = this.#of
    await this.#queue.write({
      event: 'login',
      uid,
      login: login ?? null,
      address,
      model: 'res.users',
      record: uid,
      detail: { by },
    })
  }
}
