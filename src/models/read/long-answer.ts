// Answers of very many rows: fetched from a cursor and passed on in pieces, so that the process never
// holds all of them.

import { oncePer } from '../../kit/once-per.ts'
import { raw, type Sql, sql } from '../../sql/index.ts'
import { LONG } from '../domain/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Unit } from '../language/unit.ts'
import { wantsSize } from '../load/binaries.ts'
import { isSameValue } from '../row/plans.ts'
import { environmentOf } from '../unit/environment.ts'
import { elementsOf, Rendered, type WireRow } from './rendered.ts'

/** Rows that an answer may have and still be made whole; beyond, callers that take pieces get pieces. */
export const WHOLE_ROWS = 2000
/** And values: answers of so many that wait for slow readers would fill the memory together. */
const WHOLE_CELLS = 100_000

/** Rows of a piece, at most; and values of their fields, of which some may take code. */
const PIECE_ROWS = 1000
const PIECE_CELLS = 40_000
const PIECE_FILES = 32
/** The first piece shows how long rows are. */
const FIRST_ROWS = 100

/** As the first two, where code asks for values of all rows at once: each piece takes it more statements. */
const ASKED_ROWS = 10_000
const ASKED_CELLS = 80_000

export function pieceRows(env: Environment, fields: readonly FieldDef[]): number {
  if (fields.some((field) => field.kind === 'binary' && !field.column && !wantsSize(env, field)))
    return PIECE_FILES
  const [rows, cells] = areAsked(fields) ? [ASKED_ROWS, ASKED_CELLS] : [PIECE_ROWS, PIECE_CELLS]
  return Math.max(50, Math.min(rows, Math.floor(cells / (fields.length + 1))))
}

export function wholeRows(env: Environment, fields: readonly FieldDef[]): number {
  if (areAsked(fields)) return Math.max(WHOLE_ROWS, pieceRows(env, fields))
  return Math.min(WHOLE_ROWS, Math.floor(WHOLE_CELLS / (fields.length + 1)))
}

/**
 * Whether some fields need code, and their paths lead through no relation: fields of related records
 * bring along much more than the records themselves.
 */
function areAsked(fields: readonly FieldDef[]): boolean {
  let hasCode = false
  for (const { column, compute } of fields) {
    if (column || !compute || compute.options.sql) continue
    if (compute.depends.some((path) => path.includes('.'))) return false
    hasCode = true
  }
  return hasCode
}

const LONGEST_VALUE = 200

/** Searches after which a result that was large is counted again. */
const TRUSTED = 20

/** The values of the last search with a large result, by the plan's own data. */
const largeResult = oncePer((_: object): { values: readonly unknown[]; left: number } => ({
  values: [],
  left: 0,
}))

/**
 * Whether the last result of a search had more rows than are read at once. Such a result is read in pieces
 * without reading its first rows before, which would cost as much again.
 */
export class ResultSize {
  readonly #plan: object
  readonly #values: readonly unknown[]

  /** `plan`: data of the search's plan. Nothing is remembered for long values. */
  constructor(plan: object, values: readonly unknown[]) {
    this.#plan = plan
    this.#values = values
  }

  get isLarge(): boolean {
    const result = largeResult(this.#plan)
    return result.left > 0 && isSameValue(result.values, this.#values) && result.left-- > 0
  }

  note(isLarge: boolean): void {
    const result = largeResult(this.#plan)
    result.left = isLarge && this.#values.every(isShortValue) ? TRUSTED : 0
    result.values = result.left ? this.#values : []
  }
}

const isShortValue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length <= LONG && value.every(isShortValue)
    : typeof value !== 'string' || value.length <= LONGEST_VALUE

/** Characters of a piece, about: of rows with long texts there are fewer in one. */
const PIECE_TEXT = 1_000_000

/** Fills in what PostgreSQL cannot render: from a JSON array of rows to the same array, filled. */
type Finish = (env: Environment, json: string) => Promise<Rendered | WireRow[]>

const asText = (rows: Rendered | WireRow[]): Rendered =>
  rows instanceof Rendered ? rows : new Rendered(JSON.stringify(rows))

export class LongAnswer {
  readonly #env: Environment
  readonly #rows: Sql
  readonly #finish: ((env: Environment, json: string) => Promise<Rendered>) | null
  readonly #most: number

  /** `rows` selects a JSON text each, read `most` at a time; `finish`: null if they are complete. */
  constructor(env: Environment, rows: Sql, most: number, finish: Finish | null) {
    this.#env = env
    this.#rows = rows
    this.#most = most
    this.#finish = finish && (async (inside, json) => asText(await finish(inside, json)))
  }

  /**
   * The array as JSON text in pieces, read in the transaction of `unit`, whose end is the caller's affair. A
   * piece is fetched when it is asked for.
   */
  async *pieces(unit: Unit): AsyncGenerator<string, void> {
    let before = '['
    for await (const { env, rows } of this.#fetched(unit)) {
      const json = rows.join(',')
      yield before + (this.#finish ? (await this.#finish(env, `[${json}]`)).json.slice(1, -1) : json)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  }

  /** As `pieces`: the rows themselves, each a JSON text. */
  async *rows(unit: Unit): AsyncGenerator<readonly string[], void> {
    for await (const { env, rows } of this.#fetched(unit))
      yield this.#finish ? elementsOf((await this.#finish(env, `[${rows.join(',')}]`)).json) : rows
  }

  async *#fetched(unit: Unit): AsyncGenerator<{ readonly env: Environment; readonly rows: string[] }, void> {
    const env = environmentOf(unit, this.#env.user, this.#env.context, this.#env.su)
    // All rows will be asked for: a plan that is quick to give the first ones is not what is wanted.
    await env.query(sql`SET LOCAL cursor_tuple_fraction = 1`)
    await env.query(sql`DECLARE answer NO SCROLL CURSOR FOR ${this.#rows}`)
    for (let count = Math.min(this.#most, FIRST_ROWS); ; ) {
      const fetched = await env.query<[string]>(sql`FETCH ${raw(String(count))} FROM answer`)
      if (fetched.length === 0) return
      const rows = fetched.map((row) => row[0])
      const length = rows.reduce((sum, row) => sum + row.length + 1, 0)
      count = Math.max(1, Math.min(this.#most, Math.floor((PIECE_TEXT * rows.length) / length)))
      yield { env, rows }
      unit.cache.clear()
      unit.shown.forget()
    }
  }
}
