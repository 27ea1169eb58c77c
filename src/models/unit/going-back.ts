// Going back to a savepoint: all that is under way is answered first, and what fails until then is forgiven.
import type { Connection } from '../../postgres/index.ts'
import type { Statement } from '../../sql/index.ts'
import type { Outbox } from './outbox.ts'

/** What a transaction has to say of itself there. */
interface Behind {
  readonly outbox: Outbox
  readonly connection: Connection
  /** Waits until nothing is under way. */
  readonly answered: Promise<void> | undefined
  readonly isStopped: () => boolean
}

/**
 * Sends the statements that go back, unless it was stopped; gives why they failed. Branches of the work that
 * still go on hear `why`; what they posted never leaves.
 */
export async function goBack(
  statements: readonly Statement[],
  why: unknown,
  { outbox, connection, answered, isStopped }: Behind,
): Promise<unknown> {
  outbox.fail(why)
  await answered
  let lost: unknown
  if (!isStopped())
    lost = await Promise.all(connection.flush(statements)).then(
      () => undefined,
      (error: unknown) => error,
    )
  await outbox.forgive()
  return lost
}
