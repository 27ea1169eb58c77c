// The guard of one call: methods that judge keys and passwords ask it for the pause after too many failures from one address (spec/wire.md section 7).
import { hashKey } from '../kit/secrets.ts'
import type { Environment } from '../models/environment.ts'
import type { AuditRow } from '../models/rights/audit.ts'
import type { Guard } from '../models/rights/guard.ts'
import type { Ask } from './ask.ts'
import { Attempt, type Attempted, loginAttempt } from './attempts.ts'
import { confirmSession, sessionConfirmed } from './sessions.ts'

export interface Guarded {
  readonly address: string
  /** The token of the browser session that calls, if it is one. */
  readonly session?: string | null
  /** Hears of what is written to the audit log. */
  readonly tell?: ((row: AuditRow) => void) | null
}

/**
 * Failures are counted by `settle` once the call's transaction has ended, as a failed call is rolled back; whoever makes the guard calls `settle`
 * in any case.
 */
export class AddressGuard implements Guard {
  readonly address: string
  readonly #session: string | null
  readonly #ask: Ask
  readonly #tell: ((row: AuditRow) => void) | null
  /** Made when it is wanted: few calls judge anything. */
  #attempt: Attempt | null = null
  #outcome: 'failed' | 'succeeded' | null = null

  /** `ask`: outside of the call's transaction. */
  constructor(ask: Ask, { address, session = null, tell = null }: Guarded) {
    this.address = address
    this.#session = session
    this.#ask = ask
    this.#tell = tell
  }

  get sessionHash(): Buffer | null {
    return this.#session ? hashKey(this.#session) : null
  }

  assertNoCooldown(env: Environment, judged: 'key' | 'password'): Promise<void> {
    this.#attempt = this.#attemptOf(env.user.login, judged)
    return this.#attempt.assertNone((statement) => env.unit.run(statement))
  }

  async failed(): Promise<void> {
    this.#outcome = 'failed'
  }

  async succeeded(env: Environment): Promise<void> {
    this.#outcome = 'succeeded'
    if (this.#session) await env.unit.query(confirmSession(this.#session))
  }

  async isConfirmed(env: Environment): Promise<boolean> {
    if (!this.#session) return false
    const [row] = await env.unit.query(sessionConfirmed(this.#session))
    return row?.[0] === true
  }

  /** Whether anything was judged that is to be written down. */
  get concerned(): boolean {
    return this.#outcome !== null
  }

  /** Writes down what the call came to; a repeated call counts once. */
  async settle(): Promise<void> {
    const outcome = this.#outcome
    this.#outcome = null
    if (!outcome) return
    const attempt = this.#attempt ?? this.#attemptOf(null, 'key')
    await (outcome === 'failed' ? attempt.failed() : attempt.clear())
  }

  #attemptOf(login: string | null, judged: 'key' | 'password'): Attempt {
    const { address } = this
    const attempted: Attempted =
      judged === 'password' && login !== null
        ? loginAttempt(login, address, 'call')
        : { address, subjects: [{ kind: 'address', name: address }], login, by: 'call' }
    return new Attempt(this.#ask, attempted, this.#tell)
  }
}
