// What a transaction sends without waiting for an answer, and which part of the work it belongs to.

import type { ListedRows, Sql, Statement } from '../../sql/index.ts'
import type { Beside, Claim, Question, Stake } from '../language/alongside.ts'
import { DeferredId } from '../language/deferred.ts'
import type { Row } from '../language/unit.ts'
import { Bounded } from './bounds.ts'
import { CredentialCheck } from './credential.ts'
import type { UnitOptions } from './options.ts'
import { Outbox, type Refusal } from './outbox.ts'
import { OtherWay, refusing, STAKED } from './refusing.ts'

/** Deferred ids of a transaction: each copies the list of those before it (changes/deferred.ts). */
const MOST_DEFERRED = 200

/** The words of a unit for that; its outbox and its count are the transaction's, which has a state. */
export abstract class Posting extends Bounded {
  /** Statements sent so far; the bench and tests of round trips read it. */
  abstract statements: number
  /** Null as long as nothing was posted and nothing failed, as in most calls that only read. */
  protected abstract posted: Outbox | null

  abstract run(statement: Statement): Promise<readonly Row[]>
  /** Makes sure that the credential was checked before anything is answered. */
  abstract verify(): Promise<void>
  /** What a failure of the transaction is told as. */
  protected abstract noted(error: unknown): unknown
  protected abstract override readonly options: UnitOptions

  protected spent: Bounded['spent']
  protected readonly credential: CredentialCheck
  #mayDefer: boolean
  readonly #deferred: DeferredId[] = []
  /** Savepoints that it is within: what fails there is undone, and the call goes on. */
  protected within = 0

  constructor({ preamble, defers }: Pick<UnitOptions, 'preamble' | 'defers'>) {
    super()
    this.credential = new CredentialCheck(preamble)
    this.#mayDefer = defers === true
  }

  /** Whether the credential was checked, or there is none. */
  get verified(): boolean {
    return this.credential.passed
  }

  /** Whether the credential's check was refused for what went along with it: nobody knows about the credential. */
  get isUnheard(): boolean {
    return this.credential.unheard !== undefined
  }

  /** Tables that rows were put into, and how many. */
  protected readonly grown: (readonly [table: string, rows: number])[] = []

  protected get outbox(): Outbox {
    this.posted ??= new Outbox()
    return this.posted
  }

  /** Says which part of the work is under way, of work that has several. */
  set stage(stage: number) {
    this.outbox.stage = stage
  }

  /** The part of the work whose statement failed first, which may be noticed in a later one. */
  get failedAt(): number | undefined {
    return this.posted?.failure?.stage
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
  check(violations: Sql, refusal: Refusal): void {
    this.post(refusing(violations).compile(), refusal)
  }

  /** As `send` and `check` (`refusing` makes its statement), for a statement that is made already. */
  post(statement: Statement, refusal?: Refusal): void {
    this.statements++
    this.outbox.post(statement, refusal)
  }

  /** As `post`, of a check that leaves in one statement with the credential's, where that has not left. */
  postFirst(check: Beside): void {
    if (this.credential.join(check)) return
    this.post({ text: `SELECT ${check.column}`, values: [...check.values] }, check.refusal)
  }

  /** The value of an expression, in one statement with the credential's check where that has not left. */
  async ask(question: Question): Promise<unknown> {
    // Of a call that is timed the waiting is counted where statements are; ids are drawn in their order.
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
    this.#mayDefer = this.options.stakes === true
  }

  get isDeferring(): boolean {
    return this.#deferred.at(-1)?.id === null
  }

  postDeferred(row: ListedRows, alone: () => Statement, refused: () => void): DeferredId {
    this.credential.insist()
    const id = new DeferredId(this.#deferred.length + 1)
    this.#deferred.push(id)
    if (this.outbox.postRows(row, alone, { id, refused })) this.statements++
    return id
  }

  stake(stake: Stake): boolean {
    if (!this.options.stakes || this.within > 0) return false
    const { mayInsist, passed } = this.credential
    if (this.outbox.isEmpty && this.credential.stake(stake)) return true
    if (!mayInsist && !passed) return false
    // What was sent before may change what is taken for granted: it is looked at behind that.
    this.credential.insist()
    this.post({ text: `SELECT ${stake.column}`, values: [...stake.values] }, (wrong) => {
      if (wrong === STAKED) stake.refused()
      return new OtherWay()
    })
    return true
  }

  /** Whether what is staked leaves in one statement with the credential's check, and with nothing before it. */
  get mayStakeFirst(): boolean {
    const { stakes = false } = this.options
    return stakes && this.within === 0 && this.outbox.isEmpty && this.credential.mayStake
  }

  /**
   * Whether the credential's check is to leave with COMMIT: all that was done so far stands on it, and
   * nobody heard anything.
   */
  get provesAtEnd(): boolean {
    return this.options.stakes === true && !this.outbox.isEmpty && this.credential.mayInsist
  }

  /**
   * The row of a claim leaves ahead of all, where its check has not left and is to fail in one flush with it;
   * false where it has to go with the rest.
   */
  leadsWith({ check, ahead }: Claim, row: Statement): boolean {
    if (!this.credential.exchange(check, ahead)) return false
    this.statements++
    this.outbox.postAhead(row)
    return true
  }

  /** Takes back such a check, where it has not left. */
  withdrawFirst(check: Beside): void {
    this.credential.part(check)
  }

  /** Says that rows are inserted: PostgreSQL has to know how large a table is (postgres/growth.ts). */
  grew(table: string, rows: number): void {
    this.grown.push([table, rows])
  }

  hasGrown(table: string): boolean {
    return this.grown.some(([grown]) => grown === table)
  }

  /**
   * As `post`, of the statement of rows: with those that wait for the same one. `alone` makes one for these
   * rows without others.
   */
  postRows(rows: ListedRows, alone: (() => Statement) | null = null): void {
    if (this.outbox.postRows(rows, alone)) this.statements++
  }

  /**
   * As `post`, of the INSERT of rows that only this call knows of: reads of other tables leave without it.
   * `make` makes it when it leaves.
   */
  postLate(make: () => Statement, table: string): void {
    this.statements++
    this.outbox.postLate(make, table)
  }

  /** The next statement looks at these tables, whatever its text names; null: it may look at any. */
  looksAt(tables: readonly string[] | null): void {
    this.posted?.looksAt(tables)
  }

  /**
   * Whether such a statement waits and may still give its rows other values in these columns: nothing behind
   * it looks at them.
   */
  mayAmend(make: () => Statement, columns: readonly string[]): boolean {
    return this.outbox.mayAmend(make, columns)
  }

  /** Takes back a statement that has not left; false when it has. */
  withdraw(statement: Statement): boolean {
    return this.outbox.withdraw(statement)
  }

  /** As `withdraw`, of a statement that none but these follow: what goes on from it may take its place. */
  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean {
    return this.outbox.withdrawBefore(statement, behind)
  }

  /** Statements that wait to leave, without those that can only refuse. */
  waiting(): readonly Statement[] {
    return this.posted?.waiting() ?? []
  }

  /** Whether these were sent last, in this order, and have not left. */
  endsWith(statements: readonly Statement[]): boolean {
    return this.outbox.endsWith(statements)
  }
}

/** The answer of one statement of a flush. */
export const answerOf = (answers: readonly Promise<unknown[][]>[], place: number): Promise<readonly Row[]> =>
  answers[place] ?? Promise.reject(new Error('A statement that left has no answer.'))
