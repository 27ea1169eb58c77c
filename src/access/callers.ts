// Callers of one database: from a key or a password to a user with their rights and the check that goes along with the call.
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied, ConcurrencyError, InvalidApiKey, SessionExpired } from '../errors.ts'
import { Recent } from '../kit/recent.ts'
import { hashKey, keyMark } from '../kit/secrets.ts'
import type { Registry } from '../models/defs.ts'
import type { Preamble } from '../models/unit.ts'
import type { Pool } from '../postgres/index.ts'
import type { Sql } from '../sql/index.ts'
import { type Ask, askPool, readTogether } from './ask.ts'
import { Attempt } from './attempts.ts'
import { type Expected, factsOf, keyFacts, keyOwner, keyPreamble, StaleCredential, userFacts, userPreamble } from './credential.ts'
import { KeyUses } from './key-uses.ts'
import { isPossible, Passwords, type Who } from './passwords.ts'
import { type KnownUser, loadProfile } from './profile.ts'
import { DatabaseRights } from './rights.ts'
import { loadRightsRows } from './rights-rows.ts'
import { sessionFacts, sessionPreamble } from './sessions.ts'

/** Who calls, what they may, and the check to send with the call's first query. */
export interface Caller {
  readonly profile: KnownUser
  readonly rights: DatabaseRights
  readonly preamble: Preamble
  /** What it is remembered by. */
  readonly name: string
  readonly expected: Expected
  /** Of the API key that opened, if one did. */
  readonly keyHash?: Buffer
}

/** What is needed of a database; `registry` is asked for at each use, as modules come and go. */
export interface Source {
  readonly pool: Pool
  readonly registry: Registry
}

/** Rights that change faster than this many attempts are somebody's mistake. */
const ATTEMPTS = 20

export class Callers {
  readonly #source: Source
  readonly #known: Recent<string, Caller>
  readonly #passwords = new Passwords()
  /** Names of those whose password was right last time: a change of rights, which forgets them as callers, makes nobody wait. */
  readonly #admitted: Recent<number, string>
  readonly #uses: KeyUses
  #rights: DatabaseRights | undefined

  /** Remembers `limit` callers at most. */
  constructor(source: Source, limit = 10_000) {
    this.#source = source
    this.#known = new Recent(limit)
    this.#admitted = new Recent(limit)
    this.#uses = new KeyUses(source.pool)
  }

  /** Counts a call of a key's owner, to be written down now and then (key-uses.ts); other callers count for nothing. */
  noteUse({ name, keyHash }: Caller, address: string, agent: string | undefined): void {
    if (keyHash) this.#uses.note(name, keyHash, address, agent)
  }

  /** Writes down what is waiting. Never throws. */
  settle(): Promise<void> {
    return this.#uses.write()
  }

