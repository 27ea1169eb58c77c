// The credential check of a call: it leaves with the first flush, and nothing is answered before its verdict
// (docs/decisions/0003).
import { present } from '../../kit/present.ts'
import { Recent } from '../../kit/recent.ts'
import type { Statement } from '../../sql/index.ts'
import type { Beside, Question, Stake } from '../language/alongside.ts'
import type { Row } from '../language/unit.ts'
import type { Preamble } from './options.ts'
import { OtherWay, STAKED, STALE, wrongOf } from './refusing.ts'

/** Columns whose texts are kept. */
const MOST_COLUMNS = 1000

/** Texts of credential checks with a further column, by the column and their own text: few of each. */
const texts = new Recent<string, Map<string, string>>(MOST_COLUMNS)

/**
 * One statement for the check and a further column: where the credential opens nothing there is no row, and
 * the column is not evaluated.
 */
function withColumn({ text, values }: Statement, { column, values: further }: Question): Statement {
  const known = texts.get(column) ?? new Map<string, string>()
  texts.set(column, known)
  const numbered = () => column.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + values.length}`)
  const both = known.get(text) ?? `SELECT c.*, ${numbered()} FROM (${text}) c`
  known.set(text, both)
  return { text: both, values: [...values, ...further] }
}

/** Due, under way, passed or refused; a call without a credential has passed. */
export class CredentialCheck {
  readonly #preamble: Preamble | undefined
  #passed: boolean
  #verdict: Promise<void> | undefined
  #refusal: { readonly reason: unknown } | undefined
  /** The check that leaves in one statement with it. */
  #beside: Beside | undefined
  /** What is asked in one statement with it, and what came of that. */
  #question: Question | Stake | undefined
  #answer: unknown
  /** How many columns went along. */
  #further = 0
  #isUnheard = false
  /** Whether it leaves in the form that fails. */
  #isStrict = false

  constructor(preamble: Preamble | undefined) {
    this.#preamble = preamble
    this.#passed = preamble === undefined
  }

  get passed(): boolean {
    return this.#passed
  }

  /** What has still to leave; undefined once it did. */
  get due(): Preamble | undefined {
    return this.#passed || this.#verdict || this.#refusal ? undefined : this.#preamble
  }

  /** A check leaves with it; false where it left already, or another one goes along. */
  join(check: Beside): boolean {
    if (!this.due || this.#beside) return false
    this.#beside = check
    return true
  }

  /** Another check takes the place of one that is to fail with it; false where that one does not wait here. */
  exchange(check: Beside, other: Beside): boolean {
    if (!this.due || !this.#isStrict || this.#beside !== check) return false
    this.#beside = other
    return true
  }

  /** A question leaves with it; false where it left already, or another one goes along. */
  asks(question: Question): boolean {
    if (!this.due || this.#question) return false
    this.#question = question
    return true
  }

  /** Whether it can leave in the form that fails. */
  get mayInsist(): boolean {
    return this.due?.strict !== undefined
  }

  /** It leaves in the form that fails, if it has not left: all that leaves with it stands on it. */
  insist(): void {
    if (this.mayInsist) this.#isStrict = true
  }

  /** Whether something else may fail with it where it does not hold. */
  get mayStake(): boolean {
    return this.mayInsist && this.#question === undefined
  }

  /** As `insist`, with something else that fails where it does not hold; false as `mayStake` says it. */
  stake(stake: Stake): boolean {
    if (!this.mayStake) return false
    this.#question = stake
    this.insist()
    return true
  }

  /** What that question gave, once the check has passed. */
  get answer(): unknown {
    return this.#answer
  }

  /** Whether something goes along that is about a transaction. */
  get isJoined(): boolean {
    return this.#beside !== undefined || this.#question !== undefined
  }

  /** Takes back a check that has not left. */
  part(check: Beside): void {
    if (this.#beside === check && this.due) this.#beside = undefined
  }

  /** What leaves for it. */
  statementOf({ statement, strict }: Preamble): Statement {
    const own = this.#isStrict && strict ? strict : statement
    let whole = own
    this.#further = 0
    for (const one of [this.#beside, this.#question]) {
      if (!one) continue
      whole = withColumn(whole, one)
      this.#further++
    }
    return whole
  }

  /**
   * Due again, by itself: the check that went along with it refused, and PostgreSQL gave no row of either.
   * Undefined otherwise.
   */
  get unheard(): Preamble | undefined {
    return this.#isUnheard ? this.#preamble : undefined
  }

  /** The verdict on one that was unheard. Throws what it is refused for. */
  hear(rows: readonly Row[]): void {
    this.#isUnheard = false
    present(this.#preamble).verify(rows)
    this.#passed = true
  }

  /** The verdict while it is under way. */
  get verdict(): Promise<void> | undefined {
    return this.#verdict
  }

  /**
   * Remembers the verdict of a check that left once it is there; `fail` hears at once what was refused beside
   * it, before those hear of it who sent something behind.
   */
  left(preamble: Preamble, answer: Promise<readonly Row[]>, fail: (reason: unknown) => void): void {
    const judged = (rows: readonly Row[]) => {
      try {
        if (!this.#isStrict) preamble.verify(this.#ownOf(rows))
      } catch (reason) {
        this.#refusal = { reason }
        throw reason
      }
      this.#passed = true
      this.#verdict = undefined
      if (this.#question) this.#answer = rows[0]?.at(-1)
    }
    const failed = (error: unknown) => {
      const wrong = this.#beside || this.#isStrict ? wrongOf(error) : undefined
      if (wrong === undefined) throw error
      const reason = this.#reasonOf(wrong)
      this.#isUnheard = true
      fail(reason)
      throw reason
    }
    this.#verdict = answer.then(judged, failed)
    // Whoever waits for an answer waits for the verdict first; a call that waits for none asks for it at its
    // end.
    this.#verdict.catch(() => undefined)
  }

  /** What is told of the number that was refused with. */
  #reasonOf(wrong: number): unknown {
    if (wrong === STAKED && this.#question && 'refused' in this.#question) this.#question.refused()
    return wrong === STALE || wrong === STAKED ? new OtherWay() : this.#beside?.refusal(wrong)
  }

  /** The rows as the check's own statement gives them: what went along with it stands behind. */
  #ownOf(rows: readonly Row[]): readonly Row[] {
    return this.#further ? rows.map((row) => row.slice(0, -this.#further)) : rows
  }

  /** Throws what it was refused for; waits where it is under way. */
  async settled(): Promise<void> {
    if (this.#refusal) throw this.#refusal.reason
    await this.#verdict
  }
}
