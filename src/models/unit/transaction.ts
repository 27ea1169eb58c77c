// The transaction of one call: its connection, its first flush with the credential check, and its end.
import { present } from '../../kit/present.ts'
import { type Connection, isReadOnly, isTwin, type Pool } from '../../postgres/index.ts'
import type { Sql, Statement } from '../../sql/index.ts'
import type { Row } from '../language/unit.ts'
import { SessionTurns } from './contention-locks.ts'
import { isAnyKnown, isLong, LONG, noteTime, turnOf } from './large.ts'
import { acquired, beginning, COMMIT, JUDGE_ALL, LATE, ROLLBACK, type UnitOptions } from './options.ts'
import { answerOf, Posting } from './posting.ts'
import { goBack } from './savepoint.ts'
import type { WriteBuffer } from './write-buffer.ts'

/** From nothing to a connection, with the first statement to a transaction, and to its end. */
export abstract class Transaction extends Posting {
  statements = 0
  protected posted: WriteBuffer | null = null
  /** Each of its statements counts as a long one. */
  isHeavy = false
  /** When its connection came, by `performance.now()`, with the turns that it takes. */
  connectedAt: number | null = null
  protected readonly options: UnitOptions
  readonly #pool: Pool
  #connection: Connection | undefined
  #connecting: Promise<Connection> | undefined
  #began = false
  #committing = false
  #underWay = 0
  #over: PromiseWithResolvers<void> | undefined
  /** Statements that wait for their turn or for the connection: COMMIT leaves after them. */
  #unsent = 0
  #allSent: PromiseWithResolvers<void> | undefined
  /** Those that it waited for. */
  #turns: SessionTurns | undefined
  #broken = false
  /** Whether it has ended: parallel branches of failed work must not begin another transaction. */
  #isOver = false
  /** Why it was stopped, if it was. */
  #stopped: unknown

  constructor(pool: Pool, options: UnitOptions) {
    super(options)
    this.#pool = pool
    this.options = options
  }

  /** Identifies the database: the key of what a process caches about it. */
  get database(): object {
    return this.#pool
  }

  /** The moment it is: the machine's clock, or that of a test, which PostgreSQL's `now()` follows too. */
  now(): Date {
    return this.#pool.now()
  }

  /** COMMIT has left: only PostgreSQL knows whether the work stays. */
  get committing(): boolean {
    return this.#committing
  }

  protected get isIdle(): boolean {
    return !this.#began && this.#unsent === 0 && (this.posted?.isEmpty ?? true)
  }

  /** Runs one statement in the call's transaction. `last`: the caller expects no further statement. */
  async query<R extends Row = Row>(statement: Sql, last = false): Promise<readonly R[]> {
    return this.run<R>(statement.compile(), last)
  }

