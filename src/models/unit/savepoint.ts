// Work within a savepoint of a transaction: a failure inside is undone, and the call goes on.
import type { Connection } from '../../postgres/index.ts'
import { type Sql, type Statement, sql } from '../../sql/index.ts'
import type { WriteBuffer } from './write-buffer.ts'

const SAVEPOINT = sql`SAVEPOINT work`
const RELEASE = sql`RELEASE SAVEPOINT work`
// Nested savepoints share the name: this one is released, so that the outer one is the next.
const BACK = [sql`ROLLBACK TO SAVEPOINT work`, RELEASE].map((one) => one.compile())

/** The session, as far as a savepoint needs it. */
interface Resettable {
  query(statement: Sql): Promise<unknown>
  first(error: unknown): Promise<unknown>
  back(statements: readonly Statement[], why: unknown): Promise<void>
}

/** The result of `work`; undone where it fails or is not to be kept. `restore` resets the session. */
export async function withinSavepoint<T>(
  unit: Resettable,
  restore: () => void,
  work: () => Promise<T>,
  keep: (result: T) => boolean,
): Promise<T> {
  const undo = async (why: unknown) => {
    await unit.back(BACK, why)
    // Statements under way may have cached values until all of them were answered.
    restore()
  }
  await unit.query(SAVEPOINT)
  let result: T
  try {
    result = await work()
    if (keep(result)) {
      // Awaited, so that failures of posted statements are undone too.
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

/** The state of a transaction that rolls back to a savepoint. */
interface Behind {
  readonly writeBuffer: WriteBuffer
  readonly connection: Connection
  /** Waits until nothing is under way. */
  readonly answered: Promise<void> | undefined
  readonly isStopped: () => boolean
}

/**
 * Rolls back to a savepoint by these statements, unless the transaction was stopped; returns their
 * failure. Waits until all statements under way are answered. Parallel branches of the work get `why`;
 * their waiting statements are dropped.
 */
export async function rollBackTo(
  statements: readonly Statement[],
  why: unknown,
  { writeBuffer, connection, answered, isStopped }: Behind,
): Promise<unknown> {
  writeBuffer.fail(why)
  await answered
  let lost: unknown
  if (!isStopped())
    lost = await Promise.all(connection.flush(statements)).then(
      () => undefined,
      (error: unknown) => error,
    )
  await writeBuffer.forgive()
  return lost
}
