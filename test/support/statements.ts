// Counts the statements that this process sends to PostgreSQL.
import { Connection } from '../../src/postgres/index.ts'

/** Runs `work` and gives the texts of what was sent meanwhile, over all connections. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = []
  const { query, flush } = Connection.prototype
  Connection.prototype.query = function (text, values = []) {
    sent.push(text)
    return query.call(this, text, values)
  }
  Connection.prototype.flush = function (queries) {
    sent.push(...queries.map(({ text }) => text))
    return flush.call(this, queries)
  }
  try {
    await work()
  } finally {
    Connection.prototype.query = query
    Connection.prototype.flush = flush
  }
  return sent
}
