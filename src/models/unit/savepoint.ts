// Work within a savepoint of a transaction: a failure inside leaves no trace, and the call goes on.
import { sql } from '../../sql/index.ts'
import type { Transaction } from './transaction.ts'

/** The result of `work`; undone where it fails or is not to be kept. `restore`: makes the unit what it was. */
export async function withinSavepoint<T>(
  unit: Pick<Transaction, 'query' | 'first'>,
  restore: () => Promise<void>,
  work: () => Promise<T>,
  keep: (result: T) => boolean,
): Promise<T> {
  const undo = async () => {
    await restore()
    // Nested savepoints share the name: this one is let go, so that the outer one is the next in line.
    await unit.query(sql`ROLLBACK TO SAVEPOINT work`)
    await unit.query(sql`RELEASE SAVEPOINT work`)
  }
  await unit.query(sql`SAVEPOINT work`)
  let result: T
  try {
    result = await work()
    if (keep(result)) {
      // Waited for: what was sent and failed is undone too.
      await unit.query(sql`RELEASE SAVEPOINT work`)
      return result
    }
  } catch (error) {
    const first = await unit.first(error)
    await undo()
    throw first
  }
  await undo()
  return result
}
