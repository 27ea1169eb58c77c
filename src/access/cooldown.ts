// Cooldown: after too many wrong keys or passwords in a row from one address, a pause (spec/wire.md section 7).
import { AccessDenied } from '../errors.ts'
import type { Environment } from '../models/environment.ts'
import type { Guard } from '../models/rights/guard.ts'
import { type Sql, sql } from '../sql/index.ts'
import type { Ask } from './ask.ts'
import { confirmSession, sessionConfirmed } from './sessions.ts'

/** Without the parameters `base.login_cooldown_after` and `base.login_cooldown_duration`. */
const AFTER = 5
const DURATION = 60

/** Failures in a row of an address, and how many seconds ago the last one was. */
interface Failures {
  readonly count: number
  readonly age: number
}

/**
 * The guard of one call. Failures are counted by `settle` once the call's transaction has ended, as a failed call is rolled back; whoever makes
 * the guard calls `settle` in any case.
 */
export class AddressGuard implements Guard {
  readonly #ask: Ask
  readonly #address: string
  readonly #session: string | null
  #outcome: 'failed' | 'succeeded' | null = null
  #count = 0

  /** `ask`: outside of the call's transaction. `session`: the token of the browser session that calls, if it is one. */
  constructor(ask: Ask, address: string, session: string | null = null) {
    this.#ask = ask
    this.#address = address
    this.#session = session
  }

  assertNoCooldown(env: Environment): Promise<void> {
    return this.assertNone((statement) => env.unit.run(statement))
  }

  /** The same outside of a unit of work, for logins. Throws AccessDenied. */
  async assertNone(ask: Ask = this.#ask): Promise<void> {
    const [row] = await ask(stateQuery(this.#address).compile())
    const [after, duration, count, age] = row as [string | null, string | null, number | null, number | null]
    this.#count = count ?? 0
    if (!isPaused({ count: this.#count, age: age ?? 0 }, after, duration)) return
    throw new AccessDenied('Too many login failures, please wait a bit before trying again.')
  }

  async failed(): Promise<void> {
    this.#outcome = 'failed'
  }

  async succeeded(env?: Environment): Promise<void> {
    this.#outcome = 'succeeded'
    if (env && this.#session) await env.unit.query(confirmSession(this.#session))
  }

  async isConfirmed(env: Environment): Promise<boolean> {
    if (!this.#session) return false
    const [row] = await env.unit.query(sessionConfirmed(this.#session))
    return row?.[0] === true
  }

  /** Writes down what the call came to; a repeated call counts once. */
  async settle(): Promise<void> {
    const outcome = this.#outcome
    this.#outcome = null
    if (outcome === 'failed') await this.#ask(countQuery(this.#address).compile())
    else if (outcome === 'succeeded' && this.#count > 0)
      await this.#ask(sql`DELETE FROM login_failure WHERE address = ${this.#address}`.compile())
  }
}

/** Whether an address has to wait, by its failures and the parameters as they are stored. */
export function isPaused(failures: Failures, after: string | null, duration: string | null): boolean {
  const limit = wholeNumber(after, AFTER)
  return limit > 0 && failures.count >= limit && failures.age < wholeNumber(duration, DURATION)
}

function wholeNumber(text: string | null, fallback: number): number {
  return text !== null && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : fallback
}

function stateQuery(address: string): Sql {
  const parameter = (key: string) => sql`(SELECT value FROM ir_config_parameter WHERE key = ${key})`
  return sql`SELECT ${parameter('base.login_cooldown_after')}, ${parameter('base.login_cooldown_duration')},
      failure.failures, extract(epoch FROM clock_timestamp() AT TIME ZONE 'UTC' - failure.last)::float8
    FROM (SELECT) one LEFT JOIN login_failure failure ON failure.address = ${address}`
}

/** Counts one more; addresses silent for a day are forgotten, so that the table stays small. */
function countQuery(address: string): Sql {
  return sql`WITH old AS (DELETE FROM login_failure WHERE address <> ${address} AND last < clock_timestamp() AT TIME ZONE 'UTC' - interval '1 day')
    INSERT INTO login_failure AS known (address, failures, last) VALUES (${address}, 1, clock_timestamp() AT TIME ZONE 'UTC')
    ON CONFLICT (address) DO UPDATE SET failures = known.failures + 1, last = excluded.last`
}
