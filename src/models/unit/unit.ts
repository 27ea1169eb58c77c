// Unit of work: one call's transaction, its first flush with the credential check, its cache and what waits
// to be recomputed.

import { beyond, type LimitName, limits } from '../../limits.ts'
import { type Connection, Crowded, isReadOnly, isRetryable, type Pool } from '../../postgres/index.ts'
import type { Sql, Statement } from '../../sql/index.ts'
import { sql } from '../../sql/index.ts'
import { ChangeLog } from '../changes/log.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { AuditRow, FileStore, Guard, ModuleChange } from '../language/outside.ts'
import type { Rights } from '../language/rights.ts'
import type { Row, Unit } from '../language/unit.ts'
import { ValueCache } from './cache.ts'
import type { Preamble, UnitOptions } from './options.ts'
import { refusing, wrongOf } from './refusing.ts'
import { ShownSoFar } from './shown.ts'
import {
  BEGIN,
  BEGIN_FOLLOWING,
  BEGIN_READ_ONLY,
  COMMIT,
  JUDGE_ALL,
  LANE,
  PATIENT,
  ROLLBACK,
} from './statements.ts'
import { GIVE_UP, Turns, waitFor } from './turns.ts'
import { Wished } from './wished.ts'

/** A statement that waits for the next flush. */
interface Outgoing {
  readonly statement: Statement
  readonly refusal: ((wrong: number) => unknown) | undefined
}

export class UnitOfWork implements Unit {
  #registry: Registry
  readonly rights: Rights
  readonly cache = new ValueCache()
  readonly shown = new ShownSoFar()
  readonly wished = new Wished()
  /** Stored computed fields that wait: field → ids. Emptied by `flush` (models/compute). */
  readonly pending = new Map<FieldDef, Set<number>>()
  /**
   * Stored computed fields that a call under way gives values for: field → ids. What else the call brings
   * does not make them stale.
   */
  readonly given = new Map<FieldDef, ReadonlySet<number>>()
  /** Fields that are being computed right now. */
  readonly computing = new Set<FieldDef>()
  /** What the server is to do to the modules once the call is committed. */
  moduleChange: ModuleChange | null = null
  /** Run once the transaction is committed, in order. */
  readonly afterCommit: (() => void | Promise<void>)[] = []
  /** Run before COMMIT, in order: rows that must commit with the effect (design "One call" 5). */
  readonly beforeCommit: (() => Promise<void>)[] = []
  /**
   * Statements made when COMMIT is about to leave, to go out with it behind all others, in order. Nothing is
   * waited for in between.
   */
  readonly withCommit: (() => Statement)[] = []
  readonly guard: Guard | null
  readonly tell: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
  /** Null where changes are not told. */
  readonly changes: ChangeLog | null
  /** Statements sent so far; the bench and tests of round trips read it. */
  statements = 0
  /** Milliseconds spent waiting for PostgreSQL, where the call is timed. */
  waited = 0
  readonly #judged = new Map<string, Set<number>>()
  readonly #pool: Pool
  readonly #options: UnitOptions
  #takesLong: boolean
  #connection: Connection | undefined
  #connecting: Promise<Connection> | undefined
  #began = false
  #committing = false
  #verified: boolean
  #waiting: Promise<void> | undefined
  /** The credential check while it is under way. */
  #verdict: Promise<void> | undefined
  #refusal: { readonly reason: unknown } | undefined
  /**
   * The first statement that failed: PostgreSQL refuses all that follow it in the transaction, and what they
   * say is of no interest.
   */
  #failure: { readonly reason: unknown } | undefined
  /** Statements that nobody waits for, to leave with the next one that somebody does. */
  readonly #outbox: Outgoing[] = []
  /** The last of them that left. */
  #unanswered: Promise<void> | undefined
  #broken = false
  readonly #turns: Turns | null
  /** Whether the session has locks that outlast the transaction. */
  #waitedForTurns = false
  /** What the call made use of, by limit. */
  #spent = new Map<LimitName, number>()

