// Statements that a call sends to PostgreSQL, credential check and transaction included, and its round
// trips.
import assert from 'node:assert/strict'
import { call } from '../../src/services/call.ts'
import type { TestDatabase } from './databases.ts'
import type { Recorder } from './statements.ts'

export interface Asked {
  readonly model: string
  readonly method: string
  /** Named arguments, with `ids` and `context` among them. */
  readonly body: Record<string, unknown>
}

/** Runs a call and asserts nothing of it: its counts are in the recorder. */
export async function send(
  db: TestDatabase,
  key: string,
  { model, method, body: { ids, context, ...named } }: Asked,
): Promise<void> {
  const decoded = { ids: ids as number[] | undefined, context: context as never, named }
  await call(db.databases, {
    database: 'test',
    credential: { kind: 'key', key },
    model,
    method,
    body: () => decoded,
    remote: '127.0.0.1',
    requestId: 'test',
  })
}

export interface Expected {
  readonly statements: number
  readonly trips: number
  /**
   * Trips more that there may be, where several things are read side by side: answers of one may come after
   * those that another one waits for.
   */
  readonly late?: number
}

/**
 * Runs a call for the third time, as `asked` gives it: the first ones read rights and whatever else stays in
 * memory.
 */
export async function assertSends(
  db: TestDatabase,
  key: string,
  recorder: Recorder,
  callOf: (n: number) => Asked,
  expected: Expected,
): Promise<void> {
  for (const n of [1, 2, 3]) {
    recorder.forget()
    await send(db, key, callOf(n))
  }
  const { statements, trips, late = 0 } = expected
  const sent = recorder.trips()
  assert.deepEqual(
    { statements: recorder.statements.length, trips: Math.max(sent - late, Math.min(sent, trips)) },
    { statements, trips },
    recorder.statements.map(({ text }) => text.slice(0, 150)).join('\n'),
  )
}
