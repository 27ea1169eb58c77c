// Commands on lists of records, by what they do. In values: `order_line: [add({ product_id }), remove(7)]`,
// `tag_ids: set([1, 2])`.
import type { Command } from '../language/records.ts'

/** Makes a record in the list. */
export const add = (vals: Readonly<Record<string, unknown>>): Command => [0, 0, vals]

/** Writes on a record of the list. */
export const change = (id: number, vals: Readonly<Record<string, unknown>>): Command => [1, id, vals]

/** Removes a record of the list from the database. */
export const remove = (id: number): Command => [2, id, 0]

/** Takes a record out of the list. A line without its owner is removed. */
export const unlink = (id: number): Command => [3, id, 0]

/** Puts records that are there into the list. */
export const link = (...ids: readonly number[]): Command[] => ids.map((id): Command => [4, id, 0])

/** The list holds these records and no others. */
export const set = (ids: readonly number[]): Command[] => [[6, 0, ids]]