  constructor(pool: Pool, registry: Registry, rights: Rights, options: UnitOptions) {
    this.#pool = pool
    this.#registry = registry
    this.rights = rights
    this.#options = options
    this.guard = options.guard ?? null
    this.tell = options.tell ?? null
    this.files = options.files ?? null
    this.changes = options.changed && !options.readonly ? new ChangeLog() : null
    this.#takesLong = options.takesLong ?? false
    this.#verified = options.preamble === undefined
    this.#turns = options.turns && !options.readonly ? new Turns(options.turns) : null
  }

  get registry(): Registry {
    return this.#registry
  }

  /**
   * Whether the call's own method may give a `LongAnswer`: true at most once, for what is called inside of it
   * may not.
   */
  takesLong(): boolean {
    const taken = this.#takesLong
    this.#takesLong = false
    return taken
  }

  /** The moment it is: the machine's clock, or that of a test, which PostgreSQL's `now()` follows too. */
  now(): Date {
    return this.#pool.now()
  }

  /** Goes on with other models: some were made or dropped, and nothing of before is waiting. */
  renew(registry: Registry): void {
    this.#registry = registry
    this.cache.clear()
    this.#judged.clear()
  }

  /**
   * Records whose rules were found to let a user do an operation in this unit; emptied by every write to the
   * model.
   */
  judged(
    env: { readonly uid: number; readonly companyIds: readonly number[] },
    model: ModelDef,
    operation: string,
  ): Set<number> {
    const key = `${model.name}/${operation}/${env.uid}/${env.companyIds.join()}`
    const seen = this.#judged.get(key) ?? new Set()
    this.#judged.set(key, seen)
    return seen
  }

  /** Forgets what was judged: something was written. */
  rejudge(): void {
    this.#judged.clear()
  }

  /** What a client's call may make use of; the server's own work has no bounds. */
  bound(name: LimitName): number {
    return this.#options.bounded ? limits[name] : Number.MAX_SAFE_INTEGER
  }

