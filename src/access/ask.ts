// Queries of this folder: one statement each, rows as arrays. The caller chooses the connection and
// transaction.
import type { Pool } from '../postgres/index.ts'
import type { Sql, Statement } from '../sql/index.ts'

export type Ask = (statement: Statement) => Promise<readonly (readonly unknown[])[]>

/** Queries outside of any transaction, each on a connection of its own. */
export function askPool(pool: Pool): Ask {
  return ({ text, values }) => pool.use((connection) => connection.query(text, values))
}

/** As `askPool`, also for calls that hold a connection while they ask. */
export function askPoolWhileHolding(pool: Pool): Ask {
  return ({ text, values }) => pool.useAside((connection) => connection.query(text, values))
}

/** Runs `work` in one read-only transaction: all its queries see one moment. */
export function readTogether<T>(pool: Pool, work: (ask: Ask) => Promise<T>): Promise<T> {
  return pool.use(async (connection) => {
    // Not awaited: it is sent together with the first query, which reports a failure of the connection.
    void connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      return await work(({ text, values }) => connection.query(text, values))
    } finally {
      // Nothing to keep; a connection that cannot even do this is dropped by the pool.
      await connection.query('ROLLBACK').catch(() => undefined)
    }
  })
}

/** The one JSON value that a statement answers, or null when there is no row. */
export async function askJson<T>(ask: Ask, statement: Sql): Promise<T | null> {
  const rows = await ask(statement.compile())
  const text = rows[0]?.[0]
  return typeof text === 'string' ? (JSON.parse(text) as T) : null
}
