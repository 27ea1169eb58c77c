// The first and the last statements of a call: those that join its credential check or follow it in the
// write buffer, and those that leave with COMMIT (the row of a kept answer, and the report of changes).

import { traceNow } from '../../kit/watch/index.ts'
import { idList, raw, type Statement, sql } from '../../sql/index.ts'
import { DEFERRED_IDS, withDeferred } from '../changes/last.ts'
import { type ChangeLog, traceInsert } from '../changes/log.ts'
import type { Assertion, AttachedCheck, Claim, CredentialFlush, Question } from '../language/deferred.ts'
import type { Row, Unit } from '../language/unit.ts'
import type { CredentialCheck } from './credential.ts'
import type { UnitOptions } from './options.ts'
import { ASSERTION_FAILED, OptimisticCheckFailed } from './refusing.ts'
import { MOST_DEFERRED, type WriteBuffer } from './write-buffer.ts'

/** The transaction, as far as the credential check needs it. */
interface Session {
  readonly buffer: WriteBuffer
  run(statement: Statement): Promise<readonly Row[]>
  /** Sends the credential check if it is not sent yet, and waits for its result. */
  verify(): Promise<void>
  /** The error to throw for a failure of the transaction. */
  noted(error: unknown): unknown
}

export class FirstFlush implements CredentialFlush {
  readonly #check: CredentialCheck
  readonly #session: Session
  readonly #options: UnitOptions

  constructor(check: CredentialCheck, session: Session, options: UnitOptions) {
    this.#check = check
    this.#session = session
    this.#options = options
  }

  get verified(): boolean {
    return this.#check.passed
  }

  /** Whether a check that joined the credential check failed: the credential itself is still unchecked. */
  get isUnheard(): boolean {
    return this.#check.unheard !== undefined
  }

  verify(): Promise<void> {
    return this.#session.verify()
  }

  post(check: AttachedCheck): void {
    if (this.#check.join(check)) return
    this.#session.buffer.post({ text: `SELECT ${check.column}`, values: [...check.values] }, check.refusal)
  }

  withdraw(check: AttachedCheck): void {
    this.#check.part(check)
  }

  async ask(question: Question): Promise<unknown> {
    // A timed call measures the wait for statements; deferred ids are drawn in the order of statements.
    if (this.#options.timed || this.#session.buffer.isDeferring || !this.#check.asks(question)) {
      const statement = { text: `SELECT ${question.column}`, values: [...question.values] }
      const [row] = await this.#session.run(statement)
      return row?.[0]
    }
    try {
      await this.#session.verify()
    } catch (error) {
      throw this.#session.noted(error)
    }
    return this.#check.answer
  }

  assert(assertion: Assertion): boolean {
    const { buffer } = this.#session
    if (!this.#options.isOptimistic || buffer.savepoints > 0) return false
    if (buffer.isEmpty && this.#check.assert(assertion)) return true
    if (!this.#check.mayInsist && !this.#check.passed) return false
    // Earlier statements may change the assumption: the assertion follows them.
    this.#check.insist()
    buffer.post({ text: `SELECT ${assertion.column}`, values: [...assertion.values] }, (wrong) => {
      if (wrong === ASSERTION_FAILED) assertion.refused()
      return new OptimisticCheckFailed()
    })
    return true
  }

  get mayAssertFirst(): boolean {
    const { isOptimistic = false } = this.#options
    return (
      isOptimistic &&
      this.#session.buffer.savepoints === 0 &&
      this.#session.buffer.isEmpty &&
      this.#check.mayAssert
    )
  }

  /** Whether ids of new rows may be deferred: a wrong credential, or a refused row, undoes all of it. */
  get mayDefer(): boolean {
    const { passed, mayInsist } = this.#check
    return (
      this.#session.buffer.savepoints === 0 &&
      (passed || mayInsist) &&
      this.#session.buffer.deferred < MOST_DEFERRED
    )
  }

  /** Whether the credential check may leave with COMMIT: all relies on it, and nothing was awaited. */
  get provesAtEnd(): boolean {
    return this.#options.isOptimistic === true && !this.#session.buffer.isEmpty && this.#check.mayInsist
  }

  /**
   * Sends the row of a claim before all else, where the credential check has not left and is to fail in
   * the same flush; false where the row follows the other statements.
   */
  leadsWith({ check, ahead }: Claim, row: Statement): boolean {
    if (!this.#check.exchange(check, ahead)) return false
    this.#session.buffer.postAhead(row)
    return true
  }
}

interface EndingSession extends Pick<Unit, 'buffer' | 'ending' | 'insertions'> {
  readonly changes: ChangeLog | null
  readonly credential: Pick<FirstFlush, 'leadsWith'>
}

/** Posts all of it. Gives whether changes are among it. */
export function postLast(unit: EndingSession): boolean {
  const { changes, buffer, credential } = unit
  const { claim } = unit.ending
  const { isDeferring } = buffer
  if (isDeferring) assertUnnamed(unit)
  const row = claim?.make()
  // An answer with deferred ids comes after the rows that have them.
  const behind = claim && row && (isDeferring || !credential.leadsWith(claim, row)) ? [row] : []
  const statements = changes?.publishes ? changes.lastWith(behind) : null
  const trace = statements && traceNow()
  if (trace) buffer.post(traceInsert(trace))
  for (const statement of statements ?? behind) buffer.post(isDeferring ? withDeferred(statement) : statement)
  if (statements) unit.insertions.note('comptoir_change', 1)
  return statements !== null
}

/**
 * Refuses changes of records whose ids are deferred: a client that guesses such an id would have the feed
 * report a record that was there before.
 */
function assertUnnamed(unit: EndingSession): void {
  for (const [model, ids] of unit.changes?.named() ?? []) {
    const deferred = unit.changes?.deferred(model) ?? []
    if (!deferred.length) continue
    const drawn = sql`format(${`{${deferred.join()}}`}::text, VARIADIC ${raw(DEFERRED_IDS)})::int[]`
    const wrong = sql`SELECT ${raw(String(ASSERTION_FAILED))} WHERE ${idList(ids)} && ${drawn}`
    unit.buffer.check(wrong, () => new OptimisticCheckFailed())
  }
}