  /**
   * Adds to what the call makes use of. Throws PayloadTooLarge where that is beyond the limit for a client's
   * call.
   */
  spend(name: LimitName, amount: number): void {
    this.foresee(name, amount)
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + amount)
  }

  /** As `spend`, of what will be spent later: for those who would have to take it all apart before. */
  foresee(name: LimitName, amount: number): void {
    if ((this.#spent.get(name) ?? 0) + amount > this.bound(name)) throw beyond(name)
  }

  /** Runs one statement in the call's transaction. `last`: the caller expects no further statement. */
  async query(statement: Sql, last = false): Promise<readonly Row[]> {
    return this.run(statement.compile(), last)
  }

  /** As `query`, for a statement that is made already. */
  async run(statement: Statement, last = false): Promise<readonly Row[]> {
    if (!this.#options.timed) return this.#run(statement, last)
    const since = performance.now()
    try {
      return await this.#run(statement, last)
    } finally {
      this.waited += performance.now() - since
    }
  }

  async #run(statement: Statement, last: boolean): Promise<readonly Row[]> {
    // Nothing is carried out behind a failure; and one that never left may have taken BEGIN with it.
    this.#throwFailure()
    const connection = this.#connection ?? (await this.#connect())
    this.statements++
    try {
      const answer = this.#leave(connection, statement, last && this.#options.sole === true)
      if (this.#verdict) await this.#verdict
      return await answer
    } catch (error) {
      throw this.#noted(error)
    }
  }

  /**
   * A statement whose rows nobody needs: it leaves in one flush with the next that somebody waits for, at the
   * latest with COMMIT. Should it fail, that is what is thrown there. Statements are carried out in their
   * order.
   */
  send(statement: Sql): void {
    this.post(statement.compile())
  }

  /**
   * As `send`, for a check that can only refuse: `violations` gives a number for each thing that is wrong,
   * and `refusal` makes an error of the first. The transaction is over then, even if COMMIT is on its way.
   */
  check(violations: Sql, refusal: (wrong: number) => unknown): void {
    this.post(refusing(violations).compile(), refusal)
  }

  /** As `send` and `check` (`refusing` makes its statement), for a statement that is made already. */
  post(statement: Statement, refusal?: (wrong: number) => unknown): void {
    this.statements++
    this.#outbox.push({ statement, refusal })
  }

  /**
   * Says which much wanted things the call is about to read and change, before it reads them; ids, or a query
   * of them. Throws Crowded where others are at them: the call is repeated once it is its turn.
   */
  async takeTurns(kind: string, about: readonly number[] | Sql): Promise<void> {
    const turns = this.#turns
    if (!turns) return
    if (isIds(about)) {
      const missing = turns.missing(kind, about)
      turns.note(kind, missing)
      // What leaves next fails where others are at them.
      if (missing.length && turns.isWorthwhile)
        this.check(turns.taken(kind, missing), () => new Crowded(turns.concerned))
      return
    }
    try {
      await turns.take(kind, about, (statement) => this.run(statement))
    } catch (error) {
      // Whoever goes on after it would go on in vain.
      throw this.#noted(error)
    }
  }

  /** Says what the call changes where it is too late to ask: should it lose, it is repeated in turn. */
  noteTurns(kind: string, ids: readonly number[]): void {
    this.#turns?.note(kind, ids)
  }

  /** What becomes of a transaction that lost: it is repeated in turn, where it said what it is about. */
  inTurn(error: unknown): unknown {
    const about = this.#turns?.concerned ?? []
    return about.length && isRetryable(error) && !(error instanceof Crowded)
      ? new Crowded(about, { cause: error })
      : error
  }

  /** Takes back a statement that has not left; false when it has. */
  withdraw(statement: Statement): boolean {
    const place = this.#outbox.findIndex((one) => one.statement === statement)
    if (place >= 0) this.#outbox.splice(place, 1)
    return place >= 0
  }

  /**
   * What went wrong first: `error`, or a statement sent before that nobody waited for. An error that tells of
   * that statement in other words stays.
   */
  async first(error: unknown): Promise<unknown> {
    try {
      if (this.#outbox.length && !this.#failure)
        this.#leave(this.#connection ?? (await this.#connect()), null, false)
    } catch (lost) {
      // Without a connection nobody will know.
      return error ?? lost
    }
    await this.#unanswered
    return this.#failure && !tellsOf(error, this.#failure.reason) ? this.#failure.reason : error
  }

  /**
   * One flush: before the first statement BEGIN, unless it is `alone`, and the credential check; then what
   * nobody waits for, then the statement.
   */
  #leave(connection: Connection, statement: Statement | null, alone: boolean): Promise<readonly Row[]> {
    const posted = this.#outbox.splice(0)
    const preamble = this.#verified || this.#verdict || this.#refusal ? undefined : this.#options.preamble
    if (statement && this.#began && !preamble && posted.length === 0)
      return connection.flush([statement])[0] as Promise<readonly Row[]>
    const batch: Statement[] = []
    if (!this.#began && (!alone || posted.length)) {
      batch.push(this.#options.follows ? BEGIN_FOLLOWING : this.#options.readonly ? BEGIN_READ_ONLY : BEGIN)
      if (this.#options.patient) {
        connection.patient = true
        batch.push(...PATIENT)
      }
      if (this.#options.inLane && !this.#options.readonly) batch.push(LANE)
      this.#began = true
    }
    if (preamble) batch.push(preamble.statement)
    const ahead = batch.length
    for (const one of posted) batch.push(one.statement)
    if (statement) batch.push(statement)
    const answers = connection.flush(batch) as Promise<readonly Row[]>[]
    if (preamble) this.#await(preamble, answers[ahead - 1] as Promise<readonly Row[]>)
    for (const [i, { refusal }] of posted.entries())
      this.#unanswered = this.#outcome(answers[ahead + i] as Promise<unknown>, refusal)
    return answers[batch.length - 1] as Promise<readonly Row[]>
  }

  /** Remembers the first failure. Those behind it in a flush fail alike, after it. */
  #outcome(answer: Promise<unknown>, refusal: Outgoing['refusal']): Promise<void> {
    return answer.then(
      () => undefined,
      (error: unknown) => {
        const wrong = refusal && wrongOf(error)
        this.#failure ??= { reason: wrong === undefined ? error : refusal?.(wrong) }
      },
    )
  }

  /**
   * A failure in the transaction is thrown in the place of all that follow it, also where nobody waited for
   * it.
   */
  #noted(error: unknown): unknown {
    if (this.#began) this.#failure ??= { reason: error }
    return this.#failure?.reason ?? error
  }

  /** One connection a unit, also when two statements come first together. */
  async #connect(): Promise<Connection> {
    const { holder, readonly, gone } = this.#options
    this.#connecting ??= this.#pool.acquire(holder, { writing: holder !== undefined && !readonly, gone })
    this.#connection = await this.#connecting
    const { turns } = this.#options
    if (turns?.length && this.#turns) this.#waiting ??= this.#waitForTurns(this.#connection, turns)
    if (this.#waiting) await this.#waiting
    return this.#connection
  }

  /** Before BEGIN: whoever has waited sees what was committed meanwhile. */
  async #waitForTurns(connection: Connection, turns: readonly string[]): Promise<void> {
    this.#waitedForTurns = true
    const { text, values } = waitFor(turns)
    await connection.query(text, values)
  }

  /** Leaves with what ends the transaction; where it fails, the connection goes, and all locks with it. */
  async #giveUpTurns(): Promise<void> {
    if (!this.#waitedForTurns) return
    try {
      await this.#connection?.query(GIVE_UP.text, GIVE_UP.values)
      this.#waitedForTurns = false
    } catch {
      // Said again behind ROLLBACK.
    }
  }

  /** Whether the credential was checked, or there is none. */
  get verified(): boolean {
    return this.#verified
  }

  /** Makes sure that the credential was checked before anything is answered. */
  async verify(): Promise<void> {
    const preamble = this.#options.preamble
    if (this.#verified || !preamble) return
    if (this.#refusal) throw this.#refusal.reason
    if (!this.#verdict) this.#leave(this.#connection ?? (await this.#connect()), null, true)
    await this.#verdict
  }

  /** Remembers the verdict on the credential once it is there. */
  #await(preamble: Preamble, answer: Promise<readonly Row[]>): void {
    this.#verdict = answer.then((rows) => {
      try {
        preamble.verify(rows)
      } catch (reason) {
        this.#refusal = { reason }
        throw reason
      }
      this.#verified = true
      this.#verdict = undefined
    })
    // Whoever waits for an answer waits for the verdict first; a call that waits for none hears of it by
    // `verify`.
    this.#verdict.catch(() => undefined)
  }

  /** COMMIT has left: only PostgreSQL knows whether the work stays. */
  get committing(): boolean {
    return this.#committing
  }

  /**
   * Ends the transaction, keeping its work, and gives the connection back. Throws what failed of the
   * statements that nobody waited for.
   */
  async commit(): Promise<void> {
    try {
      for (const hook of this.beforeCommit) await hook()
      if (this.#began || this.#outbox.length || this.withCommit.length) await this.#commit()
    } catch (error) {
      throw await this.abandon(error)
    }
    this.#release()
    for (const hook of this.afterCommit) await hook()
  }

  /**
   * As `commit` up to the end, and then nothing stays: hooks before COMMIT run, late constraints are judged,
   * ROLLBACK leaves in the place of COMMIT.
   * Throws what `commit` would throw.
   */
  async rehearse(): Promise<void> {
    try {
      for (const hook of this.beforeCommit) await hook()
      if (this.#began || this.#outbox.length) {
        this.post(JUDGE_ALL)
        await this.#end(ROLLBACK)
      }
    } catch (error) {
      throw await this.abandon(error)
    }
    this.#release()
  }

  /**
   * COMMIT leaves with what nobody waits for: behind a failure PostgreSQL does not run it, or takes it for
   * ROLLBACK.
   */
  async #commit(): Promise<void> {
    this.#throwFailure()
    // From here on nothing is waited for until COMMIT is on its way (docs/decisions/0035).
    const connection = this.#connection ?? (await this.#connect())
    for (const make of this.withCommit) this.post(make())
    const changes = this.changes?.statement()
    if (changes) {
      this.post(changes)
      this.afterCommit.push(() => this.#options.changed?.())
    }
    this.#committing = true
    await this.#end(COMMIT, connection)
    this.#committing = this.#began
  }

  /** The transaction's last statement leaves with what nobody waits for. */
  async #end(statement: Statement, connected?: Connection): Promise<void> {
    this.#throwFailure()
    const answer = this.#leave(connected ?? this.#connection ?? (await this.#connect()), statement, false)
    const given = this.#giveUpTurns()
    await answer
    await this.#unanswered
    await given
    if (this.#failure) {
      this.#began = false
      this.#committing = false
    }
    this.#throwFailure()
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.reason
  }

  /** As `rollback`, after `error`; gives what went wrong first. */
  async abandon(error: unknown): Promise<unknown> {
    const first = await this.first(error)
    await this.rollback()
    return first
  }

  /**
   * Stops what the unit does in PostgreSQL, as far as it is not committing: what is in flight fails, and
   * nothing follows.
   */
  stop(reason: unknown): void {
    if (this.#committing || !this.#connection) return
    if (this.#began) this.#failure ??= { reason }
    this.#connection.cancel()
  }

  /**
   * As `rollback`, and rows of a statement of its own that leaves in the same flush. Throws what that
   * statement throws.
   */
  async rollbackFor(statement: Statement): Promise<readonly Row[]> {
    this.#outbox.length = 0
    const connection = this.#connection ?? (await this.#connect())
    try {
      const rows = connection.flush(this.#began ? [ROLLBACK, statement] : [statement]).at(-1)
      return (await rows) as readonly Row[]
    } catch (error) {
      this.#broken = true
      throw error
    } finally {
      this.#release()
    }
  }

  /** Ends the transaction, discarding its work; never throws. */
  async rollback(): Promise<void> {
    this.#outbox.length = 0
    // A server that takes no writes any more is none to stay with.
    if (!this.#options.readonly && isReadOnly(this.#failure?.reason)) this.#broken = true
    try {
      if (this.#began) await this.#connection?.query('ROLLBACK', [])
      await this.#giveUpTurns()
    } catch {
      this.#broken = true
    }
    this.#release()
  }

  /** Runs `work` so that a failure inside leaves no trace of it but lets the call go on. */
  async savepoint<T>(work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    // What waits now has its old values again when the work is undone, and waits again.
    const waiting = [...this.pending].map(([field, ids]) => [field, new Set(ids)] as const)
    const hooks = [this.beforeCommit.length, this.afterCommit.length, this.withCommit.length] as const
    // Whoever tries again in smaller parts does not pay twice.
    const spent = new Map(this.#spent)
    const noted = this.changes?.length ?? 0
    const undo = async () => {
      this.#spent = spent
      this.changes?.back(noted)
      this.cache.clear()
      this.rejudge()
      this.pending.clear()
      for (const [field, ids] of waiting) this.pending.set(field, ids)
      this.beforeCommit.length = hooks[0]
      this.afterCommit.length = hooks[1]
      this.withCommit.length = hooks[2]
      this.#outbox.length = 0
      await this.#unanswered
      this.#failure = undefined
      // Nested savepoints share the name: this one is let go, so that the outer one is the next in line.
      await this.query(sql`ROLLBACK TO SAVEPOINT work`)
      await this.query(sql`RELEASE SAVEPOINT work`)
    }
    await this.query(sql`SAVEPOINT work`)
    let result: T
    try {
      result = await work()
      if (keep(result)) {
        // Waited for: what was sent and failed is undone too.
        await this.query(sql`RELEASE SAVEPOINT work`)
        return result
      }
    } catch (error) {
      const first = await this.first(error)
      await undo()
      throw first
    }
    await undo()
    return result
  }

  #release(): void {
    const connection = this.#connection
    if (!connection) return
    this.#connection = undefined
    this.#connecting = undefined
    this.#began = false
    this.#waiting = undefined
    this.#pool.release(connection, this.#broken || this.#waitedForTurns)
  }
}

const isIds = (about: readonly number[] | Sql): about is readonly number[] => Array.isArray(about)

/** Whether an error was made of another one (`cause`). */
function tellsOf(error: unknown, failure: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one === failure) return true
  return false
}
