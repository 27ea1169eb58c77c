// Callers of one database: from a key or a password to a user with their rights and the check that goes along
// with the call.
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied, ConcurrencyError, InvalidApiKey, SessionExpired } from '../errors.ts'
import { Recent } from '../kit/recent.ts'
import { hashKey, keyMark } from '../kit/secrets.ts'
import { askPool } from './ask.ts'
import { Attempt, type Attempted, userAttempt, userHere } from './attempts.ts'
import { type Caller, CallerReader, type Source } from './caller.ts'
import {
  type Expected,
  keyOwner,
  keyPreamble,
  StaleCredential,
  userFacts,
  userPreamble,
} from './credential.ts'
import { Door } from './door.ts'
import type { Subject } from './failures.ts'
import { KeyUses } from './key-uses.ts'
import { isPassword, isPossible, Passwords, type Who } from './passwords.ts'
import { Present } from './present.ts'
import type { DatabaseRights } from './rights.ts'
import { sessionFacts, sessionPreamble } from './sessions.ts'

/** A password over RPC, and what it is remembered by. */
interface OfUser {
  readonly name: string
  readonly here: Subject
  readonly uid: number
  readonly password: string
  readonly address: string
}

/** Milliseconds between two doubts: whoever is refused without end must cost nothing. */
const DOUBT_MS = 500

/** Rights that change faster than this many attempts are somebody's mistake. */
const ATTEMPTS = 20

export class Callers {
  readonly #source: Source
  readonly #reader: CallerReader
  readonly #known: Recent<string, Caller>
  readonly #passwords = new Passwords()
  /**
   * Names of those whose password was right last time: a change of rights, which forgets them as callers,
   * makes nobody wait.
   */
  readonly #admitted: Recent<string, Expected>
  /**
   * Users and addresses whose passwords over RPC are being judged, and how many: what is remembered of them
   * waits its turn meanwhile.
   */
  readonly #guessing = new Map<string, number>()
  readonly #uses: KeyUses
  /** Where attempts to prove who one is are judged. */
  readonly door: Door
  /** Where it is asked whether a key holds, by those who read elsewhere. */
  readonly present: Present
  #doubted = 0

  /** Remembers `limit` callers at most. */
  constructor(source: Source, limit = 10_000) {
    this.#source = source
    this.#reader = new CallerReader(source)
    this.#known = new Recent(limit)
    this.#admitted = new Recent(limit)
    this.#uses = new KeyUses(source.pool)
    this.door = Door.of(source.pool)
    this.present = new Present(source.pool)
  }

  /** An attempt to prove who one is. */
  attempt(attempted: Attempted): Attempt {
    return new Attempt(this.door, attempted)
  }

  /**
   * Counts a call of a key's owner, to be written down now and then (key-uses.ts); other callers count for
   * nothing.
   */
  noteUse({ name, keyHash }: Caller, address: string, agent: string | undefined): void {
    if (keyHash) this.#uses.note(name, keyHash, address, agent)
  }

  /** Writes down what is waiting. Never throws. */
  settle(): Promise<void> {
    return this.#uses.write()
  }

