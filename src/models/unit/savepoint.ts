// Work within a savepoint of a transaction: a failure inside leaves no trace, and the call goes on.
import { sql } from '../../sql/index.ts'
import type { Transaction } from './transaction.ts'

const SAVEPOINT = sql`SAVEPOINT work`
const RELEASE = sql`RELEASE SAVEPOINT work`
// Nested savepoints share the name: this one is let go, so that the outer one is the next in line.
const BACK = [sql`ROLLBACK TO SAVEPOINT work`, RELEASE].map((one) => one.compile())

/** The result of `work`; undone where it fails or is not to be kept. `restore`: makes the unit what it was. */
export async function withinSavepoint<T>(
  unit: Pick<Transaction, 'query' | 'first' | 'back'>,
  restore: () => void,
  work: () => Promise<T>,
  keep: (result: T) => boolean,
): Promise<T> {
  const undo = async (why: unknown) => {
    await unit.back(BACK, why)
    // Only now: what was under way may have brought something until all of it was answered.
    restore()
  }
  await unit.query(SAVEPOINT)
  let result: T
  try {
    result = await work()
    if (keep(result)) {
      // Waited for: what was sent and failed is undone too.
      await unit.query(RELEASE)
      return result
    }
  } catch (error) {
    const first = await unit.first(error)
    await undo(first)
    throw first
  }
  await undo(new Error('The work was not kept.'))
  return result
}
