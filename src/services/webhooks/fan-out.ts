// Turns changes into deliveries: the holder of the database's lock reads from the last position up to the
// horizon, and commits deliveries and the new position together, so that each change is handled once.
import type { Database } from '../../databases/index.ts'
import { ServiceUnavailable } from '../../errors.ts'
import { turn } from '../../kit/turns.ts'
import type { Environment } from '../../models/language/environment.ts'
import { environmentOf } from '../../models/unit/environment.ts'
import { SYSTEM } from '../../models/unit/options.ts'
import { together } from '../../models/unit/reads.ts'
import { UnitOfWork } from '../../models/unit/unit.ts'
import { isConnectionLost, sqlState } from '../../postgres/index.ts'
import { horizonOf, horizonStatement } from '../changes/horizon.ts'
import { type Place, startOfRow } from '../changes/question.ts'
import { itemsOf } from '../changes/rows.ts'
import { currentRights } from '../scheduled-actions.ts'
import { atOnce, type Making, withFallbacks } from './fallbacks.ts'
import { portionsOf } from './portions.ts'
import { noteCreated, withRoom } from './queue-limit.ts'
import {
  changesFrom,
  changesOf,
  endpoints,
  endpointsOf,
  insertDeliveries,
  lock,
  movePosition,
  position,
} from './rows.ts'

/** Changes of records that are taken up at a time. */
const AT_ONCE = 500

type At = Extract<Place, { phase: 'changes' }>

export interface Taken {
  /** Deliveries that were made. */
  readonly deliveries: number
  /** Whether there is more at this moment. */
  readonly more: boolean
  /** Whether something is being committed that was announced before what can be taken up. */
  readonly held: boolean
}

/** Removals of endpoints that one taking up may meet. */
const REMOVALS = 5

/** Takes up what was committed; null: another process does. */
export async function fanOut(database: Database, attempt = 1): Promise<Taken | null> {
  try {
    return await fanOutOnce(database, atOnce)
  } catch (error) {
    // An endpoint was removed since it was read: try again with those that remain.
    if (sqlState(error) === '23503' && attempt < REMOVALS) return fanOut(database, attempt + 1)
    // Values may be too long together, and what one endpoint asks for may have become impossible.
    if (isConnectionLost(error) || error instanceof ServiceUnavailable) throw error
    return fanOutOnce(database, withFallbacks())
  }
}

async function fanOutOnce(database: Database, make: Making): Promise<Taken | null> {
  const rights = await currentRights(database)
  const unit = new UnitOfWork(database.pool, database.registry, rights, {
    readonly: false,
    follows: true,
    patient: true,
    changed: null,
  })
  try {
    const taken = await taking(environmentOf(unit, SYSTEM, { active_test: false }, true), database, make)
    if (taken) await unit.commit()
    else await unit.rollback()
    return taken
  } catch (error) {
    throw await unit.abandon(error)
  }
}

async function taking(env: Environment, database: Database, make: Making): Promise<Taken | null> {
  const [held, head, place, rows, endpointRows] = await together(
    env.unit.run(lock),
    env.unit.run(horizonStatement),
    env.query(position),
    env.query(changesFrom(AT_ONCE)),
    env.query(endpoints),
  )
  if (held[0]?.[0] !== true) return null
  const horizon = horizonOf(head)
  const end = startOfRow(horizon.at + 1)
  const to = endpointsOf(endpointRows)
  // At first, and after a hole in the feed, it begins where the first endpoint does.
  if (!place[0]) {
    const from = Math.max(horizon.floor, Math.min(horizon.at, ...to.map(({ begins }) => begins)))
    return move(env, startOfRow(from + 1), { deliveries: 0, more: true, held: false })
  }
  const [seq, n, k] = place[0] as [number, number, number]
  const start = startOfRow(seq, n, k)
  const { items, next } = itemsOf(changesOf(env, rows), { limit: AT_ONCE, start })
  const times = new Map(rows.map((row) => [row[0] as number, row[8] as string]))
  const open = await withRoom(env, database, to)
  let count = 0
  for (const some of portionsOf(items, open, AT_ONCE)) {
    const deliveries = await make(env, open, some, { times, name: database.name })
    if (deliveries.length) env.unit.send(insertDeliveries(deliveries))
    noteCreated(database, deliveries)
    count += deliveries.length
    await turn()
  }
  const after = (next?.phase === 'changes' && next) || (end.seq > seq ? end : start)
  const taken = { deliveries: count, more: next !== null, held: horizon.at < horizon.last }
  return after === start ? taken : move(env, after, taken)
}

function move(env: Environment, place: At, taken: Taken): Taken {
  env.unit.send(movePosition(place))
  return taken
}
