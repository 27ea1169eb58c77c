// The transaction of one call: its connection, its first flush with the credential check, and its end.
import { present } from '../../kit/present.ts'
import { type Connection, isReadOnly, type Pool } from '../../postgres/index.ts'
import type { Sql, Statement } from '../../sql/index.ts'
import type { Row, Usage } from '../language/unit.ts'
import { SessionTurns } from './contention-locks.ts'
import { answerOf, CredentialCheck } from './credential.ts'
import { FirstFlush } from './flushes.ts'
import { isAnyKnown, isLong, LONG, noteTime, turnOf } from './large.ts'
import { acquire, beginWith, COMMIT, ENDED, JUDGE_ALL, ROLLBACK, type UnitOptions } from './options.ts'
import { rollBackTo } from './savepoint.ts'
import { WriteBuffer } from './write-buffer.ts'

/** From nothing to a connection, with the first statement to a transaction, and to its end. */
export abstract class Transaction {
  readonly usage: Usage = { statements: 0, waited: 0, connectedAt: null, isHeavy: false }
  readonly #check: CredentialCheck
  protected readonly options: UnitOptions
  readonly #pool: Pool
  /** Null as long as nothing was posted and nothing failed, as in most reads. */
  #buffer: WriteBuffer | null = null
  #credential: FirstFlush | undefined
  #connection: Connection | undefined
  #connecting: Promise<Connection> | undefined
  #began = false
  /** COMMIT has left: only PostgreSQL knows whether the work stays. */
  committing = false
  #underWay = 0
  #over: PromiseWithResolvers<void> | undefined
  /** Statements that wait for their turn or for the connection: COMMIT leaves after them. */
  #unsent = 0
  #allSent: PromiseWithResolvers<void> | undefined
  #turns: SessionTurns | undefined
  #broken = false
  /** Whether it has ended: parallel branches of failed work must not begin another transaction. */
  #isOver = false
  /** Why it was stopped, if it was. */
  #stopped: unknown

  constructor(pool: Pool, options: UnitOptions) {
    this.#pool = pool
    this.options = options
    this.#check = new CredentialCheck(options.credentialQuery)
  }

  get buffer(): WriteBuffer {
    this.#buffer ??= new WriteBuffer(this.usage, this.#check)
    return this.#buffer
  }

  get credential(): FirstFlush {
    this.#credential ??= new FirstFlush(this.#check, this, this.options)
    return this.#credential
  }

