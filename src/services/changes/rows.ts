// Rows of the feed as records: taken apart up to a limit, delegates' changes as those of the records that
// show their fields.

import { present } from '../../kit/present.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { fieldOf } from '../../models/language/relations.ts'
import type { Row } from '../../models/language/unit.ts'
import { id, idList, join, raw, sql } from '../../sql/index.ts'
import { beginningOf, type Place, type Question } from './question.ts'

/** A change of one record. */
export interface Item {
  readonly model: ModelDef
  readonly id: number
  readonly op: 'c' | 'u' | 'd' | 'e'
  /** Where it stands: position, row, and which record of the row. */
  readonly seq: number
  readonly n: number
  readonly k: number
  readonly tx: string
  readonly fields: readonly string[]
  readonly event: string | null
}

/** Models whose rows matter: those asked for, and those that they delegate to. */
export function sourcesOf({ models, events }: Question): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (model: ModelDef) => {
    names.add(model.name)
    for (const via of model.inherits.values()) {
      const { comodel } = fieldOf(model, via)
      if (comodel && !names.has(comodel.name)) add(comodel)
    }
  }
  for (const { model } of models) add(model)
  for (const model of events.values()) names.add(model.name)
  return names
}

/**
 * Rows from a place on, up to the horizon that the statement before this one kept. Ordered by the columns of
 * the key and not by what is read of them, so that PostgreSQL walks the index and stops at the limit.
 */
export function rowsFrom(question: Question, { seq, n }: { readonly seq: number; readonly n: number }) {
  return sql`SELECT c.seq::float8, c.n, c.tx::text, c.model, c.op, c.ids, c.fields, c.event FROM comptoir_change c
    WHERE (c.seq, c.n) >= (${seq}::bigint, ${n}::int) AND c.seq <= current_setting('comptoir.horizon')::bigint AND c.model = ANY(${[...sourcesOf(question)]}::text[])
    ORDER BY c.seq, c.n LIMIT ${question.limit + 1}::int`
}

interface Taken {
  readonly items: readonly Item[]
  /** Where the next answer begins; null: behind the horizon. */
  readonly next: Place | null
}

/** Takes rows apart, from a place in the first of them, until there are as many records as are wanted. */
export function itemsOf(
  env: Environment,
  rows: readonly Row[],
  { limit, start }: { readonly limit: number; readonly start: Extract<Place, { phase: 'changes' }> },
): Taken {
  const items: Item[] = []
  for (const [seq, n, tx, name, op, ids, fields, event] of rows as unknown as [
    number,
    number,
    string,
    string,
    Item['op'],
    number[],
    string[],
    string | null,
  ][]) {
    const model = env.unit.registry.get(name)
    let k = seq === start.seq && n === start.n ? start.k : 0
    for (; k < ids.length && items.length < limit; k++)
      if (model) items.push({ model, id: present(ids[k]), op, seq, n, k, tx, fields, event })
    if (
      items.length >= limit &&
      (k < ids.length || seq !== rows.at(-1)?.[0] || n !== rows.at(-1)?.[1] || rows.length > limit)
    )
      return {
        items,
        next: k < ids.length ? beginningOf(seq, n, k) : beginningOf(seq, n + 1),
      }
  }
  return { items, next: null }
}

/** Changes of delegates as changes of the records of `model` that show their fields: one statement. */
export async function throughDelegates(
  env: Environment,
  model: ModelDef,
  items: readonly Item[],
): Promise<Item[]> {
  const ways = [...model.inherits.values()].flatMap((via) => {
    const field = fieldOf(model, via)
    const own = items.filter((item) => item.model === field.comodel && item.op === 'u')
    return own.length ? [{ field, own }] : []
  })
  if (ways.length === 0) return []
  const holders = ways.map(({ field, own }, n) => {
    const ids = [...new Set(own.map((item) => item.id))]
    return sql`SELECT ${raw(String(n))}, ${id(field.name)}, "id" FROM ${id(model.table)} WHERE ${id(field.name)} = ANY(${idList(ids)})`
  })
  const rows = (await env.query(join(holders, ' UNION ALL '))) as readonly (readonly [
    number,
    number,
    number,
  ])[]
  return ways.flatMap(({ field, own }, n) => {
    const names = new Map(
      [...model.fields.values()].flatMap((one) =>
        one.inherited && one.related?.[0] === field.name ? [[one.related[1], one.name] as const] : [],
      ),
    )
    const of = Map.groupBy(
      rows.filter(([way]) => way === n),
      ([, delegate]) => delegate,
    )
    return own.flatMap((item) => {
      const fields = item.fields.flatMap((name) => names.get(name) ?? [])
      // What is not shown is nothing that the holders are told of.
      if (fields.length === 0) return []
      return (of.get(item.id) ?? []).map(([, , holder]) => ({ ...item, model, id: holder, fields }))
    })
  })
}
