// Long answers: each is read in a transaction of its own for as long as its reader takes, and few at a time,
// few of one user, so that slow readers leave connections to others, and places too.

import type { Caller } from '../access/index.ts'
import type { Database } from '../databases/index.ts'
import { BadRequest, ServiceUnavailable } from '../errors.ts'
import { Gate } from '../kit/gate.ts'
import { patience } from '../kit/patience.ts'
import { through } from '../kit/through.ts'
import { limits } from '../limits.ts'
import type { LongAnswer } from '../models/read/long-answer.ts'
import { UnitOfWork } from '../models/unit/unit.ts'
import { isConnectionLost, isDemoted } from '../postgres/index.ts'
import { waitedTooLong } from './abandoned-calls.ts'
import type { Answer } from './request.ts'

/** Long answers of one database that this process reads at a time: some of its connections. */
const AT_ONCE = 6

/**
 * Milliseconds that a call may wait until another one is read, and until the first piece of its own is there.
 */
const [PATIENCE, FIRST] = [6000, 9000]

/** Calls of one user that may wait for that. */
const WAITING = 100

const gates = new WeakMap<Database, Gate>()

function gateOf(database: Database): Gate {
  const gate = gates.get(database) ?? newGate()
  gates.set(database, gate)
  return gate
}

function newGate(): Gate {
  const refusal = 'Too many streamed responses are being read. Please try again.'
  return new Gate({
    places: AT_ONCE,
    share: limits['user-answers'],
    queue: WAITING,
    patienceMs: PATIENCE * patience.factor,
    refusal,
  })
}

/**
 * The answer's first piece, and a generator of the others. A failure before the first piece is thrown like
 * that of any call. Throws ServiceUnavailable when too many others are being read, and BadRequest when its
 * reader is `gone` by the time that it could begin.
 */
export async function startLongAnswer(
  database: Database,
  caller: Caller,
  answer: LongAnswer,
  gone?: () => boolean,
): Promise<Answer> {
  const { first, more } = await entered(database, caller, (unit) => answer.pieces(unit), gone)
  return first === undefined ? { json: '[]' } : { json: first, more }
}

/** As `startLongAnswer`, with rows in the place of text. */
export async function rowsBegun(
  database: Database,
  caller: Caller,
  answer: LongAnswer,
  gone?: () => boolean,
): Promise<Answer> {
  const { first, more } = await entered(database, caller, (unit) => answer.rows(unit), gone)
  return { json: '', rows: through(more, (rest) => whole(first ?? [], rest)) }
}

async function* whole<T>(first: T, more: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  yield first
  yield* more
}

async function entered<T>(
  database: Database,
  caller: Caller,
  parts: (unit: UnitOfWork) => AsyncGenerator<T, void>,
  gone?: () => boolean,
): Promise<{ readonly first: T | undefined; readonly more: AsyncGenerator<T, void> }> {
  const late = performance.now() + FIRST * patience.factor
  const leave = await gateOf(database).enter(String(caller.profile.id))
  if (gone?.()) {
    leave()
    throw new BadRequest('The client went away')
  }
  const more = read(database, caller, { parts, leave })
  const first = await firstOf(more, late - performance.now())
  return { first: first.done ? undefined : first.value, more }
}

/** The first part of an answer. Throws ServiceUnavailable where it is not there in so many milliseconds. */
async function firstOf<T>(more: AsyncGenerator<T, void>, ms: number): Promise<IteratorResult<T, void>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(waitedTooLong()), ms)
  try {
    return await Promise.race([more.next(), late.promise])
  } catch (error) {
    // If the answer is still being read, it ends after its first part.
    void more.return().catch(() => undefined)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function* read<T>(
  database: Database,
  { rights, profile }: Caller,
  {
    parts,
    leave,
  }: { readonly parts: (unit: UnitOfWork) => AsyncGenerator<T, void>; readonly leave: () => void },
): AsyncGenerator<T, void> {
  const unit = new UnitOfWork(database.pool, rights.registry, rights, {
    readonly: true,
    holder: profile.id,
    files: database.files,
  })
  unit.usage.isHeavy = true
  let isWhole = false
  try {
    yield* parts(unit)
    await unit.commit()
    isWhole = true
  } catch (error) {
    throw isConnectionLost(error) || isDemoted(error)
      ? new ServiceUnavailable('The database is not available at the moment.', {
          cause: error,
          repeats: true,
        })
      : error
  } finally {
    // Also when the reader went away.
    if (!isWhole) await unit.rollback()
    leave()
  }
}
