// Counts the statements that are composed, where those that are kept need not be.
import { Sql } from '../../src/sql/index.ts'

/** Number of statements composed while `work` runs. */
export async function composed(work: () => Promise<unknown>): Promise<number> {
  const { compile } = Sql.prototype
  let count = 0
  Sql.prototype.compile = function () {
    count++
    return compile.call(this)
  }
  try {
    await work()
  } finally {
    Sql.prototype.compile = compile
  }
  return count
}
