// Stops the PostgreSQL work of calls whose client is gone, or that waited long for others: such calls hold
// connections and locks in vain, and every client gets an answer in time.
import { BadRequest, ServiceUnavailable } from '../errors.ts'
import { patience } from '../kit/patience.ts'
import { type Link, Ring } from '../kit/ring.ts'
import type { UnitOfWork } from '../models/unit/unit.ts'

/**
 * Milliseconds between two looks, and how long a call runs before it is looked at: the short ones end by
 * themselves.
 */
const EVERY_MS = 1000
const SHORT_MS = 2000
/**
 * Most milliseconds of a call that waited for others, and the wait from which that limit applies: no client
 * is left without an answer for ten seconds because of others.
 */
const [MOST_MS, WAITED_MS] = [8700, 2000]

/**
 * When a client began to wait (infinity: it waits as long as it must), and how to know that it is no longer
 * there.
 */
interface Client {
  readonly gone: () => boolean
  readonly since: number
}

interface Watched extends Client {
  readonly unit: Stoppable
  /** When the unit's work began. */
  readonly begun: number
}

/** The error of calls whose turn does not come in time. */
export const waitedTooLong = (): ServiceUnavailable =>
  new ServiceUnavailable(
    'The same records are locked by others, or the database is overloaded. Please try again.',
    {
      retryAfter: 2,
    },
  )

type Stoppable = Pick<UnitOfWork, 'usage' | 'stop'>

const watched = new Ring<Watched>()
let timer: NodeJS.Timeout | undefined

/**
 * Follows a unit until the link leaves, which its work's end does. When its client is gone for a while before
 * that, or waited too long for others, the unit is stopped.
 */
export function stopIfAbandoned(unit: Stoppable, gone: Client['gone'], since: number): Link<unknown> {
  timer ??= setInterval(look, EVERY_MS).unref()
  return watched.add({ unit, gone, since, begun: performance.now() })
}

function look(): void {
  if (watched.isEmpty) {
    clearInterval(timer)
    timer = undefined
  }
  const now = performance.now()
  for (const { unit, gone, since, begun } of watched) {
    if (begun < now - SHORT_MS && gone()) unit.stop(new BadRequest('The client went away'))
    else if (since < now - MOST_MS * patience.factor && (unit.usage.connectedAt ?? 0) > since + WAITED_MS)
      unit.stop(waitedTooLong())
  }
}
