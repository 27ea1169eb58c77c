// The write buffer of a transaction: statements whose results no code reads, and the transaction's first
// failure.
import {
  haveSameColumns,
  type ListedRows,
  listedStatement,
  type Sql,
  type Statement,
} from '../../sql/index.ts'
import { DeferredId, type StatementBuffer } from '../language/deferred.ts'
import type { Row, Usage } from '../language/unit.ts'
import { OptimisticCheckFailed, refusing, violationOf } from './refusing.ts'

/** The error for the number that a check returned (refusing.ts). */
export type Refusal = (wrong: number) => unknown

/** Values and characters of rows that share a statement: parsing more at once saves nothing. */
const MOST_JOINED = 64 * 1024

/** A statement that waits for the next flush. */
interface Outgoing {
  readonly statement: Statement
  /** Composes it when it leaves; until then the statement has its text at most. */
  readonly make?: (() => Statement) | null
  readonly refusal: Refusal | undefined
  readonly stage: number
  /** Matches the name of the table of new rows: reads without it may leave before them. */
  readonly late?: RegExp
  /** Its rows, to which others may be added. */
  readonly listed?: Listed
  /** The ids that it returns, row by row. */
  readonly returned?: Returned[]
}

/** The deferred id of a row; `refused` is called where it could not be deferred. */
interface Returned {
  readonly id: DeferredId
  readonly refused: () => void
}

/** Rows, and the number of their values and characters. */
interface Listed extends ListedRows {
  /** Counted when others may be added. */
  weight?: number
}

/** Deferred ids of a transaction: each copies the list of earlier ones (changes/last.ts). */
export const MOST_DEFERRED = 200

export class WriteBuffer implements StatementBuffer {
  readonly #usage: Usage
  readonly #credential: { insist(): void }
  #waiting: Outgoing[] = []
  readonly #deferred: DeferredId[] = []
  /** Number of open savepoints: a failure inside is undone, and the call goes on. */
  savepoints = 0
  /** The last that left. */
  #unanswered: Promise<void> | undefined
  /** The first failure: PostgreSQL refuses all later statements, and their errors say nothing. */
  #failure: { readonly reason: unknown; readonly stage: number } | undefined
  /** The part of the work that is under way; posted statements belong to it. */
  stage = 0
  /** Whether the next statement looks at a table whose rows are late. */
  #isLookedAt = false

  /** `credential`: fails, with all statements after it, once `insist` was called and it is invalid. */
  constructor(usage: Usage, credential: { insist(): void }) {
    this.#usage = usage
    this.#credential = credential
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get failure(): { readonly reason: unknown; readonly stage: number } | undefined {
    return this.#failure
  }

  get failedAt(): number | undefined {
    return this.#failure?.stage
  }

  post(statement: Statement, refusal?: Refusal): void {
    this.#usage.statements++
    this.#waiting.push({ statement, refusal, stage: this.stage })
  }

  check(violations: Sql, refusal: Refusal): void {
    this.post(refusing(violations).compile(), refusal)
  }

  /** As `post`, in front of all that waits. */
  postAhead(statement: Statement): void {
    this.#usage.statements++
    this.#waiting.unshift({ statement, refusal: undefined, stage: this.stage })
  }

  postDeferredInsert(make: () => Statement, late: RegExp): void {
    this.#usage.statements++
    const statement = { text: '', values: [] }
    this.#waiting.push({ statement, make, refusal: undefined, stage: this.stage, late })
  }

  mayAmend(make: () => Statement, columns: readonly string[]): boolean {
    const place = this.#waiting.findIndex((one) => one.make === make)
    const { late, stage } = this.#waiting[place] ?? {}
    if (!late || stage !== this.stage) return false
    const behind = this.#waiting.slice(place + 1).filter(({ statement: { text } }) => late.test(text))
    // Statements of modules name columns without quotes.
    return !behind.some(({ statement: { text } }) => columns.some((name) => namesColumn(text, name)))
  }

  postDeferred(row: ListedRows, alone: () => Statement, refused: () => void): DeferredId {
    this.#credential.insist()
    const id = new DeferredId(this.#deferred.length + 1)
    this.#deferred.push(id)
    this.#list(row, alone, { id, refused })
    return id
  }

  get isDeferring(): boolean {
    return this.#deferred.at(-1)?.id === null
  }

  get deferred(): number {
    return this.#deferred.length
  }

  postRows(rows: ListedRows, alone: (() => Statement) | null = null): void {
    this.#list(rows, alone, null)
  }

  /** `row` takes the id that the statement returns. */
  #list(rows: ListedRows, alone: (() => Statement) | null, row: Returned | null): void {
    const last = this.#waiting.at(-1)
    const before = last?.stage === this.stage ? last.listed : undefined
    if (last && before && haveSameColumns(before, rows) && mayJoin(before, rows)) {
      before.keys.push(...rows.keys)
      for (const [i, column] of before.columns.entries()) column.push(...(rows.columns[i] ?? []))
      if (row) last.returned?.push(row)
      this.#waiting.splice(-1, 1, { ...last, make: () => listedStatement(before) })
      return
    }
    const make = alone ?? (() => listedStatement(rows))
    const statement = { text: rows.text, values: [] }
    const returned = row ? [row] : []
    const refusal = row ? refusalOf(returned) : undefined
    this.#usage.statements++
    this.#waiting.push({ statement, make, refusal, stage: this.stage, listed: { ...rows }, returned })
  }

  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean {
    if (!this.endsWith([statement, ...behind])) return false
    this.#waiting.splice(-1 - behind.length, 1)
    return true
  }

  endsWith(statements: readonly Statement[]): boolean {
    const first = this.#waiting.length - statements.length
    return statements.every((statement, i) => {
      const waits = this.#waiting[first + i]
      return waits?.statement === statement && waits.stage === this.stage
    })
  }

  waiting(): readonly Statement[] {
    return this.#waiting.flatMap(({ statement, make, refusal, listed }) =>
      refusal && !listed ? [] : [make?.() ?? statement],
    )
  }

