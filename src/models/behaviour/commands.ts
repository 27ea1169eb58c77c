// Commands on x2many fields. In values: `order_line: [add({ product_id }), remove(7)]`, `tag_ids:
// set([1, 2])`.
import type { Command } from '../language/records.ts'

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
export const add = (vals: Readonly<Record<string, unknown>>): Command => [0, 0, vals]

/** Writes values on a record of the list. */
export const change = (id: number, vals: Readonly<Record<string, unknown>>): Command => [1, id, vals]

/** Deletes a record of the list. */
export const remove = (id: number): Command => [2, id, 0]

/**
 * Removes a record from the list. In a one2many, the record is deleted if its many2one is required or
 * has `ondelete: 'cascade'`.
 */
export const unlink = (id: number): Command => [3, id, 0]

/** Adds existing records to the list. */
export const link = (...ids: readonly number[]): Command[] => ids.map((id): Command => [4, id, 0])

/** Replaces the list by these records. */
export const set = (ids: readonly number[]): Command[] => [[6, 0, ids]]
