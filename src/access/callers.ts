// Callers of one database: turns a key or password into a user with their rights and the credential check of
// the call. Remembers earlier callers, and how often their keys were used since that was last written.
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied, ConcurrencyError, InvalidApiKey, SessionExpired } from '../errors.ts'
import { Recent } from '../kit/recent.ts'
import { hashKey } from '../kit/secrets.ts'
import { outsideTrace } from '../kit/watch/index.ts'
import { askPool } from './ask.ts'
import { AttemptQueue } from './attempt-queue.ts'
import { Attempt, type Attempted } from './attempts.ts'
import { assertAlone, ByPassword } from './by-password.ts'
import { type Caller, CallerReader, type Source } from './caller.ts'
import { keyCredentialQuery, keyOwner, nameOfKey, StaleCredential } from './credential.ts'
import { KeyChecks } from './key-checks.ts'
import { type Use, writeUses } from './key-uses.ts'
import { isPassword, isPossible, type RightPassword, type Who } from './passwords.ts'
import type { DatabaseRights } from './rights.ts'
import { sessionCredentialQuery, sessionFacts } from './sessions.ts'

/** Least milliseconds between two doubts, so that a caller that is refused again and again costs nothing. */
const DOUBT_MS = 500

/** Milliseconds between two writings of the uses of keys. */
const WRITE_MS = 60_000

/** Attempts after which rights that keep changing are an error. */
const ATTEMPTS = 20

export class Callers {
  readonly #source: Source
  readonly #reader: CallerReader
  readonly #known: Recent<string, Caller>
  readonly #byPassword: ByPassword
  /** Uses of keys that wait to be written down, by the callers' names. */
  readonly #uses = new Map<string, Use>()
  #nextWriting: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** Where attempts to prove who one is are judged. */
  readonly attemptQueue: AttemptQueue
  /** Checks keys on the primary server for calls that read from a replica. */
  readonly present: KeyChecks
  #doubted = 0

