// Calls whose client is gone: what they still wait for in PostgreSQL is stopped, so that they hold neither
// connections nor locks for nobody.
import { BadRequest } from '../errors.ts'
import type { UnitOfWork } from '../models/unit/unit.ts'

/**
 * Milliseconds between two looks, and how long a call runs before it is looked at: the short ones end by
 * themselves.
 */
const EVERY_MS = 1000
const SHORT_MS = 2000

interface Watched {
  readonly gone: () => boolean
  readonly since: number
}

const watched = new Map<UnitOfWork, Watched>()
let timer: NodeJS.Timeout | undefined

/** Runs a unit's work; when its client is `gone` for a while before it ends, the unit is stopped. */
export async function unlessDeserted<T>(
  unit: UnitOfWork,
  gone: (() => boolean) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!gone) return work()
  watched.set(unit, { gone, since: performance.now() })
  timer ??= setInterval(look, EVERY_MS).unref()
  try {
    return await work()
  } finally {
    watched.delete(unit)
  }
}

function look(): void {
  if (watched.size === 0) {
    clearInterval(timer)
    timer = undefined
  }
  const before = performance.now() - SHORT_MS
  for (const [unit, { gone, since }] of watched)
    if (since < before && gone()) unit.stop(new BadRequest('The client went away'))
}
