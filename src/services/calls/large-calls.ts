// Large calls wait for a place before they begin, while they hold nothing yet. Of calls whose size is unknown
// only a few of a user run at a time: the others know the size then.
import { Gate } from '../../kit/gate.ts'
import { serial } from '../../kit/serial.ts'
import type { Unit } from '../../models/language/unit.ts'
import { patienceFrom } from '../../models/unit/large.ts'
import { type Prepared, type Scale, scaleOf } from './call-size.ts'

/** Calls of one user that find out how long their answers are. */
const AT_ONCE = 3
/** Calls of one user that may wait for that. */
const WAITING = 1000

const first = new Gate({
  places: Number.POSITIVE_INFINITY,
  share: AT_ONCE,
  queue: WAITING,
  patienceMs: patienceFrom(undefined),
  refusal: 'Too many requests are waiting for the database. Please try again.',
})

type Placed = Pick<Unit, 'database' | 'shown' | 'usage'>

/**
 * Runs the `work` of a call when others leave it a place. A call that has a connection goes on at once,
 * because calls with a place may wait for a connection. Throws ServiceUnavailable where others have all
 * places for too long.
 */
export function inPlace<T>(unit: Placed, call: Prepared, work: () => Promise<T>): Promise<T> {
  if (unit.usage.connectedAt !== null) return work()
  const scale = scaleOf(call)
  return scale === 'small' ? work() : when(scale, unit, call, work)
}

async function when<T>(scale: Scale, unit: Placed, call: Prepared, work: () => Promise<T>): Promise<T> {
  if (scale === 'large') {
    await unit.shown.begin(call.since)
    return work()
  }
  const leave = await first.enter(
    `${serial(unit.database)} ${call.caller.profile.id}`,
    patienceFrom(call.since),
  )
  try {
    // Others of this user may have found it out meanwhile.
    if (scaleOf(call) === 'unknown') {
      unit.usage.isHeavy = true
      return await work()
    }
  } finally {
    leave()
  }
  return inPlace(unit, call, work)
}
