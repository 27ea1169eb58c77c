// Locks for contended resources (a best-seller, the session of a till): calls that change one run one
// after the other. Each waits before its snapshot is taken, so that it does not conflict with the
// previous call (docs/decisions/0050).

import { type Connection, Crowded } from '../../postgres/index.ts'
import { idList, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { StatementBuffer } from '../language/deferred.ts'
import type { Ids } from '../language/definitions.ts'
import type { Row, Turns } from '../language/unit.ts'

/** Resources that a call locks at most; one that changes more is repeated after a conflict. */
const MOST = 128

const lockOf = sql`hashtextextended('comptoir turn ' || x.k, 0)`

/**
 * Locks of a connection that were taken outside of transactions. They outlast transactions: they are
 * released, or the connection is closed.
 */
export class SessionTurns {
  #waiting: Promise<void> | undefined
  #held = false

  /** Whether the connection still has locks. */
  get held(): boolean {
    return this.#held
  }

  /** Takes locks in the given order, before BEGIN: the call sees what was committed meanwhile. */
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

  /** Releases the locks in the flush that ends the transaction, or after ROLLBACK where that failed. */
  async releaseLocks(connection: Connection | undefined): Promise<void> {
    if (!this.#held) return
    try {
      await connection?.query('SELECT pg_advisory_unlock_all()', [])
      this.#held = false
    } catch {
      // After a failed COMMIT; or the connection is gone, and all locks with it.
    }
  }

  /** Forgets the connection: the next one takes its locks anew. */
  over(): void {
    this.#waiting = undefined
  }
}

const isIds = (about: Ids | Sql): about is Ids => Array.isArray(about)

/** The transaction, as far as locks need it. */
interface Session {
  readonly buffer: StatementBuffer
  run(statement: Statement): Promise<readonly Row[]>
  /** The error to throw for a failure of the transaction. */
  noted(error: unknown): unknown
}

/** Locks of a session: those taken before it began, and those that were free when it asked. */
export class CallTurns implements Turns {
  readonly #session: Session
  /** Null: the session takes no locks. */
  readonly #held: Set<string> | null
  /** Requested locks: the flush fails where another call has them. */
  readonly #asked = new Set<string>()
  readonly #concerned = new Set<string>()

  /** `held`: the locks taken before the session began. */
  constructor(session: Session, held: readonly string[] | null) {
    this.#session = session
    this.#held = held && new Set(held)
  }

  note(kind: string, ids: Ids): void {
    if (!this.#held) return
    for (const id of ids) if (this.#concerned.size < MOST) this.#concerned.add(`${kind}/${id}`)
  }

  /** The locks that the call takes when it is repeated. */
  get concerned(): readonly string[] {
    return [...new Set([...(this.#held ?? []), ...this.#concerned])]
  }

  /** After a rollback to a savepoint: locks taken since then are released. */
  forgetAsked(): void {
    this.#asked.clear()
  }

  /** Throws Crowded where other calls have the locks of a query: the call is repeated after those. */
  async take(kind: string, about: Ids | Sql): Promise<void> {
    if (!this.#held) return
    if (isIds(about)) {
      this.#request(kind, about, this.#held)
      return
    }
    try {
      await this.#find(kind, about, this.#held)
    } catch (error) {
      // Parallel branches of the call must not go on.
      throw this.#session.noted(error)
    }
  }

  #request(kind: string, ids: Ids, held: ReadonlySet<string>): void {
    const missing = [...new Set(ids)].filter((id) => {
      const turn = `${kind}/${id}`
      if (held.has(turn) || this.#asked.has(turn)) return false
      this.#asked.add(turn)
      return true
    })
    this.note(kind, missing)
    if (!missing.length || this.#concerned.size >= MOST) return
    const taken = sql`SELECT 1 FROM (SELECT ${`${kind}/`}::text || v.id AS k FROM unnest(${idList(missing)}) AS v(id)) AS x WHERE NOT pg_try_advisory_xact_lock(${lockOf})`
    this.#session.buffer.check(taken, () => new Crowded(this.concerned))
  }

  /** Takes locks until the transaction ends; `ids` is a query of one column. */
  async #find(kind: string, ids: Sql, held: Set<string>): Promise<void> {
    const statement = sql`SELECT x.k, pg_try_advisory_xact_lock(${lockOf})
      FROM (SELECT ${`${kind}/`}::text || w.id AS k FROM (SELECT DISTINCT * FROM (${ids}) AS v(id) LIMIT ${MOST + 1}::int) AS w ORDER BY w.id) AS x`
    const rows = await this.#session.run(statement.compile())
    if (rows.length > MOST) return
    const wanted = rows.map((row) => row[0] as string)
    if (rows.some((row) => row[1] !== true)) throw new Crowded([...held, ...wanted])
    for (const turn of wanted) held.add(turn)
  }
}
