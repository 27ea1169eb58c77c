// Rows of the feed as records: taken apart up to a limit, delegates' changes as those of the records that
// show their fields.

import { present } from '../../kit/present.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { fieldOf } from '../../models/language/field-options.ts'
import type { Row } from '../../models/language/unit.ts'
import { id, idList, join, raw, sql } from '../../sql/index.ts'
import { type Place, type Question, startOfRow } from './question.ts'

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
 * Rows from a place on, up to the horizon that the previous statement kept, as one text: separated by
 * semicolons, their columns by spaces, which no name has. Columns that repeat from row to row stand last.
 * Hundreds of rows with columns of their own cost more than all else about a page; and arrays in
 * PostgreSQL's format, or concatenations of many parts, a quarter more than this.
 * Ordered by the columns of the key and not by what is read of them, so that PostgreSQL walks the index and
 * stops at the limit.
 */
export function rowsFrom(question: Question, { seq, n }: { readonly seq: number; readonly n: number }) {
  return sql`SELECT string_agg(concat_ws(' ', c.seq, c.n, c.tx, array_to_string(c.ids, ','), c.op, c.model, array_to_string(c.fields, ','), c.event), ';')
    FROM (SELECT * FROM comptoir_change c
    WHERE (c.seq, c.n) >= (${seq}::bigint, ${n}::int) AND c.seq <= current_setting('comptoir.horizon')::bigint AND c.model = ANY(${[...sourcesOf(question)]}::text[])
    ORDER BY c.seq, c.n LIMIT ${question.limit + 1}::int) c`
}

/** The part that many rows share: an operation on records of a model. */
interface Kind extends Pick<Item, 'op' | 'event' | 'fields'> {
  readonly model: ModelDef | undefined
}

/** A row of the feed: a change of some records. */
export interface Change extends Kind, Pick<Item, 'seq' | 'n' | 'tx'> {
  readonly ids: readonly number[]
}

function kindIn(env: Environment, text: string): Kind {
  const [op, model = '', fields = '', event] = text.split(' ')
  return {
    op: op as Item['op'],
    model: env.unit.registry.get(model),
    event: event ?? null,
    fields: fields === '' ? [] : fields.split(','),
  }
}

const [SPACE, COMMA, ZERO] = [32, 44, 48]

/** Reads a text of numbers, each followed by one separator. */
class Numbers {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** The number at the current position, which moves past it and its separator. */
  next(): number {
    let number = 0
    for (;;) {
      const digit = this.text.charCodeAt(this.at++) - ZERO
      if (!(digit >= 0 && digit <= 9)) return number
      number = number * 10 + digit
    }
  }

  list(): number[] {
    if (this.text.charCodeAt(this.at) === SPACE) return this.#skip()
    const all = [this.next()]
    while (this.text.charCodeAt(this.at - 1) === COMMA) all.push(this.next())
    return all
  }

  #skip(): number[] {
    this.at++
    return []
  }

  /** The text up to a separator, or up to the end. */
  until(mark: string): string {
    const end = this.text.indexOf(mark, this.at)
    const part = end < 0 ? this.text.slice(this.at) : this.text.slice(this.at, end)
    this.at += part.length + 1
    return part
  }
}

/** Parses the rows of `rowsFrom`, in a single pass, as there may be thousands. */
export function changesIn(env: Environment, rows: readonly Row[]): Change[] {
  const text = rows[0]?.[0]
  if (typeof text !== 'string') return []
  const kinds = new Map<string, Kind>()
  const changes: Change[] = []
  const numbers = new Numbers(text)
  while (numbers.at < text.length) {
    const [seq, n, tx, ids] = [numbers.next(), numbers.next(), numbers.until(' '), numbers.list()]
    const name = numbers.until(';')
    const { op, model, event, fields } = kinds.get(name) ?? kept(kinds, name, kindIn(env, name))
    changes.push({ op, model, event, fields, seq, n, tx, ids })
  }
  return changes
}

function kept<T>(cache: Map<string, T>, name: string, value: T): T {
  cache.set(name, value)
  return value
}

interface Taken {
  readonly items: readonly Item[]
  /** Where the next answer begins; null: after the horizon. */
  readonly next: Place | null
}

/** Takes rows apart, from a place in the first of them, until there are as many records as are wanted. */
export function itemsOf(
  changes: readonly Change[],
  { limit, start }: { readonly limit: number; readonly start: Extract<Place, { phase: 'changes' }> },
): Taken {
  const items: Item[] = []
  const last = changes.at(-1)
  for (const { seq, n, tx, model, op, ids, fields, event } of changes) {
    let k = seq === start.seq && n === start.n ? start.k : 0
    for (; k < ids.length && items.length < limit; k++)
      if (model) items.push({ model, id: present(ids[k]), op, seq, n, k, tx, fields, event })
    if (
      items.length >= limit &&
      (k < ids.length || seq !== last?.seq || n !== last.n || changes.length > limit)
    )
      return {
        items,
        next: k < ids.length ? startOfRow(seq, n, k) : startOfRow(seq, n + 1),
      }
  }
  return { items, next: null }
}

/** Changes of delegates as changes of the records of `model` that show their fields: one statement. */
export async function delegateChanges(
  env: Environment,
  model: ModelDef,
  items: readonly Item[],
): Promise<Item[]> {
  const ways = [...model.inherits.values()].flatMap((via) => {
    const field = fieldOf(model, via)
    const delegateItems = items.filter((item) => item.model === field.comodel && item.op === 'u')
    return delegateItems.length ? [{ field, delegateItems }] : []
  })
  if (ways.length === 0) return []
  const holders = ways.map(({ field, delegateItems }, n) => {
    const ids = [...new Set(delegateItems.map((item) => item.id))]
    return sql`SELECT ${raw(String(n))}, ${id(field.name)}, "id" FROM ${id(model.table)} WHERE ${id(field.name)} = ANY(${idList(ids)})`
  })
  const rows = (await env.query(join(holders, ' UNION ALL '))) as readonly (readonly [
    number,
    number,
    number,
  ])[]
  return ways.flatMap(({ field, delegateItems }, n) => {
    const names = new Map(
      [...model.fields.values()].flatMap((shown) =>
        shown.inherited && shown.related?.[0] === field.name ? [[shown.related[1], shown.name] as const] : [],
      ),
    )
    const of = Map.groupBy(
      rows.filter(([way]) => way === n),
      ([, delegate]) => delegate,
    )
    return delegateItems.flatMap((item) => {
      const fields = item.fields.flatMap((name) => names.get(name) ?? [])
      // A change of a field that is not delegated does not concern the holders.
      if (fields.length === 0) return []
      return (of.get(item.id) ?? []).map(([, , holder]) => ({ ...item, model, id: holder, fields }))
    })
  })
}
