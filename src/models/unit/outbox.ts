// Statements of a transaction that nobody waits for, and what went wrong first in it.
import { Recent } from '../../kit/recent.ts'
import { type ListedRows, listedStatement, type Statement, sayTheSame } from '../../sql/index.ts'
import type { DeferredId } from '../language/deferred.ts'
import type { Row } from '../language/unit.ts'
import { OtherWay, wrongOf } from './refusing.ts'

/** Makes an error of the number that a check gave (refusing.ts). */
export type Refusal = (wrong: number) => unknown

/** Values and characters of rows that go with others: parsing more at once saves nothing. */
const MOST_JOINED = 64 * 1024

/** A statement that waits for the next flush. */
interface Outgoing {
  readonly statement: Statement
  /** What makes it when it leaves; until then it has its text at most. */
  readonly make?: (() => Statement) | null
  readonly refusal: Refusal | undefined
  readonly stage: number
  /** What tells of the table of new rows, which may leave later than a read that says nothing of it. */
  readonly late?: RegExp
  /** Its rows, which others may join. */
  readonly listed?: Listed
  /** The ids that it returns, row by row. */
  readonly returned?: Returned[]
}

/** The deferred id of a row; `refused` is called where it may not be drawn. */
interface Returned {
  readonly id: DeferredId
  readonly refused: () => void
}

/** Rows, and how many values and characters there are. */
interface Listed extends ListedRows {
  /** Counted when others may join them. */
  weight?: number
}

export class Outbox {
  #waiting: Outgoing[] = []
  /** The last that left. */
  #unanswered: Promise<void> | undefined
  /**
   * The first statement that failed: PostgreSQL refuses all that follow it in the transaction, and what they
   * say is of no interest.
   */
  #failure: { readonly reason: unknown; readonly stage: number } | undefined
  /** The part of the work that is under way: what is posted belongs to it. */
  stage = 0
  /** Whether the next statement looks at a table whose rows are late. */
  #isLookedAt = false

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get failure(): { readonly reason: unknown; readonly stage: number } | undefined {
    return this.#failure
  }

  /** A statement leaves with the next flush. */
  post(statement: Statement, refusal?: Refusal): void {
    this.#waiting.push({ statement, refusal, stage: this.stage })
  }

  /** As `post`, in front of all that waits. */
  postAhead(statement: Statement): void {
    this.#waiting.unshift({ statement, refusal: undefined, stage: this.stage })
  }

