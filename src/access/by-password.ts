// Callers by a user's id and password, as RPC names them: judged as attempts, and remembered once they were
// right.
import { AccessDenied } from '../errors.ts'
import { Recent } from '../kit/recent.ts'
import { askPool } from './ask.ts'
import type { AttemptQueue } from './attempt-queue.ts'
import { Attempt, userAttempt, userFromAddress } from './attempts.ts'
import type { Caller, CallerReader, Source } from './caller.ts'
import { type Expected, userCredentialQuery, userFacts } from './credential.ts'
import type { Subject } from './failures.ts'
import { Passwords, type RightPassword, type Who } from './passwords.ts'

/** A password over RPC, and what it is remembered by. */
interface OfUser {
  readonly name: string
  readonly userAtAddress: Subject
  readonly uid: number
  readonly password: string
  readonly address: string
}

/** Parts that callers by password share with all others. */
interface Shared {
  readonly reader: CallerReader
  readonly attemptQueue: AttemptQueue
  readonly remembered: (name: string) => Caller | undefined
  /** By their own name. */
  readonly remember: (caller: Caller) => void
}

/** Programs send only a password. Throws AccessDenied with an explanation if a second factor is required. */
export function assertAlone(right: RightPassword | null): void {
  if (right && right.secondFactor !== 'none')
    throw new AccessDenied('This user has a second factor: sign in with an API key instead of the password.')
}

export class ByPassword {
  readonly #source: Source
  readonly #shared: Shared
  readonly #passwords = new Passwords()
  /**
   * Names of callers whose password was right last time. A change of rights forgets the caller, but must not
   * make it wait.
   */
  readonly #admitted: Recent<string, Expected>
  /**
   * Users and addresses whose passwords are being verified, with the number of attempts: a remembered
   * password of theirs queues meanwhile.
   */
  readonly #guessing = new Map<string, number>()

  /** Remembers `limit` passwords that were right at most. */
  constructor(source: Source, limit: number, shared: Shared) {
    this.#source = source
    this.#shared = shared
    this.#admitted = new Recent(limit)
  }

  /** Whose password it is, and what their login still needs; null for a wrong one. */
  check(who: Who, password: unknown): Promise<RightPassword | null> {
    return this.#passwords.check(askPool(this.#source.pool), who, password)
  }

  /**
   * The caller for user `uid`, if `password` is theirs. Throws AccessDenied, also while the address or the
   * user has to wait after very many wrong ones. A password that is remembered as right from this address is
   * not verified again, unless this user is being guessed at from this address.
   */
  async find(uid: number, password: string, address: string): Promise<Caller> {
    const userAtAddress = userFromAddress(uid, address)
    const attempt = {
      uid,
      password,
      address,
      userAtAddress,
      name: `user ${userAtAddress.name} ${this.#passwords.mark(password)}`,
    }
    const isGuessedAt = this.#guessing.has(userAtAddress.name)
    const remembered = isGuessedAt ? undefined : this.#shared.remembered(attempt.name)
    if (remembered) return remembered
    // There must be no await between here and the note that this user is being guessed at, so that of many
    // concurrent attempts all but the first see it.
    const admitted = this.#admitted.get(attempt.name)
    if (!admitted) return this.#asGuess(userAtAddress.name, () => this.#judged(attempt))
    return (isGuessedAt ? null : await this.#asBefore(attempt, admitted)) ?? this.#judged(attempt)
  }

  /**
   * Reads the caller again after a change of rights; null when the password has to be verified: it changed,
   * or an attempt for this user failed at this address.
   */
  async #asBefore(attempt: OfUser, admitted: Expected): Promise<Caller | null> {
    const caller = await this.#byOwnPassword(attempt)
    if (caller?.expected.failures !== admitted.failures) return null
    this.#shared.remember(caller)
    return caller
  }

  async #judged(user: OfUser): Promise<Caller> {
    const { uid, address, name } = user
    const attempted = userAttempt(uid, address, this.#admitted.get(name) !== undefined)
    const attempt = new Attempt(this.#shared.attemptQueue, attempted)
    const caller = await attempt.judge(() => this.#byOwnPassword(user))
    if (!caller) {
      this.#admitted.delete(name)
      throw new AccessDenied()
    }
    this.#admitted.set(name, caller.expected)
    this.#shared.remember(caller)
    return caller
  }

  /** Runs `judge` as one that guesses at a user from somewhere. */
  async #asGuess<T>(subject: string, judge: () => Promise<T>): Promise<T> {
    this.#guessing.set(subject, (this.#guessing.get(subject) ?? 0) + 1)
    try {
      return await judge()
    } finally {
      const others = (this.#guessing.get(subject) ?? 1) - 1
      if (others) this.#guessing.set(subject, others)
      else this.#guessing.delete(subject)
    }
  }

  async #byOwnPassword({ uid, password, userAtAddress, name }: OfUser): Promise<Caller | null> {
    // Reads the facts before the password: if it changes in between, they are out of date and the credential
    // check fails.
    const caller = await this.#shared.reader.read(name, userFacts(uid, userAtAddress), (expected) =>
      userCredentialQuery(expected, userAtAddress),
    )
    const right = await this.check({ uid }, password)
    assertAlone(right)
    return right && caller
  }
}