  /**
   * Runs `work` for the caller that `find` (a call of `byKey`, `byPassword` or `bySession`) gives, and again for the caller read anew when what was
   * remembered proves out of date. `work` does nothing that lasts before its first query, with which the preamble leaves.
   */
  async run<T>(find: () => Caller | Promise<Caller>, work: (caller: Caller) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const found = find()
      const caller = found instanceof Promise ? await found : found
      try {
        return await work(caller)
      } catch (error) {
        if (!(error instanceof StaleCredential)) throw error
        this.#forget(caller)
        // Whoever keeps changing rights gets time to finish.
        if (attempt > 2) await sleep(Math.min(5 * attempt, 50) * (0.5 + Math.random()))
      }
    }
    throw new ConcurrencyError('Rights are being changed too fast. Please try again.')
  }

  /** Who an API key belongs to: at once when it is remembered, for the preamble does the rest. Throws InvalidApiKey. */
  byKey(key: string): Caller | Promise<Caller> {
    const name = `key ${keyMark(key)}`
    return this.#remembered(name) ?? this.#loadByKey(name, key)
  }

  async #loadByKey(name: string, key: string): Promise<Caller> {
    const hash = hashKey(key)
    const found = await this.#load(name, keyFacts(hash), (expected) => keyPreamble(hash, expected))
    if (!found) throw new InvalidApiKey()
    const caller = Object.freeze({ ...found, keyHash: hash })
    this.#known.set(name, caller)
    return caller
  }

  /**
   * Who `uid` is when `password` is theirs: the password itself or one of their API keys (spec/wire.md section 12). Throws AccessDenied, also while
   * the address or the user has to wait after very many wrong ones; what is remembered as right never waits, and says nothing about the wrong ones.
   */
  async byPassword(uid: unknown, password: unknown, address: string): Promise<Caller> {
    if (typeof uid !== 'number' || typeof password !== 'string' || !isPossible({ uid })) throw new AccessDenied()
    const ofKey = await this.#byKeyOf(uid, password)
    if (ofKey) return ofKey
    const name = this.#nameOf(uid, password)
    const known = this.#remembered(name)
    if (known) return known
    const attempt = new Attempt(askPool(this.#source.pool), {
      address,
      subjects: [
        { kind: 'rpc address', name: address },
        { kind: 'rpc user', name: String(uid) },
      ],
      uid,
      by: `rpc user ${uid}`,
    })
    const wasRight = this.#admitted.get(uid) === name
    if (!wasRight) await attempt.assertNone()
    const caller = await this.#byOwnPassword(name, uid, password)
    if (!caller) {
      await attempt.failed()
      throw new AccessDenied()
    }
    // Of many attempts at once none profits from having begun before the others failed.
    if (!wasRight) {
      await attempt.assertNone()
      await attempt.clear()
    }
    this.#admitted.set(uid, name)
    this.#known.set(name, caller)
    return caller
  }

  /** Who acts in a browser session. Throws SessionExpired. */
  async bySession(token: string): Promise<Caller> {
    const hash = hashKey(token)
    const name = `session ${hash.toString('base64')}`
    const known = this.#remembered(name)
    if (known) return known
    const caller = await this.#load(name, sessionFacts(hash), (expected) => sessionPreamble(hash, expected))
    if (!caller) throw new SessionExpired()
    this.#known.set(name, caller)
    return caller
  }

  /** The id of the user who may sign in with this login and password, or API key; null for anything wrong. */
  async login(login: unknown, password: unknown): Promise<number | null> {
    if (typeof login !== 'string' || typeof password !== 'string') return null
    if (looksLikeKey(password) && isPossible({ login })) {
      const [row] = await askPool(this.#source.pool)(keyOwner(hashKey(password), login).compile())
      if (row) return row[0] as number
    }
    return this.check({ login }, password)
  }

  /** The user's id when the password is theirs, else null. API keys do not count. */
  check(who: Who, password: unknown): Promise<number | null> {
    return this.#passwords.check(askPool(this.#source.pool), who, password)
  }

  /** The rights as of now, for work without a credential. */
  rights(): Promise<DatabaseRights> {
    return readTogether(this.#source.pool, async (ask) => {
      const rows = await ask({ text: 'SELECT version::text FROM rights_version', values: [] })
      return this.#rightsAsOf(ask, rows[0]?.[0] as string)
    })
  }

  #nameOf(uid: number, password: string): string {
    return `user ${uid} ${this.#passwords.mark(password)}`
  }

  #remembered(name: string): Caller | undefined {
    const caller = this.#known.get(name)
    return caller?.rights.registry === this.#source.registry ? caller : undefined
  }

  /** Another call may have read the caller anew meanwhile: that one stays. */
  #forget({ name, expected }: Caller): void {
    if (this.#known.get(name)?.expected === expected) this.#known.delete(name)
  }

  async #byKeyOf(uid: number, password: string): Promise<Caller | null> {
    if (!looksLikeKey(password)) return null
    try {
      const caller = await this.byKey(password)
      if (caller.profile.id !== uid) return null
      return { ...caller, preamble: keyPreamble(hashKey(password), caller.expected, () => new AccessDenied()) }
    } catch (error) {
      if (error instanceof InvalidApiKey) return null
      throw error
    }
  }

  async #byOwnPassword(name: string, uid: number, password: string): Promise<Caller | null> {
    // Facts before the password: should it change in between, they are out of date and the preamble says so.
    const caller = await this.#load(name, userFacts(uid), userPreamble)
    return (await this.check({ uid }, password)) === null ? null : caller
  }

  /** Reads facts, profile and, for a new version, rights, all as of one moment. */
  #load(name: string, facts: Sql, preambleOf: (expected: Expected) => Preamble): Promise<Caller | null> {
    return readTogether(this.#source.pool, async (ask) => {
      const expected = factsOf(await ask(facts.compile()))
      if (!expected) return null
      const rights = await this.#rightsAsOf(ask, expected.version)
      const profile = await loadProfile(ask, expected.uid, rights.userColumns)
      return profile && Object.freeze({ profile, rights, preamble: preambleOf(expected), name, expected })
    })
  }

  async #rightsAsOf(ask: Ask, version: string): Promise<DatabaseRights> {
    const { registry } = this.#source
    const known = this.#rights
    if (known?.version === version && known.registry === registry) return known
    const rights = new DatabaseRights(await loadRightsRows(ask), registry)
    this.#rights = rights
    return rights
  }
}

function looksLikeKey(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}
