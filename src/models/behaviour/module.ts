// Module declarations: name, dependencies, models, data.

import { present } from '../../kit/present.ts'
import type { ModelName } from '../contract/names.ts'
import type { GenericWrap, WriteChange, WriteWrap } from '../language/behaviour.ts'
import type { Ids, LooseVals } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { type DataSetOf, type DataVals, type Module, Ref } from '../language/module.ts'
import type { Command } from '../language/records.ts'

/** The id of the record with an external id such as `base.us`, looked up when the data is loaded. */
export const ref = (xmlid: string): Ref => new Ref(xmlid)

/**
 * Records of a model in a module's data, by external id without the module's name. With `noupdate` they
 * are written at installation only, never by an upgrade.
 */
export function dataSet<const N extends ModelName>(
  model: N,
  records: Readonly<Record<string, DataVals<N>>>,
  { noupdate = false }: { readonly noupdate?: boolean } = {},
): DataSetOf<N> {
  return Object.freeze({ model, noupdate, records })
}

/**
 * Declares a module.
 *
 * @example
 * ```ts
 * import { dataSet, defineModule, ref } from 'comptoir/models'
 * import 'comptoir/modules/base'
 *
 * export default defineModule({
 *   name: 'shelves',
 *   version: '1.0',
 *   summary: 'Shelves of the shop',
 *   depends: ['base'],
 *   models: [],
 *   data: [dataSet('res.partner', { carrier: { name: 'Carrier', country_id: ref('base.us') } })],
 * })
 * ```
 */
export function defineModule(module: Module): Module {
  return Object.freeze({ ...module })
}

// Wraps around a method of every model, and around every write with all its records and values.

/** Ids of the records whose new values satisfy `test`. */
export const idsWhere = (
  changes: readonly WriteChange[],
  test: (vals: WriteChange['vals']) => unknown,
): number[] => changes.filter(({ vals }) => test(vals)).flatMap(({ ids }) => ids)

/** Whether a wrap handles a write of these values. */
type WriteConcerns = (vals: LooseVals, env: Environment) => boolean

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

// Commands on x2many fields. In values: `order_line: [add({ product_id }), remove(7)]`, `tag_ids:
// set([1, 2])`.

/**
 * Creates a record in the list.
 *
 * @example
 * ```ts
 * import { add, change, remove } from 'comptoir/models'
 *
 * export const order_line = [add({ product_id: 3 }), change(8, { product_uom_qty: 2 }), remove(7)]
 * ```
 */
export const add = (vals: LooseVals): Command => [0, 0, vals]

/** Writes values on a record of the list. */
export const change = (id: number, vals: LooseVals): Command => [1, id, vals]

/** Deletes a record of the list. */
export const remove = (id: number): Command => [2, id, 0]

/**
 * Removes a record from the list. In a one2many, the record is deleted if its many2one is required or
 * has `ondelete: 'cascade'`.
 */
export const unlink = (id: number): Command => [3, id, 0]

/** Adds existing records to the list. */
export const link = (...ids: Ids): Command[] => ids.map((id): Command => [4, id, 0])

/** Replaces the list by these records. */
export const set = (ids: Ids): Command[] => [[6, 0, ids]]
