// The guard of one call: methods that judge keys and passwords ask it for the pause after too many failures
// from one address (spec/wire.md section 7).
import { networkOf } from '../kit/network.ts'
import { hashKey, loginMark } from '../kit/secrets.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Guard } from '../models/language/outside.ts'
import type { Sql } from '../sql/index.ts'
import type { AttemptQueue } from './attempt-queue.ts'
import { Attempt, type Attempted, codeAttempt, loginAttempt } from './attempts.ts'
import { forgetQuery, type Subject } from './failures.ts'
import { confirmSession, type Judged, sessionConfirmed, sessionProven } from './sessions.ts'

export interface Guarded {
  readonly address: string
  /** The token of the browser session that calls, if it is one. */
  readonly session?: string | null
  /** The API key that calls, if it is one. */
  readonly keyId?: number | null
}

/**
 * Failures are counted by `settle` after the call's transaction has ended, as a failed call is rolled back.
 * The code that creates a guard must always call `settle`.
 */
export class AddressGuard implements Guard {
  readonly address: string
  readonly keyId: number | null
  readonly #session: string | null
  readonly #queue: AttemptQueue
  /** Created on first use: few calls verify a credential. */
  #attempt: Attempt | null = null
  #judged: Judged = 'key'
  #outcome: 'failed' | 'succeeded' | null = null

  constructor(queue: AttemptQueue, { address, session = null, keyId = null }: Guarded) {
    this.address = address
    this.keyId = keyId
    this.#session = session
    this.#queue = queue
  }

  get sessionHash(): Buffer | null {
    return this.#session ? hashKey(this.#session) : null
  }

  async assertNoCooldown(env: Environment, judged: Judged): Promise<void> {
    // Take a connection before a turn: attempts that hold a turn never wait for connections of those that
    // wait for one.
    await env.unit.credential.verify()
    const attempt = new Attempt(this.#queue, this.#attempted(env, judged))
    await attempt.begin()
    this.#attempt = attempt
    this.#judged = judged
  }

  async failed(): Promise<void> {
    this.#outcome = 'failed'
  }

  async succeeded(env: Environment): Promise<void> {
    this.#outcome = 'succeeded'
    if (this.#session) await env.unit.query(confirmSession(this.#session, this.#judged))
  }

  async isConfirmed(env: Environment): Promise<boolean> {
    if (!this.#session) return false
    const [row] = await env.unit.query(sessionConfirmed(this.#session))
    return row?.[0] === true
  }

  async isProven(env: Environment, minutes: number): Promise<boolean> {
    if (!this.#session) return false
    const [row] = await env.unit.query(sessionProven(this.#session, minutes))
    return row?.[0] === true
  }

  /** Resets the counts of users with new passwords, so that they do not wait for earlier guesses. */
  async forget(users: readonly { readonly id: number; readonly login: string }[]): Promise<void> {
    await this.#queue.run(forgetUsers(users))
  }

  /** Whether anything was to be judged. */
  get concerned(): boolean {
    return this.#attempt !== null
  }

  /** Writes down what the call came to. */
  async settle(): Promise<void> {
    const attempt = this.#attempt
    this.#attempt = null
    if (this.#outcome === 'failed') await attempt?.failed()
    else await (this.#outcome === 'succeeded' ? attempt?.right() : attempt?.giveBack())
  }

  #attempted({ uid, user: { login } }: Environment, judged: Judged): Attempted {
    const { address } = this
    if (judged === 'code' && login !== null) return codeAttempt(uid, login, address, 'call')
    if (judged === 'password' && login !== null) return loginAttempt(login, address, 'call')
    return { address, subjects: [{ kind: 'address', name: networkOf(address) }], login, by: 'call' }
  }
}

/** Forgets what was guessed at users, from wherever. */
export function forgetUsers(users: readonly { readonly id: number; readonly login: string }[]): Sql {
  return forgetQuery(
    users.flatMap(({ id, login }): Subject[] => [
      { kind: 'login', name: loginMark(login) },
      { kind: 'rpc user', name: String(id) },
      { kind: 'code', name: String(id) },
    ]),
  )
}
