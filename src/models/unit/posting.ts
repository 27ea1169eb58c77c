// Statements of a transaction whose results no code reads, the part of the work that they belong to, and
// the limits of the call.

import { beyond, type LimitName, limits } from '../../limits.ts'
import type { ListedRows, Sql, Statement } from '../../sql/index.ts'
import { type Assertion, type Beside, type Claim, DeferredId, type Question } from '../language/deferred.ts'
import type { Row } from '../language/unit.ts'
import { CredentialCheck } from './credential.ts'
import type { UnitOptions } from './options.ts'
import { ASSERTION_FAILED, OtherWay, refusing } from './refusing.ts'
import { type Refusal, WriteBuffer } from './write-buffer.ts'

/** Deferred ids of a transaction: each copies the list of earlier ones (changes/last.ts). */
const MOST_DEFERRED = 200

/** The write buffer of a session; `Transaction` adds the connection. */
export abstract class Posting {
  /** Statements sent so far; the bench and tests of round trips read it. */
  abstract statements: number
  /** Null as long as nothing was posted and nothing failed, as in most reads. */
  protected abstract posted: WriteBuffer | null

  abstract run(statement: Statement): Promise<readonly Row[]>
  /** Makes sure that the credential was checked before anything is answered. */
  abstract verify(): Promise<void>
  /** The error to throw for a failure of the transaction. */
  protected abstract noted(error: unknown): unknown
  protected abstract readonly options: UnitOptions

  /** By limit; created with the first use: most calls count nothing. */
  protected spent: Map<LimitName, number> | undefined
  protected readonly credential: CredentialCheck
  #mayDefer: boolean
  readonly #deferred: DeferredId[] = []
  /** Number of open savepoints: a failure inside is undone, and the call goes on. */
  protected within = 0

  constructor({ credentialQuery, defers }: Pick<UnitOptions, 'credentialQuery' | 'defers'>) {
    this.credential = new CredentialCheck(credentialQuery)
    this.#mayDefer = defers === true
  }

  /** The limit of a client's call; the server's own work has no limits. */
  bound(name: LimitName): number {
    return this.options.bounded ? limits[name] : Number.MAX_SAFE_INTEGER
  }

  /**
   * Counts against a limit. Throws PayloadTooLarge where a client's call exceeds it.
   */
  spend(name: LimitName, amount: number): void {
    this.foresee(name, amount)
    this.spent ??= new Map()
    this.spent.set(name, (this.spent.get(name) ?? 0) + amount)
  }

  /** As `spend`, without counting: for an amount that is known before the work and counted during it. */
  foresee(name: LimitName, amount: number): void {
    if ((this.spent?.get(name) ?? 0) + amount > this.bound(name)) throw beyond(name)
  }

  /** Whether the credential was checked, or the call has none. */
  get verified(): boolean {
    return this.credential.passed
  }

  /**
   * Whether a check that joined the credential check failed: the credential itself is still unchecked.
   */
  get isUnheard(): boolean {
    return this.credential.unheard !== undefined
  }

  /** Tables and numbers of inserted rows. */
  protected readonly grown: (readonly [table: string, rows: number])[] = []

  protected get writeBuffer(): WriteBuffer {
    this.posted ??= new WriteBuffer()
    return this.posted
  }

  /** The part of the work that is under way, of work that has several. */
  set stage(stage: number) {
    this.writeBuffer.stage = stage
  }

  /** The part of the work whose statement failed first, which may be noticed in a later one. */
  get failedAt(): number | undefined {
    return this.posted?.failure?.stage
  }

  /**
   * Adds a statement without a result to the write buffer: it leaves with the next awaited statement, at
   * the latest with COMMIT, which throws its failure. Statements keep their order.
   */
  send(statement: Sql): void {
    this.post(statement.compile())
  }

  /**
   * As `send`, for a check: `violations` returns numbers, and `refusal` the error for the first. A
   * violation ends the transaction, even if COMMIT is under way.
   */
  check(violations: Sql, refusal: Refusal): void {
    this.post(refusing(violations).compile(), refusal)
  }

  /** As `send` and `check` (with a statement by `refusing`), for a composed statement. */
  post(statement: Statement, refusal?: Refusal): void {
    this.statements++
    this.writeBuffer.post(statement, refusal)
  }

  /**
   * As `post`, for a check that joins the statement of the credential check, where that has not left.
   */
  postFirst(check: Beside): void {
    if (this.credential.join(check)) return
    this.post({ text: `SELECT ${check.column}`, values: [...check.values] }, check.refusal)
  }