  /** As `query`, for a statement that is made already. */
  async run<R extends Row = Row>(statement: Statement, last = false): Promise<readonly R[]> {
    if (this.#isOver) throw new Error(LATE)
    // PostgreSQL ignores statements after a failed one; BEGIN itself may not have been sent.
    this.posted?.throwFailure()
    // A long statement waits for its turn, if possible before it holds a connection.
    const isLate = (this.#connection ?? this.#connecting) !== undefined
    let leave: (() => void) | undefined
    const { holder } = this.options
    let isSent = false
    this.#underWay++
    this.#unsent++
    try {
      if (this.isHeavy || (isAnyKnown && isLong(statement))) leave = await turnOf(this.#pool, holder, isLate)
      const connection = this.#connection ?? this.#lent() ?? (await this.#connect())
      if (this.#isOver) this.release()
      if (this.#isOver) throw new Error(LATE)
      // While it waited for the connection, another call may have found it to be long.
      if (isAnyKnown && !leave && !isLate && isLong(statement)) leave = await turnOf(this.#pool, holder, true)
      if (leave) this.posted?.throwFailure()
      this.statements++
      const since = performance.now()
      const answer = this.#leave(connection, statement, last && this.options.sole === true)
      isSent = true
      if (--this.#unsent === 0) this.#allSent = void this.#allSent?.resolve()
      const { pendingAnswer } = this.credential
      if (pendingAnswer) await pendingAnswer
      const rows = (await answer) as readonly R[]
      const took = performance.now() - since
      if ((isAnyKnown || took > LONG) && this.options.readonly) noteTime(statement, took)
      return rows
    } catch (error) {
      throw this.noted(error)
    } finally {
      if (!isSent && --this.#unsent === 0) this.#allSent = void this.#allSent?.resolve()
      if (--this.#underWay === 0) this.#over = void this.#over?.resolve()
      leave?.()
    }
  }

  /**
   * The first failure: `error`, or that of an earlier statement that was not awaited. An error that this
   * failure caused stays.
   */
  async first(error: unknown): Promise<unknown> {
    try {
      if (!this.writeBuffer.isEmpty && !this.writeBuffer.failure)
        this.#leave(this.#connection ?? (await this.#connect()), null, false)
    } catch (lost) {
      // Without a connection the first failure stays unknown.
      return error ?? lost
    }
    return this.writeBuffer.first(error)
  }

  /** Sends BEGIN (unless `alone`), the credential check, the write buffer and the statement. */
  #leave(connection: Connection, statement: Statement | null, alone: boolean): Promise<readonly Row[]> {
    const posted = this.posted?.take(statement) ?? []
    const check = this.credential.due
    if (statement && this.#began && !check && posted.length === 0)
      return answerOf(connection.flush([statement]), 0)
    const isAlone = alone && posted.length === 0 && !(check && this.credential.isJoined)
    const begins = !this.#began && !isAlone
    if (begins && this.options.patient) connection.patient = true
    const batch = begins ? beginning(this.options) : []
    this.#began ||= begins
    if (check) batch.push(this.credential.statementOf(check))
    const ahead = batch.length
    for (const post of posted) batch.push(post.statement)
    if (statement) batch.push(statement)
    const answers = connection.flush(batch)
    if (check) this.credential.left(check, answerOf(answers, ahead - 1), (why) => this.writeBuffer.fail(why))
    for (const [i, post] of posted.entries()) this.writeBuffer.left(answerOf(answers, ahead + i), post)
    return answerOf(answers, batch.length - 1)
  }

  /** The first failure of the transaction, which replaces all later ones. */
  protected noted(error: unknown): unknown {
    if (this.#began) this.writeBuffer.fail(error)
    return this.posted?.failure?.reason ?? this.#stopped ?? error
  }

  /** A free connection, at once; null where all are taken, or locks have to be awaited. */
  #lent(): Connection | null {
    const { holder, readonly, turns, gone, opened } = this.options
    if (this.#connecting || (turns?.length && !readonly)) return null
    const isWriter = holder !== undefined && !readonly
    const connection = this.#pool.lend(holder, isWriter ? { writing: true, gone } : undefined)
    if (!connection) return null
    this.#connection = connection
    opened?.(connection)
    this.connectedAt ??= performance.now()
    return connection
  }

  /** One connection for the session, also for two first statements at once. */
  async #connect(): Promise<Connection> {
    const { readonly, turns } = this.options
    this.#connecting ??= acquired(this.#pool, this.options)
    this.#connection = await this.#connecting
    if (turns?.length && !readonly) {
      this.#turns ??= new SessionTurns()
      await this.#turns.wait(this.#connection, turns)
    }
    this.connectedAt ??= performance.now()
    return this.#connection
  }

  /** Makes sure that the credential was checked before anything is answered. */
  async verify(): Promise<void> {
    if (this.credential.passed) return
    if (this.credential.unheard) return void (await this.#endFor(null))
    const connection = this.credential.due && (this.#connection ?? this.#lent() ?? (await this.#connect()))
    // A statement may have taken it along.
    if (connection && this.credential.due) this.#leave(connection, null, true)
    await this.credential.settled()
  }

  /**
   * COMMIT leaves with the write buffer, after the statements that `last` posts: after a failure PostgreSQL
   * skips it, or takes it for ROLLBACK. Nothing is awaited between `last` and COMMIT (decision 0035).
   */
  protected async end(last: () => void): Promise<void> {
    this.writeBuffer.throwFailure()
    if (this.options.isOptimistic) this.credential.insist()
    const connection = this.#connection ?? this.#lent() ?? (await this.#connect())
    if (this.#unsent > 0) this.#allSent ??= Promise.withResolvers<void>()
    if (this.#allSent) await this.#allSent.promise
    last()
    this.#committing = true
    await this.#leaveWith(COMMIT, connection)
    this.#committing = this.#began
  }

  /** Checks deferred constraints as COMMIT would, and rolls back. */
  protected async endInVain(): Promise<void> {
    this.post(JUDGE_ALL)
    this.writeBuffer.throwFailure()
    await this.#leaveWith(ROLLBACK, this.#connection ?? (await this.#connect()))
  }

  /** The last statement of the transaction leaves with the write buffer. */
  async #leaveWith(statement: Statement, connection: Connection): Promise<void> {
    this.writeBuffer.throwFailure()
    const answer = this.#leave(connection, statement, false)
    if (statement === COMMIT) this.options.committed?.(connection)
    const release = this.#turns?.giveUp(this.#connection)
    await answer
    await this.writeBuffer.answered()
    await release
    if (this.writeBuffer.failure) {
      this.#began = false
      this.#committing = false
    }
    this.writeBuffer.throwFailure()
  }

  /** As `rollback`, after `error`; gives what went wrong first. */
  async abandon(error: unknown): Promise<unknown> {
    const first = await this.first(error)
    // An unchecked credential, or an earlier answer, is read in the flush that ends the transaction.
    if (!this.isUnheard && !isTwin(first)) await this.rollback()
    return first
  }

  /** Stops its work in PostgreSQL unless it commits: statements under way fail, and none follow. */
  stop(reason: unknown): void {
    if (this.#committing || !this.#connection) return
    this.#stopped ??= reason
    if (this.#began) this.writeBuffer.fail(reason)
    this.#connection.cancel()
  }

  /** As `rollback`; returns the rows of a further statement in the same flush, or throws its failure. */
  rollbackFor(statement: Statement): Promise<readonly Row[]> {
    return this.#endFor(statement).finally(() => this.release())
  }

  /** One flush that ends the transaction, with the credential check where that has no result yet. */
  async #endFor(statement: Statement | null): Promise<readonly Row[]> {
    this.writeBuffer.clear()
    const connection = this.#connection ?? (await this.#connect())
    const { unheard } = this.credential
    const batch = [this.#began && ROLLBACK, unheard?.statement, statement].filter((one) => !!one)
    const rows = await Promise.all(connection.flush(batch)).catch((error: unknown) => {
      this.#broken = true
      throw error
    })
    this.#began = false
    if (unheard) this.credential.hear(present(rows.at(statement ? -2 : -1)))
    return present(rows.at(-1))
  }

  /** Ends the transaction, discarding its work; never throws. */
  async rollback(): Promise<void> {
    this.writeBuffer.clear()
    // A server that became read-only is not the primary: its connection is closed.
    if (!this.options.readonly && isReadOnly(this.writeBuffer.failure?.reason)) this.#broken = true
    try {
      if (this.#began) await this.#connection?.query('ROLLBACK', [])
      await this.#turns?.giveUp(this.#connection)
    } catch {
      this.#broken = true
    }
    this.release()
  }

  /** Rolls back to a savepoint. Throws the reason of a stop: a stopped session does not go on. */
  async back(statements: readonly Statement[], why: unknown): Promise<void> {
    this.statements += statements.length
    if (this.#underWay > 0) this.#over ??= Promise.withResolvers<void>()
    const [connection, isStopped] = [present(this.#connection), () => this.#stopped !== undefined]
    const behind = { writeBuffer: this.writeBuffer, connection, answered: this.#over?.promise, isStopped }
    const lost = await goBack(statements, why, behind)
    if (isStopped() || lost) throw this.noted(this.#stopped ?? lost)
  }

  /** Gives the connection back. */
  protected release(): void {
    this.#isOver = true
    const connection = this.#connection
    if (!connection) return
    this.#connection = undefined
    this.#connecting = undefined
    this.#began = false
    this.#turns?.over()
    this.#pool.release(connection, this.#broken || this.#turns?.held)
  }
}
