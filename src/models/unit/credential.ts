// The credential check of a call: it leaves with the first flush, and no answer precedes its result
// (docs/decisions/0023).
import { present } from '../../kit/present.ts'
import type { Statement } from '../../sql/index.ts'
import type { Assertion, AttachedCheck, Question } from '../language/deferred.ts'
import type { Row } from '../language/unit.ts'
import type { CredentialQuery } from './options.ts'
import { ASSERTION_FAILED, OptimisticCheckFailed, STALE, violationOf } from './refusing.ts'

/**
 * One statement for the check and a further column, which is not evaluated where the credential is
 * invalid: there is no row then.
 */
function withColumn({ text, values }: Statement, { column, values: further }: Question): Statement {
  const numbered = column.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + values.length}`)
  return { text: `SELECT c.*, ${numbered} FROM (${text}) c`, values: [...values, ...further] }
}

/** Due, under way, passed or refused; a call without a credential has passed. */
export class CredentialCheck {
  readonly #credentialQuery: CredentialQuery | undefined
  /** Whether the credential is valid, or the call has none. */
  passed: boolean
  #pending: Promise<void> | undefined
  #refusal: { readonly reason: unknown } | undefined
  /** Another check that leaves in the same statement. */
  #beside: AttachedCheck | undefined
  /** A question that leaves in the same statement, and its answer. */
  #question: Question | Assertion | undefined
  #answer: unknown
  /** Columns that it sent for them. */
  #further = 0
  #isUnheard = false
  /** Whether the statement fails for an invalid credential, and with it all that follows. */
  #isStrict = false

  constructor(credentialCheck: CredentialQuery | undefined) {
    this.#credentialQuery = credentialCheck
    this.passed = credentialCheck === undefined
  }

  /** The check, until it leaves. */
  get due(): CredentialQuery | undefined {
    return this.passed || this.#pending || this.#refusal ? undefined : this.#credentialQuery
  }

  /** False where the statement left already, or has another check. */
  join(check: AttachedCheck): boolean {
    if (!this.due || this.#beside) return false
    this.#beside = check
    return true
  }

  /** Replaces a check that is to fail with it; false where that one does not wait here. */
  exchange(check: AttachedCheck, other: AttachedCheck): boolean {
    if (!this.due || !this.#isStrict || this.#beside !== check) return false
    this.#beside = other
    return true
  }

  /** False where the statement left already, or has another question. */
  asks(question: Question): boolean {
    if (!this.due || this.#question) return false
    this.#question = question
    return true
  }

  get mayInsist(): boolean {
    return this.due?.strict !== undefined
  }

  /** Makes it fail for an invalid credential, if it has not left: all that leaves with it relies on it. */
  insist(): void {
    if (this.mayInsist) this.#isStrict = true
  }

  get mayAssert(): boolean {
    return this.mayInsist && this.#question === undefined
  }

  /** As `insist`, with an optimistic assertion; false where `mayAssert` is. */
  assert(assertion: Assertion): boolean {
    if (!this.mayAssert) return false
    this.#question = assertion
    this.insist()
    return true
  }

  get answer(): unknown {
    return this.#answer
  }

  /** Whether something in the same statement needs a transaction. */
  get isJoined(): boolean {
    return this.#beside !== undefined || this.#question !== undefined
  }

  part(check: AttachedCheck): void {
    if (this.#beside === check && this.due) this.#beside = undefined
  }

  /** The statement, with all that joined. */
  statementOf({ statement, strict }: CredentialQuery): Statement {
    const checked = this.#isStrict && strict ? strict : statement
    let whole = checked
    this.#further = 0
    for (const question of [this.#beside, this.#question]) {
      if (!question) continue
      whole = withColumn(whole, question)
      this.#further++
    }
    return whole
  }

  /**
   * The check that has to be sent again by itself: the one that joined it failed, so PostgreSQL returned
   * no result for either.
   */
  get unheard(): CredentialQuery | undefined {
    return this.#isUnheard ? this.#credentialQuery : undefined
  }

  /** Takes the result of a check that was sent again. Throws the reason of a refusal. */
  hear(rows: readonly Row[]): void {
    this.#isUnheard = false
    present(this.#credentialQuery).verify(rows)
    this.passed = true
  }

  get pendingAnswer(): Promise<void> | undefined {
    return this.#pending
  }

  /**
   * Keeps the result of the statement that left. `fail` gets the reason of a refused check at once,
   * before the failures of later statements arrive.
   */
  left(
    credentialCheck: CredentialQuery,
    answer: Promise<readonly Row[]>,
    fail: (reason: unknown) => void,
  ): void {
    const judged = (rows: readonly Row[]) => {
      try {
        if (!this.#isStrict) credentialCheck.verify(this.#ownOf(rows))
      } catch (reason) {
        this.#refusal = { reason }
        throw reason
      }
      this.passed = true
      this.#pending = undefined
      if (this.#question) this.#answer = rows[0]?.at(-1)
    }
    const failed = (error: unknown) => {
      const wrong = this.#beside || this.#isStrict ? violationOf(error) : undefined
      if (wrong === undefined) throw error
      const reason = this.#reasonOf(wrong)
      this.#isUnheard = true
      fail(reason)
      throw reason
    }
    this.#pending = answer.then(judged, failed)
    // Each answer awaits this first; a call without answers awaits it at its end.
    this.#pending.catch(() => undefined)
  }

  /** The error for the number that the statement failed with. */
  #reasonOf(wrong: number): unknown {
    if (wrong === ASSERTION_FAILED && this.#question && 'refused' in this.#question) this.#question.refused()
    return wrong === STALE || wrong === ASSERTION_FAILED
      ? new OptimisticCheckFailed()
      : this.#beside?.refusal(wrong)
  }

  /** The rows of the check itself, without the columns that joined it, which come last. */
  #ownOf(rows: readonly Row[]): readonly Row[] {
    return this.#further ? rows.map((row) => row.slice(0, -this.#further)) : rows
  }

  /** Throws the reason of a refusal; waits where the statement is under way. */
  async settled(): Promise<void> {
    if (this.#refusal) throw this.#refusal.reason
    await this.#pending
  }
}

/** The answer of one statement of a flush. */
export const answerOf = (answers: readonly Promise<unknown[][]>[], place: number): Promise<readonly Row[]> =>
  answers[place] ?? Promise.reject(new Error('A statement was sent and not answered.'))
