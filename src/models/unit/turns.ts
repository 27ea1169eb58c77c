// Turns: calls that change the same much wanted thing (a best-seller, a till's session) go one after the
// other, and each waits before its snapshot is taken, so that none loses against the one before
// (docs/decisions/0050).
import { type Connection, Crowded } from '../../postgres/index.ts'
import { idList, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { Row } from '../language/unit.ts'

/** Things that one call takes turns about; who changes more is repeated where it loses. */
const MOST = 128

const lockOf = sql`hashtextextended('comptoir turn ' || x.k, 0)`

/**
 * Turns that a session waited for outside of transactions. Its locks outlast its transactions: they are given
 * up, or the connection goes.
 */
export class SessionTurns {
  #waiting: Promise<void> | undefined
  #held = false

  /** Whether the session still has locks. */
  get held(): boolean {
    return this.#held
  }

  /** Waits for turns, in the order given: before BEGIN, so that what was committed meanwhile is seen. */
  wait(connection: Connection, turns: readonly string[]): Promise<void> {
    this.#waiting ??= this.#wait(connection, turns)
    return this.#waiting
  }

  async #wait(connection: Connection, turns: readonly string[]): Promise<void> {
    this.#held = true
    const { text, values } =
      sql`SELECT pg_advisory_lock(${lockOf}) FROM unnest(${[...turns]}::text[]) AS x(k)`.compile()
    await connection.query(text, values)
  }

  /** Leaves with what ends the transaction, and where that failed once more behind ROLLBACK. */
  async giveUp(connection: Connection | undefined): Promise<void> {
    if (!this.#held) return
    try {
      await connection?.query('SELECT pg_advisory_unlock_all()', [])
      this.#held = false
    } catch {
      // Behind a failed COMMIT; or the connection is gone, and all locks with it.
    }
  }

  /** The next connection waits anew. */
  over(): void {
    this.#waiting = undefined
  }
}

/** Whether ids are given, and no query of them. */
export const isIds = (about: readonly number[] | Sql): about is readonly number[] => Array.isArray(about)

/** Turns that a unit has: those it waited for before it began, and those nobody else had when it asked. */
export class Turns {
  readonly #held: Set<string>
  /** Turns that were asked for: nothing goes on where others have them. */
  readonly #asked = new Set<string>()
  readonly #concerned = new Set<string>()

  /** `held`: what it waited for. */
  constructor(held: readonly string[]) {
    this.#held = new Set(held)
  }

  /** As told, without asking: whoever loses waits for them too. */
  note(kind: string, ids: readonly number[]): void {
    for (const id of ids) if (this.#concerned.size < MOST) this.#concerned.add(`${kind}/${id}`)
  }

  /** What it waits for when it lost; as many as it waited for when there is nothing more. */
  get concerned(): readonly string[] {
    return [...new Set([...this.#held, ...this.#concerned])]
  }

  /** Whether it is about few enough things. */
  get isWorthwhile(): boolean {
    return this.#concerned.size < MOST
  }

  /** A query of what others have of some ids; what they have not is taken. */
  taken(kind: string, ids: readonly number[]): Sql {
    return sql`SELECT 1 FROM (SELECT ${`${kind}/`}::text || v.id AS k FROM unnest(${idList(ids)}) AS v(id)) AS x WHERE NOT pg_try_advisory_xact_lock(${lockOf})`
  }

  /** Those of some ids that are still to be asked for; they count as asked from now on. */
  missing(kind: string, ids: readonly number[]): number[] {
    return [...new Set(ids)].filter((id) => {
      const turn = `${kind}/${id}`
      if (this.#held.has(turn) || this.#asked.has(turn)) return false
      this.#asked.add(turn)
      return true
    })
  }

  /** Behind a savepoint that was taken back, what was asked within it may be others' again. */
  forgetAsked(): void {
    this.#asked.clear()
  }

  /**
   * Asks for turns until the transaction ends; `ids` is a query of one column. Throws Crowded, with all that
   * has to be waited for, where others have some of them now.
   */
  async take(kind: string, ids: Sql, run: (statement: Statement) => Promise<readonly Row[]>): Promise<void> {
    const statement = sql`SELECT x.k, pg_try_advisory_xact_lock(${lockOf})
      FROM (SELECT ${`${kind}/`}::text || w.id AS k FROM (SELECT DISTINCT * FROM (${ids}) AS v(id) LIMIT ${MOST + 1}::int) AS w ORDER BY w.id) AS x`
    const rows = await run(statement.compile())
    if (rows.length > MOST) return
    const wanted = rows.map((row) => row[0] as string)
    if (rows.some((row) => row[1] !== true)) throw new Crowded([...this.#held, ...wanted])
    for (const one of wanted) this.#held.add(one)
  }
}
