// Wraps around a method of every model, and around every write with all its records and values.

import { present } from '../../kit/present.ts'
import type { ModelName } from '../contract/names.ts'
import type { GenericWrap, WriteChange, WriteWrap } from '../language/behaviour.ts'
import type { Environment } from '../language/environment.ts'

/** Ids of the records whose new values satisfy `test`. */
export const idsWhere = (
  changes: readonly WriteChange[],
  test: (vals: WriteChange['vals']) => unknown,
): number[] => changes.filter(({ vals }) => test(vals)).flatMap(({ ids }) => ids)

/** Whether a wrap handles a write of these values. */
type WriteConcerns = (vals: Readonly<Record<string, unknown>>, env: Environment) => boolean

/**
 * A wrap of writes that handles one set of values at a time, with the records that get it, as if they
 * were written one after the other. For models that are seldom written in bulk. Values for which
 * `concerns` returns false bypass the wrap in one write.
 */
export function alike<N extends ModelName>(
  wrap: GenericWrap<N>,
  concerns: WriteConcerns = () => true,
): WriteWrap<N> {
  return (next) => {
    const run = wrap(async (records, { vals }) => {
      await next(records, [{ ids: [...new Set(records.ids)], vals: vals as WriteChange['vals'] }])
      return true
    })
    return async (records, changes) => {
      const concerned = changes.map(({ vals }) => concerns(vals, records.env))
      const past = changes.filter((_, i) => !concerned[i])
      const around = changes.filter((_, i) => concerned[i])
      if (past.length) await next(records.browse(past.flatMap(({ ids }) => ids)), past)
      for (const same of sameVals(around)) await run(records.browse(same.ids), { vals: same.vals })
    }
  }
}

/** Merges changes with the same values. */
function sameVals(changes: readonly WriteChange[]): readonly WriteChange[] {
  if (changes.length < 2) return changes
  const groups = Map.groupBy(changes, ({ vals }) => JSON.stringify(vals))
  return [...groups.values()].map((group) => ({
    ids: group.flatMap(({ ids }) => ids),
    vals: present(group[0]).vals,
  }))
}
