// Which changes are told together: what is made of them is in memory, and goes to PostgreSQL, as a whole.
import type { Item } from '../changes/rows.ts'
import type { Endpoint } from './rows.ts'

/** Changes that are told together at least: for each user that hears of some there is a search and a read. */
export const FEW = 10

/**
 * Changes in their order, few at a time where their values go to many endpoints, each of which is sent them
 * anew. What a module declares as an event has values for all of them.
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