  /** All that wait, to leave now with a statement; none if that statement reads none of their tables. */
  take(statement: Statement | null): readonly Outgoing[] {
    const mayWait = ({ late }: Outgoing) => late !== undefined && !late.test(statement?.text ?? '')
    if (statement && !this.#isLookedAt && isRead(statement) && this.#waiting.every(mayWait)) return []
    this.#isLookedAt = false
    const leaving = this.#waiting.splice(0)
    for (const [i, outgoing] of leaving.entries())
      if (outgoing.make) leaving[i] = { ...outgoing, statement: outgoing.make(), make: null }
    return leaving
  }

  declareReads(tables: readonly string[] | null): void {
    this.#isLookedAt ||= this.#waiting.some(
      ({ late }) => late && (tables?.some((one) => late.test(one)) ?? true),
    )
  }

  clear(): void {
    this.#waiting = []
  }

  /** Keeps the first failure of statements that left: later ones of the flush fail after it. */
  left(answer: Promise<readonly Row[]>, { refusal, stage, returned }: Outgoing): void {
    this.#unanswered = answer.then(
      (rows) => {
        for (const [n, { id }] of returned?.entries() ?? []) id.resolve(rows[n]?.[0] as number)
      },
      (error: unknown) => {
        if (this.#failure) return
        const wrong = refusal && violationOf(error)
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

  /** The first failure, once all statements are answered; `error` itself where that failure caused it. */
  async first(error: unknown): Promise<unknown> {
    await this.#unanswered
    return this.#failure && !isCausedBy(error, this.#failure.reason) ? this.#failure.reason : error
  }

  /** Resets after a rollback to a savepoint: drops waiting statements and the failure. */
  async forgive(): Promise<void> {
    this.clear()
    await this.#unanswered
    this.#failure = undefined
  }
}

/** The refusal of rows whose ids could not be deferred. */
const refusalOf = (rows: readonly Returned[]) => () => {
  for (const { refused } of rows) refused()
  return new OptimisticCheckFailed()
}

/**
 * Matches a table's name in a statement, or the name of one of its link tables; not that of another
 * table that begins with it.
 */
export const namesTable = (table: string): RegExp => new RegExp(`\\b${table}(?:_\\w*_rel)?\\b`)

/** Whether a statement names a column, with or without quotes. */
const namesColumn = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)

/** Whether a statement only reads, and locks nothing. */
const isRead = ({ text }: Statement): boolean => text.startsWith('SELECT') && !/\bFOR\b/.test(text)

/** Whether an error is another one, or has it as a `cause`. */
function isCausedBy(error: unknown, failure: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause === failure) return true
  return false
}

/** Whether rows are few enough to be added to others; counts them there. */
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
