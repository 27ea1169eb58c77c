// Links of the rows of a short list: PostgreSQL looks for those of few rows row by row, and for those of more
// rows at once, in one walk over the index. As pairs, owners and targets, they are put into their rows here.
import type { Sql } from '../../../sql/index.ts'
import { id, sql } from '../../../sql/index.ts'
import type { LinkTable } from '../../language/definitions.ts'

/** The links of one record, as a list of ids. */
export const linksOf = (owner: Sql, { table, column, other }: LinkTable): Sql =>
  sql`ARRAY(SELECT ${id(other)} FROM ${id(table)} WHERE ${id(column)} = ${owner})`

/** The links of all records that a list of ids names: one row, a list of owners and one of targets. */
export const linksOfAll = (owners: Sql, { table, column, other }: LinkTable): Sql =>
  sql`SELECT json_agg(k.${id(column)})::text, json_agg(k.${id(other)})::text FROM ${id(table)} k WHERE k.${id(column)} = ANY(${owners})`

/** The targets of each of `ids`, of lists of owners and targets as JSON: those of an owner mostly come together. */
export function linkedTo(ids: readonly unknown[], ownersJson: string, targetsJson: string): number[][] {
  const owners = JSON.parse(ownersJson) as readonly number[]
  const targets = JSON.parse(targetsJson) as readonly number[]
  const lists = new Map<unknown, number[]>()
  let [last, list]: [unknown, number[]] = [null, []]
  for (let i = 0; i < targets.length; i++) {
    const owner = owners[i]
    if (owner !== last) {
      last = owner
      list = lists.get(owner) ?? []
      if (list.length === 0) lists.set(owner, list)
    }
    list.push(targets[i] ?? 0)
  }
  return ids.map((one) => lists.get(one) ?? [])
}