  /** The value of an expression, in the statement of the credential check where that has not left. */
  async ask(question: Question): Promise<unknown> {
    // A timed call measures the wait for statements; deferred ids are drawn in the order of statements.
    if (this.options.timed || this.isDeferring || !this.credential.asks(question)) {
      const [row] = await this.run({ text: `SELECT ${question.column}`, values: [...question.values] })
      return row?.[0]
    }
    try {
      await this.verify()
    } catch (error) {
      throw this.noted(error)
    }
    return this.credential.answer
  }

  takesDeferred(): boolean {
    const { passed, mayInsist } = this.credential
    const may = this.#mayDefer && this.within === 0 && (passed || mayInsist)
    this.#mayDefer = false
    return may && this.#deferred.length < MOST_DEFERRED
  }

  letDefer(): void {
    this.#mayDefer = this.options.isOptimistic === true
  }

  get isDeferring(): boolean {
    return this.#deferred.at(-1)?.id === null
  }

  postDeferred(row: ListedRows, alone: () => Statement, refused: () => void): DeferredId {
    this.credential.insist()
    const id = new DeferredId(this.#deferred.length + 1)
    this.#deferred.push(id)
    if (this.writeBuffer.postRows(row, alone, { id, refused })) this.statements++
    return id
  }

  assert(assertion: Assertion): boolean {
    if (!this.options.isOptimistic || this.within > 0) return false
    const { mayInsist, passed } = this.credential
    if (this.writeBuffer.isEmpty && this.credential.assert(assertion)) return true
    if (!mayInsist && !passed) return false
    // Earlier statements may change the assumption: the assertion follows them.
    this.credential.insist()
    this.post({ text: `SELECT ${assertion.column}`, values: [...assertion.values] }, (wrong) => {
      if (wrong === ASSERTION_FAILED) assertion.refused()
      return new OtherWay()
    })
    return true
  }

  /** Whether an optimistic assertion would join the credential check, with no statement before it. */
  get mayAssertFirst(): boolean {
    const { isOptimistic = false } = this.options
    return isOptimistic && this.within === 0 && this.writeBuffer.isEmpty && this.credential.mayAssert
  }

  /**
   * Whether the credential check may leave with COMMIT: all work so far relies on it, and no result was
   * awaited.
   */
  get provesAtEnd(): boolean {
    return this.options.isOptimistic === true && !this.writeBuffer.isEmpty && this.credential.mayInsist
  }

  /**
   * Sends the row of a claim before all else, where the credential check has not left and is to fail in
   * the same flush; false where the row follows the other statements.
   */
  leadsWith({ check, ahead }: Claim, row: Statement): boolean {
    if (!this.credential.exchange(check, ahead)) return false
    this.statements++
    this.writeBuffer.postAhead(row)
    return true
  }

  /** Takes back a check of `postFirst` that has not left. */
  withdrawFirst(check: Beside): void {
    this.credential.part(check)
  }

  /** Counts inserted rows: PostgreSQL has to know how large a table is (postgres/growth.ts). */
  grew(table: string, rows: number): void {
    this.grown.push([table, rows])
  }

  hasGrown(table: string): boolean {
    return this.grown.some(([grown]) => grown === table)
  }

  /**
   * As `post`, for rows: they join waiting rows of the same statement. `alone` composes a statement for
   * these rows without others.
   */
  postRows(rows: ListedRows, alone: (() => Statement) | null = null): void {
    if (this.writeBuffer.postRows(rows, alone)) this.statements++
  }

  /**
   * As `post`, for an INSERT that `make` composes when it leaves. Reads of other tables leave before it.
   */
  postLate(make: () => Statement, table: string): void {
    this.statements++
    this.writeBuffer.postLate(make, table)
  }

  /** The next statement reads these tables, whatever its text names; null: it may read any table. */
  looksAt(tables: readonly string[] | null): void {
    this.posted?.looksAt(tables)
  }

  /**
   * Whether such a statement waits and may still give its rows other values in these columns: no later
   * statement reads them.
   */
  mayAmend(make: () => Statement, columns: readonly string[]): boolean {
    return this.writeBuffer.mayAmend(make, columns)
  }

  /** Takes back a statement that has not left; false when it has. */
  withdraw(statement: Statement): boolean {
    return this.writeBuffer.withdraw(statement)
  }

  /** As `withdraw`, for a statement that only these follow; its successor may take its place. */
  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean {
    return this.writeBuffer.withdrawBefore(statement, behind)
  }

  /** Waiting statements, without checks. */
  waiting(): readonly Statement[] {
    return this.posted?.waiting() ?? []
  }

  /** Whether these were sent last, in this order, and have not left. */
  endsWith(statements: readonly Statement[]): boolean {
    return this.writeBuffer.endsWith(statements)
  }
}

/** The answer of one statement of a flush. */
export const answerOf = (answers: readonly Promise<unknown[][]>[], place: number): Promise<readonly Row[]> =>
  answers[place] ?? Promise.reject(new Error('A statement that left has no answer.'))