  /** Whether the work may not end before the result of the credential check is known. */
  get mustVerify(): boolean {
    if (this.#check.passed || this.#check.unheard) return false
    return !this.#buffer || !this.credential.provesAtEnd
  }

  get database(): object {
    return this.#pool
  }

  now(): Date {
    return this.#pool.now()
  }

  protected get isIdle(): boolean {
    return !this.#began && this.#unsent === 0 && (this.#buffer?.isEmpty ?? true)
  }

  async query<R extends Row = Row>(statement: Sql, last = false): Promise<readonly R[]> {
    return this.run<R>(statement.compile(), last)
  }

  async run<R extends Row = Row>(statement: Statement, last = false): Promise<readonly R[]> {
    if (this.#isOver) throw new Error(ENDED)
    // PostgreSQL ignores statements after a failed one; BEGIN itself may not have been sent.
    this.#buffer?.throwFailure()
    // A long statement waits for its turn, if possible before it holds a connection.
    const isLate = (this.#connection ?? this.#connecting) !== undefined
    let leave: (() => void) | undefined
    const { options, usage } = this
    const { holder } = options
    let isSent = false
    const begun = performance.now()
    this.#underWay++
    this.#unsent++
    try {
      if (usage.isHeavy || (isAnyKnown && isLong(statement))) leave = await turnOf(this.#pool, holder, isLate)
      const connection = this.#connection ?? this.#lent() ?? (await this.#connect())
      if (this.#isOver) this.release()
      if (this.#isOver) throw new Error(ENDED)
      // While it waited for the connection, another call may have found it to be long.
      if (isAnyKnown && !leave && !isLate && isLong(statement)) leave = await turnOf(this.#pool, holder, true)
      if (leave) this.#buffer?.throwFailure()
      usage.statements++
      const since = performance.now()
      const answer = this.#leave(connection, statement, last && options.sole === true)
      isSent = true
      if (--this.#unsent === 0) this.#allSent = void this.#allSent?.resolve()
      const { pendingAnswer } = this.#check
      if (pendingAnswer) await pendingAnswer
      const rows = (await answer) as readonly R[]
      const took = performance.now() - since
      if ((isAnyKnown || took > LONG) && options.readonly) noteTime(statement, took)
      return rows
    } catch (error) {
      throw this.noted(error)
    } finally {
      if (!isSent && --this.#unsent === 0) this.#allSent = void this.#allSent?.resolve()
      if (--this.#underWay === 0) this.#over = void this.#over?.resolve()
      usage.waited += performance.now() - begun
      leave?.()
    }
  }

  /**
   * The first failure: `error`, or that of an earlier statement that was not awaited. An error that this
   * failure caused stays.
   */
  async first(error: unknown): Promise<unknown> {
    try {
      if (!this.buffer.isEmpty && !this.buffer.failure)
        this.#leave(this.#connection ?? (await this.#connect()), null, false)
    } catch (lost) {
      // Without a connection the first failure stays unknown.
      return error ?? lost
    }
    return this.buffer.first(error)
  }

  /** Sends BEGIN (unless `alone`), the credential check, the write buffer and the statement. */
  #leave(connection: Connection, statement: Statement | null, alone: boolean): Promise<readonly Row[]> {
    const posted = this.#buffer?.take(statement) ?? []
    const check = this.#check.due
    if (statement && this.#began && !check && posted.length === 0)
      return answerOf(connection.flush([statement]), 0)
    const isAlone = alone && posted.length === 0 && !(check && this.#check.isJoined)
    const begins = !this.#began && !isAlone
    if (begins && this.options.patient) connection.patient = true
    const batch = begins ? beginWith(this.options) : []
    this.#began ||= begins
    if (check) batch.push(this.#check.statementOf(check))
    const ahead = batch.length
    for (const post of posted) batch.push(post.statement)
    if (statement) batch.push(statement)
    const answers = connection.flush(batch)
    if (check) this.#check.left(check, answerOf(answers, ahead - 1), (why) => this.buffer.fail(why))
    for (const [i, post] of posted.entries()) this.#buffer?.left(answerOf(answers, ahead + i), post)
    return answerOf(answers, batch.length - 1)
  }

  /** The first failure of the transaction, which replaces all later ones. */
  noted(error: unknown): unknown {
    if (this.#began) this.buffer.fail(error)
    return this.#buffer?.failure?.reason ?? this.#stopped ?? error
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
    this.usage.connectedAt ??= performance.now()
    return connection
  }

  async #connect(): Promise<Connection> {
    const { readonly, turns } = this.options
    this.#connecting ??= acquire(this.#pool, this.options)
    this.#connection = await this.#connecting
    if (turns?.length && !readonly) {
      this.#turns ??= new SessionTurns()
      await this.#turns.wait(this.#connection, turns)
    }
    this.usage.connectedAt ??= performance.now()
    return this.#connection
  }

  async verify(): Promise<void> {
    if (this.#check.passed) return
    if (this.#check.unheard) return void (await this.#endFor(null))
    const connection = this.#check.due && (this.#connection ?? this.#lent() ?? (await this.#connect()))
    // A statement may have taken it along.
    if (connection && this.#check.due) this.#leave(connection, null, true)
    await this.#check.settled()
  }

  /**
   * COMMIT leaves with the write buffer, after the statements that `last` posts: after a failure PostgreSQL
   * skips it, or takes it for ROLLBACK. Nothing is awaited between `last` and COMMIT (decision 0035).
   */
  protected async end(last: () => void): Promise<void> {
    this.#buffer?.throwFailure()
    if (this.options.isOptimistic) this.#check.insist()
    const connection = this.#connection ?? this.#lent() ?? (await this.#connect())
    if (this.#unsent > 0) this.#allSent ??= Promise.withResolvers<void>()
    if (this.#allSent) await this.#allSent.promise
    last()
    this.committing = true
    await this.#leaveWith(COMMIT, connection)
    this.committing = this.#began
  }

  /** Checks deferred constraints as COMMIT would, and rolls back. */
  protected async endInVain(): Promise<void> {
    this.buffer.post(JUDGE_ALL)
    this.#buffer?.throwFailure()
    await this.#leaveWith(ROLLBACK, this.#connection ?? (await this.#connect()))
  }

  /** The last statement of the transaction leaves with the write buffer. */
  async #leaveWith(statement: Statement, connection: Connection): Promise<void> {
    const { buffer } = this
    buffer.throwFailure()
    const answer = this.#leave(connection, statement, false)
    if (statement === COMMIT) this.options.committed?.(connection)
    const release = this.#turns?.releaseLocks(this.#connection)
    await answer
    await buffer.answered()
    await release
    if (buffer.failure) {
      this.#began = false
      this.committing = false
    }
    buffer.throwFailure()
  }

  /** Stops its work in PostgreSQL unless it commits: statements under way fail, and none follow. */
  stop(reason: unknown): void {
    if (this.committing || !this.#connection) return
    this.#stopped ??= reason
    if (this.#began) this.buffer.fail(reason)
    this.#connection.cancel()
  }

  /** As `rollback`; returns the rows of a further statement in the same flush, or throws its failure. */
  rollbackFor(statement: Statement): Promise<readonly Row[]> {
    return this.#endFor(statement).finally(() => this.release())
  }

  /** One flush that ends the transaction, with the credential check where that has no result yet. */
  async #endFor(statement: Statement | null): Promise<readonly Row[]> {
    this.#buffer?.clear()
    const connection = this.#connection ?? (await this.#connect())
    const { unheard } = this.#check
    const batch = [this.#began && ROLLBACK, unheard?.statement, statement].filter((one) => !!one)
    const rows = await Promise.all(connection.flush(batch)).catch((error: unknown) => {
      this.#broken = true
      throw error
    })
    this.#began = false
    if (unheard) this.#check.hear(present(rows.at(statement ? -2 : -1)))
    return present(rows.at(-1))
  }

  /** Ends the transaction, discarding its work; never throws. */
  async rollback(): Promise<void> {
    this.#buffer?.clear()
    // A server that became read-only is not the primary: its connection is closed.
    if (!this.options.readonly && isReadOnly(this.#buffer?.failure?.reason)) this.#broken = true
    try {
      if (this.#began) await this.#connection?.query('ROLLBACK', [])
      await this.#turns?.releaseLocks(this.#connection)
    } catch {
      this.#broken = true
    }
    this.release()
  }

  /** Rolls back to a savepoint. Throws the reason of a stop: a stopped session does not go on. */
  async back(statements: readonly Statement[], why: unknown): Promise<void> {
    this.usage.statements += statements.length
    if (this.#underWay > 0) this.#over ??= Promise.withResolvers<void>()
    const [connection, isStopped] = [present(this.#connection), () => this.#stopped !== undefined]
    const behind = { writeBuffer: this.buffer, connection, answered: this.#over?.promise, isStopped }
    const since = performance.now()
    const lost = await rollBackTo(statements, why, behind)
    this.usage.waited += performance.now() - since
    if (isStopped() || lost) throw this.noted(this.#stopped ?? lost)
  }

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
