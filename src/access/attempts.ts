// Attempts to prove who one is: refused while their address or login has to wait, counted, held back and written down when they fail.
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied } from '../errors.ts'
import { networkOf } from '../kit/network.ts'
import { loginMark } from '../kit/secrets.ts'
import { type AuditRow, auditInsert } from '../models/rights/audit.ts'
import type { Statement } from '../sql/index.ts'
import { type Ask, askJson } from './ask.ts'
import {
  clearQuery,
  countQuery,
  delayOf,
  type Failures,
  isPaused,
  limitOf,
  type Parameters,
  pauseOf,
  type Subject,
  stateQuery,
} from './failures.ts'

interface State {
  readonly parameters: Parameters | null
  readonly failures: readonly Failures[] | null
  readonly known: boolean
}

/** Where an attempt is made, and what it is counted for. */
export interface Attempted {
  readonly address: string
  readonly subjects: readonly Subject[]
  /** What the log calls who tries; a user's name is not proven by trying. */
  readonly login?: string | null
  /** The user whom the attempt is about, where no login is given. */
  readonly uid?: number
  /** The door: a form, a wire, a method. */
  readonly by: string
}

/** An attempt over a form or RPC's logins: counts for the address and, from wherever it comes, for the login. */
export function loginAttempt(login: string, address: string, by: string): Attempted {
  // People type passwords where logins belong: only the log, which administrators read, holds what was typed.
  const subjects: Subject[] = [
    { kind: 'address', name: address },
    { kind: 'login', name: loginMark(login) },
  ]
  return { address, subjects, login, by }
}

/** Subjects that wait only where they were not used with success lately: else strangers could lock people out by failing in their name. */
const exempted: ReadonlySet<string> = new Set(['login', 'rpc user'])

/** One attempt. `ask`: outside of any transaction, so that a failure stays counted whatever becomes of the call. */
export class Attempt {
  readonly #ask: Ask
  readonly #of: Attempted
  readonly #tell: ((row: AuditRow) => void) | null
  #state: State = { parameters: null, failures: null, known: false }

  constructor(ask: Ask, attempted: Attempted, tell: ((row: AuditRow) => void) | null = null) {
    this.#ask = ask
    // Whoever has one address of IPv6 has very many.
    const subjects = attempted.subjects.map(({ kind, name }) => ({ kind, name: kind.endsWith('address') ? networkOf(name) : name }))
    this.#of = { ...attempted, subjects }
    this.#tell = tell
  }

  /** Throws AccessDenied while one of the subjects has to wait. */
  async assertNone(ask: (statement: Statement) => ReturnType<Ask> = this.#ask): Promise<void> {
    this.#state = (await askJson<State>(ask, stateQuery(this.#of))) ?? this.#state
    const { failures, known } = this.#state
    const parameters = this.#state.parameters ?? {}
    const waiting = failures?.filter((one) => isPaused(one, parameters) && !(known && exempted.has(one.kind)))
    if (!waiting?.length) return
    const retryAfter = Math.ceil(Math.max(...waiting.map((one) => pauseOf(one, parameters) - one.age)))
    throw new AccessDenied('Too many login failures, please wait a bit before trying again.', { retryAfter })
  }

  /** Counts and writes down a failure, and holds its answer back the longer the more there were. */
  async failed(): Promise<void> {
    const { subjects, address, login, by } = this.#of
    const rows = await this.#ask(countQuery(subjects).compile())
    const parameters = this.#state.parameters ?? {}
    const counts = subjects.map(({ kind }) => ({
      limit: limitOf(kind, parameters),
      count: Number(rows.find((row) => row[0] === kind)?.[1] ?? 0),
    }))
    const paused = counts.some(({ limit, count }) => limit > 0 && count === limit)
    await this.#write({ event: 'login.failed', uid: null, login: login ?? null, address, detail: { by, ...(paused ? { paused } : {}) } })
    await sleep(Math.max(...counts.map(({ limit, count }) => delayOf(count, limit))))
  }

  /**
   * A right password of `uid`: counts begin anew. Judged once more first, so that of many attempts at once none profits from having begun before
   * the others failed. Throws AccessDenied.
   */
  async succeeded(uid: number): Promise<void> {
    const { address, login, by } = this.#of
    await this.assertNone()
    await this.clear()
    await this.#write({ event: 'login', uid, login: login ?? null, address, model: 'res.users', record: uid, detail: { by } })
  }

  /** Begins the counts anew, where there are any. */
  async clear(): Promise<void> {
    if (this.#state.failures?.length) await this.#ask(clearQuery(this.#of.subjects).compile())
  }

  async #write(row: AuditRow): Promise<void> {
    await this.#ask(auditInsert([row]).compile())
    this.#tell?.(row)
  }
}
