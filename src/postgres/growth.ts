// Analyzes tables that grow while they are used. PostgreSQL plans by the sizes that it saw last, and a
// connection keeps its plans: a table that was tiny then is read whole for each row, until autovacuum comes
// along, a minute later or more.
import pg from 'pg'
import type { Connection } from './connection.ts'

/**
 * Pages of a table that PostgreSQL believes in as long as it never looked: what is chosen for them still
 * holds when there are more.
 */
const BELIEVED = 10
/** The same in bytes. */
export const BELIEVED_BYTES = BELIEVED * 8192

/** Inserted rows after which a table's size is checked. */
const FEW = 200

/** Analyzes tables that are larger than PostgreSQL assumes for a table that was never analyzed. */
export async function analyzeLarge(query: (text: string) => Promise<readonly unknown[][]>): Promise<void> {
  const rows =
    await query(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND pg_relation_size(oid) > ${BELIEVED} * current_setting('block_size')::int ORDER BY oid`)
  const names = rows.map(([name]) => pg.escapeIdentifier(String(name)))
  if (names.length) await query(`ANALYZE ${names.join(', ')}`)
}

/** Pages and rows at the last look, and pages by now. */
const SIZES = `SELECT relpages, GREATEST(reltuples, 0)::bigint::text, pg_relation_size(oid) / current_setting('block_size')::int
  FROM pg_class WHERE oid = to_regclass($1)`

export class Growth {
  readonly #use: (work: (connection: Connection) => Promise<void>) => Promise<void>
  /** Rows that may still be inserted before the next question, by table. */
  readonly #left = new Map<string, number>()
  /** Tables to check. */
  readonly #due = new Set<string>()
  #asking = false

  /** `use` lends a connection. */
  constructor(use: (work: (connection: Connection) => Promise<void>) => Promise<void>) {
    this.#use = use
  }

  /** Rows were inserted, and committed. Returns at once. */
  note(table: string, rows: number): void {
    const left = (this.#left.get(table) ?? FEW) - rows
    this.#left.set(table, left)
    if (left > 0) return
    this.#due.add(table)
    if (!this.#asking) void this.#ask()
  }

  /** Checks one table after the other. A table that cannot be checked is left to autovacuum. */
  async #ask(): Promise<void> {
    this.#asking = true
    for (const table of this.#due) {
      this.#due.delete(table)
      this.#left.set(table, FEW)
      await this.#use((connection) => this.#look(connection, table)).catch(() => undefined)
    }
    this.#asking = false
  }

  async #look(connection: Connection, table: string): Promise<void> {
    const name = pg.escapeIdentifier(table)
    const sizes = async () => (await connection.query(SIZES, [name]))[0]?.map(Number)
    let measured = await sizes()
    const [before = 0, , now = 0] = measured ?? []
    if (now >= 2 * Math.max(before, BELIEVED / 2)) {
      // Skips a table that another session analyzes.
      await connection.simple(`ANALYZE (SKIP_LOCKED) ${name}`)
      measured = await sizes()
    }
    const [, rows = 0] = measured ?? []
    this.#left.set(table, Math.max(FEW, rows / 4))
  }
}