  /**
   * Runs `work` for the caller that `find` (a call of `byKey`, `byPassword` or `bySession`) gives, and again
   * for the caller read anew when what was remembered proves out of date. `work` does nothing that lasts
   * before its first query, with which the preamble leaves.
   */
  async run<T>(find: () => Caller | Promise<Caller>, work: (caller: Caller) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const found = find()
      const caller = found instanceof Promise ? await found : found
      try {
        return await work(caller)
      } catch (error) {
        if (!(error instanceof StaleCredential)) throw error
        this.forget(caller)
        // Whoever keeps changing rights gets time to finish.
        if (attempt > 2) await sleep(Math.min(5 * attempt, 50) * (0.5 + Math.random()))
      }
    }
    throw new ConcurrencyError('Rights are being changed too fast. Please try again.')
  }

  /**
   * Who an API key belongs to: at once when it is remembered, for the preamble does the rest. Throws
   * InvalidApiKey.
   */
  byKey(key: string, address = ''): Caller | Promise<Caller> {
    const name = `key ${keyMark(key)}`
    return this.#rememberedFrom(name, address) ?? this.#loadFrom(name, hashKey(key), address)
  }

  /**
   * Who a key of this hash belongs to, for what was queued with it from an address: the key must still work
   * from there. Without one it is not asked for. Throws InvalidApiKey.
   */
  byHash(hash: Buffer, address: string | undefined): Caller | Promise<Caller> {
    const name = `key ${hash.toString('base64')}`
    return address === undefined
      ? (this.#remembered(name) ?? this.#loadByHash(name, hash))
      : (this.#rememberedFrom(name, address) ?? this.#loadFrom(name, hash, address))
  }

  /** Who is refused by what is remembered may have been let in meanwhile: they are looked up anew. */
  #rememberedFrom(name: string, address: string): Caller | undefined {
    const known = this.#remembered(name)
    return known?.policy?.worksFrom?.(address) === false ? undefined : known
  }

  async #loadFrom(name: string, hash: Buffer, address: string): Promise<Caller> {
    const caller = await this.#loadByHash(name, hash)
    if (caller.policy?.worksFrom?.(address) === false) {
      const { id, login } = caller.profile
      const about = { model: 'res.users.apikeys', record: caller.expected.key?.id ?? null }
      await this.door.write({ event: 'key.address', uid: id, login, address, ...about })
      throw new InvalidApiKey()
    }
    return caller
  }

  async #loadByHash(name: string, hash: Buffer): Promise<Caller> {
    const caller = await this.#reader.readKey(name, hash)
    if (!caller) throw new InvalidApiKey()
    this.#known.set(name, caller)
    return caller
  }

  /**
   * Who `uid` is when `password` is theirs: the password itself or one of their API keys (spec/wire.md
   * section 12). Throws AccessDenied, also while the address or the user has to wait after very many wrong
   * ones. What is remembered as right from this address goes on without being judged, unless somebody guesses
   * at this user from here.
   */
  async byPassword(uid: unknown, password: unknown, address: string): Promise<Caller> {
    if (typeof uid !== 'number' || !isPassword(password) || !isPossible({ uid })) throw new AccessDenied()
    const ofKey = await this.#byKeyOf(uid, password, address)
    if (ofKey) return ofKey
    const here = userHere(uid, address)
    const asked = {
      uid,
      password,
      address,
      here,
      name: `user ${here.name} ${this.#passwords.mark(password)}`,
    }
    const isGuessedAt = this.#guessing.has(here.name)
    const known = isGuessedAt ? undefined : this.#remembered(asked.name)
    if (known) return known
    // From here to where it is noted that somebody guesses nothing is waited for: of many at once all but the
    // first know.
    const admitted = this.#admitted.get(asked.name)
    if (!admitted) return this.#asGuess(here.name, () => this.#judged(asked))
    return (isGuessedAt ? null : await this.#asBefore(asked, admitted)) ?? this.#judged(asked)
  }

  /**
   * Who is read anew after a change of rights; null when the password has to be judged: it changed, or
   * somebody failed in the user's name from here.
   */
  async #asBefore(asked: OfUser, admitted: Expected): Promise<Caller | null> {
    const caller = await this.#byOwnPassword(asked)
    if (caller?.expected.failures !== admitted.failures) return null
    this.#known.set(asked.name, caller)
    return caller
  }

  async #judged(asked: OfUser): Promise<Caller> {
    const { uid, address, name } = asked
    const attempt = this.attempt(userAttempt(uid, address, this.#admitted.get(name) !== undefined))
    const caller = await attempt.judge(() => this.#byOwnPassword(asked))
    if (!caller) {
      this.#admitted.delete(name)
      throw new AccessDenied()
    }
    this.#admitted.set(name, caller.expected)
    this.#known.set(name, caller)
    return caller
  }

  /** Runs `judge` as one that guesses at a user from somewhere. */
  async #asGuess<T>(here: string, judge: () => Promise<T>): Promise<T> {
    this.#guessing.set(here, (this.#guessing.get(here) ?? 0) + 1)
    try {
      return await judge()
    } finally {
      const others = (this.#guessing.get(here) ?? 1) - 1
      if (others) this.#guessing.set(here, others)
      else this.#guessing.delete(here)
    }
  }

  /** Who acts in a browser session. Throws SessionExpired. */
  async bySession(token: string): Promise<Caller> {
    const hash = hashKey(token)
    const name = `session ${hash.toString('base64')}`
    const known = this.#remembered(name)
    if (known) return known
    const caller = await this.#reader.read(name, sessionFacts(hash), (expected) =>
      sessionPreamble(hash, expected),
    )
    if (!caller) throw new SessionExpired()
    this.#known.set(name, caller)
    return caller
  }

  /** The id of the user who may sign in with this login and password, or API key; null for anything wrong. */
  async login(login: unknown, password: unknown): Promise<number | null> {
    if (typeof login !== 'string' || !isPassword(password)) return null
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
    return this.#reader.rights()
  }

  /**
   * Who is refused by what is remembered may be let in by now: the next call reads them anew, once in a
   * while.
   */
  doubt(caller: Caller): void {
    const now = performance.now()
    if (now - this.#doubted < DOUBT_MS) return
    this.#doubted = now
    this.forget(caller)
  }

  #remembered(name: string): Caller | undefined {
    const caller = this.#known.get(name)
    return caller?.rights.registry === this.#source.registry ? caller : undefined
  }

  /** The next call reads the caller. Another one may have done so meanwhile: that caller stays. */
  forget({ name, expected }: Caller): void {
    if (this.#known.get(name)?.expected === expected) this.#known.delete(name)
  }

  async #byKeyOf(uid: number, password: string, address: string): Promise<Caller | null> {
    if (!looksLikeKey(password)) return null
    try {
      const caller = await this.byKey(password, address)
      if (caller.profile.id !== uid) return null
      return {
        ...caller,
        preamble: keyPreamble(hashKey(password), caller.expected, () => new AccessDenied()),
      }
    } catch (error) {
      if (error instanceof InvalidApiKey) return null
      throw error
    }
  }

  async #byOwnPassword({ uid, password, here, name }: OfUser): Promise<Caller | null> {
    // Facts before the password: should it change in between, they are out of date and the preamble says so.
    const caller = await this.#reader.read(name, userFacts(uid, here), (expected) =>
      userPreamble(expected, here),
    )
    return (await this.check({ uid }, password)) === null ? null : caller
  }
}

function looksLikeKey(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}
