// Passwords of people: who a login and a password, or a user id and a password, belong to.
import { createHmac, randomBytes } from 'node:crypto'
import { Recent } from '../kit/recent.ts'
import { dummyVerify, LONGEST_PASSWORD, verifyPassword } from '../kit/secrets.ts'
import { type SecondFactor, secondFactorOf } from '../logins/index.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import type { Ask } from './ask.ts'

/** Whose password is judged. */
export type Who = { readonly login: string } | { readonly uid: number }

/** The system user, who never signs in (spec/wire.md section 12). */
const SYSTEM_USER = 1
const LARGEST_ID = 2_147_483_647

/** Whose password was right, and what their login still needs. */
export interface RightPassword {
  readonly uid: number
  readonly secondFactor: SecondFactor
}

interface Success {
  readonly stored: string
  readonly mark: string
}

/** Verifies passwords, and takes as long when there is no password to verify. */
interface Judge {
  readonly verify: typeof verifyPassword
  readonly pretend: typeof dummyVerify
}

export class Passwords {
  readonly #judge: Judge
  /** Marks of passwords mean nothing outside of this process. */
  readonly #secret = randomBytes(32)
  readonly #successes = new Recent<number, Success>(10_000)

  constructor(judge: Judge = { verify: verifyPassword, pretend: dummyVerify }) {
    this.#judge = judge
  }

  /** A short stand-in for a password in this process's memory. */
  mark(password: string): string {
    return createHmac('sha256', this.#secret).update(password, 'utf8').digest('base64')
  }

  /**
   * Whose password it is, else null: unknown and archived users, the system user, users
   * without a password, an empty password. Unknown logins take as long as wrong passwords. A password that
   * was right before costs no slow hash again while the stored hash stays the same.
   */
  async check(ask: Ask, who: Who, password: unknown): Promise<RightPassword | null> {
    if (!isPassword(password)) return null
    const [row] = isPossible(who) ? await ask(passwordQuery(who).compile()) : []
    if (typeof row?.[1] !== 'string') return (await this.#judge.pretend(password)) || null
    const [uid, stored, secondFactor] = row as [number, string, SecondFactor]
    const mark = this.mark(password)
    const success = this.#successes.get(uid)
    if (success && success.stored === stored && success.mark === mark) return { uid, secondFactor }
    if (!(await this.#judge.verify(stored, password))) return null
    this.#successes.set(uid, { stored, mark })
    return { uid, secondFactor }
  }
}

/** Whether it can be a password: a text, not empty, and not longer than any password. */
export function isPassword(password: unknown): password is string {
  return typeof password === 'string' && password !== '' && password.length <= LONGEST_PASSWORD
}

/** Characters of the longest login that is looked for: PostgreSQL's index holds no longer ones. */
const LONGEST_LOGIN = 2000

/** PostgreSQL takes no NUL in a text and no integer beyond 32 bits here: such users do not exist. */
export function isPossible(who: Who): boolean {
  if ('login' in who)
    return (
      typeof who.login === 'string' &&
      who.login.length <= LONGEST_LOGIN &&
      !who.login.includes('\0') &&
      who.login.isWellFormed()
    )
  return Number.isInteger(who.uid) && who.uid > SYSTEM_USER && who.uid <= LARGEST_ID
}

function passwordQuery(who: Who): Sql {
  const condition = 'login' in who ? sql`login = ${who.login}` : sql`id = ${who.uid}::int`
  return sql`SELECT id, password, ${secondFactorOf(raw('res_users.id'))} FROM res_users WHERE ${condition} AND active AND id <> ${SYSTEM_USER}::int`
}
