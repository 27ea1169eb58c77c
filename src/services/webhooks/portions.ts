// Portions of changes whose deliveries are created together: in memory, and in PostgreSQL, as a whole.
import type { Item } from '../changes/rows.ts'
import type { Endpoint } from './rows.ts'

/** Least size of a portion: each one costs a search and a read for every user concerned. */
export const FEW = 10

/**
 * Changes in their order, few at a time where their values go to many endpoints, with a copy for each. A
 * declared event has values for all of them.
 */
export function* portionsOf(
  items: readonly Item[],
  to: readonly Pick<Endpoint, 'fields'>[],
  most: number,
): Generator<readonly Item[]> {
  const isEvent = items.some(({ op }) => op === 'e')
  const valued = to.filter(({ fields }) => isEvent || Object.keys(fields).length > 0)
  const size = Math.max(FEW, Math.floor(most / Math.max(1, valued.length)))
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