  /** Remembers `limit` callers at most. */
  constructor(source: Source, limit = 10_000) {
    this.#source = source
    this.#reader = new CallerReader(source)
    this.#known = new Recent(limit)
    this.attemptQueue = AttemptQueue.of(source.pool)
    this.#byPassword = new ByPassword(source, limit, {
      reader: this.#reader,
      attemptQueue: this.attemptQueue,
      remembered: (name) => this.#remembered(name),
      remember: (caller) => this.#known.set(caller.name, caller),
    })
    this.present = new KeyChecks(source.pool)
  }

  /** An attempt to prove who one is. */
  attempt(attempted: Attempted): Attempt {
    return new Attempt(this.attemptQueue, attempted)
  }

  /** Counts a call of a key's owner, to be written down now and then; other callers count for nothing. */
  noteUse({ name, keyHash }: Caller, address: string, agent = ''): void {
    if (!keyHash) return
    const use = this.#uses.get(name) ?? this.#firstUse(name, keyHash)
    use.uses++
    use.last = this.#source.pool.now().getTime()
    use.address = address
    use.agent = agent
  }

  #firstUse(name: string, hash: Buffer): Use {
    const use = { hash, uses: 0, last: 0, address: '', agent: '' }
    this.#uses.set(name, use)
    this.#settleSoon()
    return use
  }

  #settleSoon(): void {
    this.#nextWriting ??= outsideTrace(() => setTimeout(() => void this.settle(), WRITE_MS).unref())
  }

  /** Writes down what is waiting; what cannot be written now waits for the next time. Never throws. */
  settle(): Promise<void> {
    clearTimeout(this.#nextWriting)
    this.#nextWriting = undefined
    this.#writing = this.#writing.then(async () => {
      const uses = [...this.#uses]
      this.#uses.clear()
      if (
        await writeUses(
          this.#source.pool,
          uses.map(([, use]) => use),
        )
      )
        return
      for (const [name, use] of uses) {
        const later = this.#uses.get(name)
        if (later) later.uses += use.uses
        else this.#uses.set(name, use)
      }
      this.#settleSoon()
    })
    return this.#writing
  }

  /**
   * Runs `work` for the caller that `find` (a call of `byKey`, `byPassword` or `bySession`) returns, and
   * again for the caller read again if the remembered one is out of date. `work` must have no lasting effect
   * before its first query, with which the credential check is sent.
   */
  async run<T>(
    find: (isAgain: boolean) => Caller | Promise<Caller>,
    work: (caller: Caller) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const pendingCaller = find(attempt > 1)
      const caller = pendingCaller instanceof Promise ? await pendingCaller : pendingCaller
      try {
        return await work(caller)
      } catch (error) {
        if (!(error instanceof StaleCredential)) throw error
        this.forget(caller)
        // Rights that keep changing get time to settle.
        if (attempt > 2) await sleep(Math.min(5 * attempt, 50) * (0.5 + Math.random()))
      }
    }
    throw new ConcurrencyError('Rights are being changed too fast. Please try again.')
  }

  /**
   * The owner of an API key: at once if remembered, as the credential check verifies it. Throws
   * InvalidApiKey.
   */
  byKey(key: string, address = ''): Caller | Promise<Caller> {
    const name = nameOfKey(key)
    return this.#rememberedFrom(name, address) ?? this.#loadFrom(name, hashKey(key), address)
  }

  /**
   * The owner of the key with this hash, for work that was queued from an address: the key must still work
   * from there. Without an address this is not checked. Throws InvalidApiKey.
   */
  byHash(hash: Buffer, address: string | undefined): Caller | Promise<Caller> {
    const name = nameOfKey(hash)
    return address === undefined
      ? (this.#remembered(name) ?? this.#loadByHash(name, hash))
      : (this.#rememberedFrom(name, address) ?? this.#loadFrom(name, hash, address))
  }

  /** An address that the remembered policy refuses may have been allowed meanwhile: the key is read again. */
  #rememberedFrom(name: string, address: string): Caller | undefined {
    const remembered = this.#remembered(name)
    return remembered?.policy?.worksFrom?.(address) === false ? undefined : remembered
  }

  async #loadFrom(name: string, hash: Buffer, address: string): Promise<Caller> {
    const caller = await this.#loadByHash(name, hash)
    if (caller.policy?.worksFrom?.(address) === false) {
      const { id, login } = caller.profile
      const about = { model: 'res.users.apikeys', record: caller.expected.key?.id ?? null }
      await this.attemptQueue.write({ event: 'key.address', uid: id, login, address, ...about })
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
   * The caller for user `uid`, if `password` is their password or one of their API keys (spec/wire.md section
   * 12). Throws AccessDenied, also while the address or the user has to wait after very many wrong ones. A
   * password that is remembered as right from this address is not verified again, unless this user is being
   * guessed at from this address.
   */
  async byPassword(uid: unknown, password: unknown, address: string): Promise<Caller> {
    if (typeof uid !== 'number' || !isPassword(password) || !isPossible({ uid })) throw new AccessDenied()
    const ofKey = await this.#byKeyOf(uid, password, address)
    if (ofKey) return ofKey
    return this.#byPassword.find(uid, password, address)
  }

  /** The user of a browser session. Throws SessionExpired. */
  async bySession(token: string): Promise<Caller> {
    const hash = hashKey(token)
    const name = `session ${hash.toString('base64')}`
    const remembered = this.#remembered(name)
    if (remembered) return remembered
    const caller = await this.#reader.read(name, sessionFacts(hash), (expected) =>
      sessionCredentialQuery(hash, expected),
    )
    if (!caller) throw new SessionExpired()
    this.#known.set(name, caller)
    return caller
  }

  /**
   * The id of the user whose program may sign in with this login and password, or API key; null for anything
   * wrong. Throws AccessDenied for a right password that needs a second factor.
   */
  async login(login: unknown, password: unknown): Promise<number | null> {
    if (typeof login !== 'string' || !isPassword(password)) return null
    if (looksLikeKey(password) && isPossible({ login })) {
      const [row] = await askPool(this.#source.pool)(keyOwner(hashKey(password), login).compile())
      if (row) return row[0] as number
    }
    const right = await this.check({ login }, password)
    assertAlone(right)
    return right?.uid ?? null
  }

  /** Whose password it is, and what their login still needs; null for a wrong one. API keys do not count. */
  check(who: Who, password: unknown): Promise<RightPassword | null> {
    return this.#byPassword.check(who, password)
  }

  /** The rights as of now, for work without a credential. */
  rights(): Promise<DatabaseRights> {
    return this.#reader.rights()
  }

  /**
   * Makes the next call read a refused caller again, as its rights may have changed; at most once per
   * interval.
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
        credentialQuery: keyCredentialQuery(hashKey(password), caller.expected, () => new AccessDenied()),
      }
    } catch (error) {
      if (error instanceof InvalidApiKey) return null
      throw error
    }
  }
}

function looksLikeKey(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}