  /**
   * As `post`, of the INSERT of rows that only this call knows of: reads of other tables leave without it.
   * `make` makes it when it leaves.
   */
  postLate(make: () => Statement, table: string): void {
    const statement = { text: '', values: [] }
    this.#waiting.push({
      statement,
      make,
      refusal: undefined,
      stage: this.stage,
      late: namedIn(table),
    })
  }

  /**
   * Whether a late statement waits and may still give its rows other values in these columns: nothing behind
   * it looks at them.
   */
  mayAmend(make: () => Statement, columns: readonly string[]): boolean {
    const place = this.#waiting.findIndex((one) => one.make === make)
    const { late, stage } = this.#waiting[place] ?? {}
    if (!late || stage !== this.stage) return false
    const behind = this.#waiting.slice(place + 1).filter(({ statement: { text } }) => late.test(text))
    // Statements of modules name columns without quotes.
    return !behind.some(({ statement: { text } }) => columns.some((name) => namesColumn(text, name)))
  }

  /**
   * As `post`, of the statement of rows, whose lists others may be added to; false where they joined those of
   * the last one that waits. `alone`: the same for these rows in another form, which takes less; `row`: what
   * the statement returns of the only one, which rows of the same statement have too.
   */
  postRows(rows: ListedRows, alone: (() => Statement) | null = null, row: Returned | null = null): boolean {
    const last = this.#waiting.at(-1)
    const before = last?.stage === this.stage ? last.listed : undefined
    if (last && before && sayTheSame(before, rows) && mayJoin(before, rows)) {
      before.keys.push(...rows.keys)
      for (const [i, column] of before.columns.entries()) column.push(...(rows.columns[i] ?? []))
      if (row) last.returned?.push(row)
      this.#waiting.splice(-1, 1, { ...last, make: () => listedStatement(before) })
      return false
    }
    const make = alone ?? (() => listedStatement(rows))
    const statement = { text: rows.text, values: [] }
    const returned = row ? [row] : []
    const refusal = row ? refusalOf(returned) : undefined
    this.#waiting.push({ statement, make, refusal, stage: this.stage, listed: { ...rows }, returned })
    return true
  }

  /** Takes back a statement that has not left; false when it has. */
  withdraw(statement: Statement): boolean {
    const place = this.#waiting.findIndex((one) => one.statement === statement)
    if (place >= 0) this.#waiting.splice(place, 1)
    return place >= 0
  }

  /** As `withdraw`, of a statement of this part of the work that none but these follow. */
  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean {
    return this.endsWith([statement, ...behind]) && this.withdraw(statement)
  }

  /** Whether these statements of this part of the work were sent last, in this order, and have not left. */
  endsWith(statements: readonly Statement[]): boolean {
    const first = this.#waiting.length - statements.length
    return statements.every((one, i) => {
      const waits = this.#waiting[first + i]
      return waits?.statement === one && waits.stage === this.stage
    })
  }

  /** Those that wait and do more than refuse. */
  waiting(): readonly Statement[] {
    return this.#waiting.flatMap(({ statement, make, refusal, listed }) =>
      refusal && !listed ? [] : [make?.() ?? statement],
    )
  }

  /** All that wait, to leave now with a statement; none where that only reads, and nothing of theirs. */
  take(statement: Statement | null): readonly Outgoing[] {
    const mayWait = ({ late }: Outgoing) => late !== undefined && !late.test(statement?.text ?? '')
    if (statement && !this.#isLookedAt && isRead(statement) && this.#waiting.every(mayWait)) return []
    this.#isLookedAt = false
    const leaving = this.#waiting.splice(0)
    for (const [i, one] of leaving.entries())
      if (one.make) leaving[i] = { ...one, statement: one.make(), make: null }
    return leaving
  }

  /** The next statement looks at these tables, whatever its text names; null: it may look at any. */
  looksAt(tables: readonly string[] | null): void {
    this.#isLookedAt ||= this.#waiting.some(
      ({ late }) => late && (tables?.some((one) => late.test(one)) ?? true),
    )
  }

  /** What has not left never will. */
  clear(): void {
    this.#waiting = []
  }

  /** Remembers the first failure of statements that left. Those behind it in a flush fail alike, after it. */
  left(answer: Promise<readonly Row[]>, { refusal, stage, returned }: Outgoing): void {
    this.#unanswered = answer.then(
      (rows) => {
        for (const [n, { id }] of returned?.entries() ?? []) id.resolve(rows[n]?.[0] as number)
      },
      (error: unknown) => {
        if (this.#failure) return
        const wrong = refusal && wrongOf(error)
        this.fail(wrong === undefined ? error : refusal?.(wrong), stage)
      },
    )
  }

  fail(reason: unknown, stage = this.stage): void {
    this.#failure ??= { reason, stage }
  }

  throwFailure(): void {
    if (this.#failure) throw this.#failure.reason
  }

  /** Waits until all that left is answered. */
  async answered(): Promise<void> {
    await this.#unanswered
  }

  /** What went wrong first, once all is answered; an error that tells of it in other words stays. */
  async first(error: unknown): Promise<unknown> {
    await this.#unanswered
    return this.#failure && !tellsOf(error, this.#failure.reason) ? this.#failure.reason : error
  }

  /** Begins again behind a savepoint: what waits never leaves, what failed is undone. */
  async forgive(): Promise<void> {
    this.clear()
    await this.#unanswered
    this.#failure = undefined
  }
}

/** The refusal of rows whose ids may not be drawn. */
const refusalOf = (rows: readonly Returned[]) => () => {
  for (const { refused } of rows) refused()
  return new OtherWay()
}

/** Tables' names as patterns; those not asked for longest go, as people make models and drop them. */
const patterns = new Recent<string, RegExp>(2000)

/**
 * Finds a table's name in a statement, or that of a view over its links, which begins with it; not that of
 * another table that begins so.
 */
function namedIn(table: string): RegExp {
  const known = patterns.get(table) ?? new RegExp(`\\b${table}(?:_\\w*_rel)?\\b`)
  patterns.set(table, known)
  return known
}

/** Whether a statement names a column, with or without quotes. */
const namesColumn = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)

/** Whether a statement only reads, and locks nothing. */
const isRead = ({ text }: Statement): boolean => text.startsWith('SELECT') && !/\bFOR\b/.test(text)

/** Whether an error was made of another one (`cause`). */
function tellsOf(error: unknown, failure: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one === failure) return true
  return false
}

/** Whether rows are few enough to go along with others, which have them counted then. */
function mayJoin(before: Listed, rows: ListedRows): boolean {
  const weight = (before.weight ?? weightOf(before)) + weightOf(rows)
  if (weight > MOST_JOINED) return false
  before.weight = weight
  return true
}

/** Values of rows and characters of their texts. */
function weightOf({ columns }: ListedRows): number {
  let weight = 0
  for (const column of columns)
    for (const value of column) weight += typeof value === 'string' ? value.length : 1
  return weight
}
