// Answers of very many rows: fetched from a cursor and passed on piece by piece, so that nobody holds all of them.
import type { Sql } from '../../sql/index.ts'
import { raw, sql } from '../../sql/index.ts'
import { Environment } from '../environment.ts'
import type { Unit } from '../unit.ts'
import type { WireRow } from './read.ts'
import { Rendered } from './rendered.ts'

/** Rows that an answer may have and still be made whole; beyond, callers that take pieces get pieces. */
export const WHOLE_ROWS = 2000

/** Rows of a piece. */
const PIECE_ROWS = 1000

/** Fills in what PostgreSQL cannot render: from a JSON array of rows to the same array, filled. */
type Finish = (env: Environment, json: string) => Promise<Rendered | WireRow[]>

export class LongAnswer {
  readonly #env: Environment
  readonly #rows: Sql
  readonly #finish: Finish | null

  /** `rows` selects one JSON text a row, in order; `finish` is null where they are complete. */
  constructor(env: Environment, rows: Sql, finish: Finish | null) {
    this.#env = env
    this.#rows = rows
    this.#finish = finish
  }

  /** The array as JSON text in pieces, read in the transaction of `unit`, whose end is the caller's affair. A piece is fetched when it is asked for. */
  async *pieces(unit: Unit): AsyncGenerator<string, void> {
    const env = new Environment(unit, this.#env.user, this.#env.context, this.#env.su)
    // All rows will be asked for: a plan that is quick to give the first ones is not what is wanted.
    await env.query(sql`SET LOCAL cursor_tuple_fraction = 1`)
    await env.query(sql`DECLARE answer NO SCROLL CURSOR FOR ${this.#rows}`)
    const fetch = sql`FETCH ${raw(String(PIECE_ROWS))} FROM answer`
    for (let before = '['; ; before = ',') {
      const rows = await env.query(fetch)
      if (rows.length === 0) {
        yield before === '[' ? '[]' : ']'
        return
      }
      const json = rows.map((row) => row[0]).join(',')
      yield before + (this.#finish ? await finished(env, json, this.#finish) : json)
      unit.cache.clear()
    }
  }
}

/** The rows between the brackets, filled. */
async function finished(env: Environment, json: string, finish: Finish): Promise<string> {
  const rows = await finish(env, `[${json}]`)
  return (rows instanceof Rendered ? rows.json : JSON.stringify(rows)).slice(1, -1)
}
