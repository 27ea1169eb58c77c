// What one unit of work changed, kept in memory and merged, and the statement that tells it: the last one
// before COMMIT (docs/decisions/0043).

import type { TraceContext } from '../../kit/watch/index.ts'
import { type Sql, type Statement, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { ChangeKind, ChangeRow } from '../language/unit.ts'

interface Note {
  readonly model: string
  readonly kind: ChangeKind | 'e'
  readonly ids: readonly number[]
  readonly fields: readonly string[]
  readonly event?: string
}

/** The upper bits of the advisory locks by which positions are announced. */
export const ANNOUNCED = (0x434fn << 48n).toString()

const ANNOUNCE = `SELECT pg_advisory_xact_lock_shared(${ANNOUNCED}::bigint | last_value) FROM comptoir_feed_seq`
/**
 * The trace of who made changes stands beside them, under no model: a row where somebody traces, and none
 * elsewhere.
 */
const TRACE = `INSERT INTO comptoir_change_before (tx, model, res_id, image)
  VALUES (pg_current_xact_id()::text::bigint, '', 0, $1::jsonb)`

/** The statement that keeps the trace of a transaction's changes. */
export const traced = (trace: TraceContext): Statement => ({ text: TRACE, values: [JSON.stringify(trace)] })

/** The trace of the changes of a transaction, as JSON; null where nobody traced. */
export const traceOf = (tx: Sql): Sql =>
  sql`(SELECT b.image FROM comptoir_change_before b WHERE b.tx = ${tx} AND b.model = '' LIMIT 1)`

const INTO = 'INSERT INTO comptoir_change (seq, n, tx, at, uid, model, op, ids, fields, event)'

/**
 * Announces that a number greater than the last one will come, takes it, and tells the changes under it, all
 * in one statement: whoever reads knows of numbers that were taken and are not there yet. This and the next
 * one are what writes to the table.
 */
const INSERT = `WITH said AS MATERIALIZED (${ANNOUNCE}),
  pos AS MATERIALIZED (SELECT nextval('comptoir_feed_seq') AS seq FROM said)
  ${INTO}
  SELECT pos.seq, x.n, pg_current_xact_id()::text::bigint, clock_timestamp(), $1::int, x.model, x.op, x.ids, x.fields, x.event
  FROM pos, jsonb_to_recordset($2::jsonb) AS x(n int, model text, op text, ids int[], fields text[], event text)`

/** What a change is told in: who, model, operation, ids, fields, event. */
const TYPES = ['int', 'text', 'text', 'int[]', 'text[]', 'text'] as const

/** The same for one change, as most calls make: the number is taken for the row that the lock gives. */
const oneFrom = (first: number) => `${INTO}
  SELECT nextval('comptoir_feed_seq'), 0, pg_current_xact_id()::text::bigint, clock_timestamp(),
    ${TYPES.map((type, i) => `$${first + i}::${type}`).join(', ')}
  FROM (${ANNOUNCE} OFFSET 0) said`
const ONE = oneFrom(1)

/** Texts that write another row along with one change, by the text of that. */
const besides = new Map<string, string>()

/** A row that commits with the effect and one change, in one statement. */
function beside({ text, values }: Statement, change: Statement): Statement {
  const both = besides.get(text) ?? `WITH beside AS (${text}) ${oneFrom(values.length + 1)}`
  besides.set(text, both)
  return { text: both, values: [...values, ...change.values] }
}

export class ChangeLog {
  /** Whether what is noted is told with COMMIT. */
  readonly tells: boolean
  readonly #notes: Note[] = []
  #uid: number | null = null

  constructor(tells: boolean) {
    this.tells = tells
  }

  /** Notes a change, in the name of who acts. */
  note(
    uid: number,
    model: string,
    kind: ChangeKind,
    ids: readonly number[],
    fields: readonly string[],
  ): void {
    this.#uid ??= uid
    this.#notes.push({ model, kind, ids, fields })
  }

  /** Notes a declared event of records. */
  emit(uid: number, model: string, event: string, ids: readonly number[]): void {
    this.#uid ??= uid
    this.#notes.push({ model, kind: 'e', ids, fields: [], event })
  }

  /** How much is noted: a savepoint that is undone goes back to it. */
  get length(): number {
    return this.#notes.length
  }

  back(length: number): void {
    this.#notes.length = length
  }

  /** Whether the unit made a record itself: nobody has seen it. */
  isNew(model: string, id: number): boolean {
    return this.#notes.some((note) => note.kind === 'c' && note.model === model && note.ids.includes(id))
  }

  /**
   * The last statements of a transaction: what commits with its effect, and what tells all. Null where there
   * is nothing to tell.
   */
  lastWith(ahead: readonly Statement[]): readonly Statement[] | null {
    const change = this.#statement()
    if (!change) return null
    const [row] = ahead
    return row && ahead.length === 1 && change.text === ONE && row.text.startsWith('INSERT ')
      ? [beside(row, change)]
      : [...ahead, change]
  }

  #statement(): Statement | null {
    const rows = this.rows()
    const [only] = rows
    if (!only) return null
    if (rows.length === 1)
      return { text: ONE, values: [this.#uid, only.model, only.op, only.ids, only.fields, only.event] }
    return { text: INSERT, values: [this.#uid, JSON.stringify(rows.map((row, n) => ({ n, ...row })))] }
  }

  /** What is noted, merged: a row for each model, kind of change and set of fields. */
  rows(): ChangeRow[] {
    const [only, more] = this.#notes
    if (!only) return []
    // Most calls change one thing.
    if (!more)
      return [rowOf(only.model, only.kind, [...new Set(only.ids)].sort(ascending), only.fields, only.event)]
    return [...Map.groupBy(this.#notes, ({ model }) => model)].flatMap(([model, notes]) =>
      rowsOf(model, notes),
    )
  }
}

const ascending = (a: number, b: number) => a - b

const rowOf = (
  model: string,
  op: ChangeRow['op'],
  ids: readonly number[],
  fields: readonly string[] = [],
  event: string | null = null,
): ChangeRow => ({
  model,
  op,
  ids,
  fields,
  event,
})

/**
 * The notes of one model, merged: what was made and removed in the same unit never was; writes of the same
 * fields are one row.
 */
function rowsOf(model: string, notes: readonly Note[]): ChangeRow[] {
  const of = (kind: ChangeKind) =>
    new Set(notes.filter((note) => note.kind === kind).flatMap(({ ids }) => ids))
  const [created, removed] = [of('c'), of('d')]
  const fieldsOf = new Map<number, Set<string>>()
  for (const { kind, ids, fields } of notes) {
    if (kind !== 'u') continue
    for (const id of ids) {
      if (created.has(id) || removed.has(id)) continue
      const known = fieldsOf.get(id) ?? new Set<string>()
      fieldsOf.set(id, known)
      for (const field of fields) known.add(field)
    }
  }
  const rows: ChangeRow[] = []
  const made = [...created.difference(removed)].sort(ascending)
  if (made.length) rows.push(rowOf(model, 'c', made))
  const alike = Map.groupBy(fieldsOf, ([, fields]) => [...fields].sort().join())
  for (const [fields, group] of alike)
    rows.push(rowOf(model, 'u', group.map(([id]) => id).sort(ascending), fields.split(',').filter(Boolean)))
  for (const { kind, ids, event = null } of notes)
    if (kind === 'e') rows.push(rowOf(model, 'e', [...new Set(ids)], [], event))
  const gone = [...removed.difference(created)].sort(ascending)
  if (gone.length) rows.push(rowOf(model, 'd', gone))
  return rows
}

/**
 * Whether changes of a model are told: stored ones that stay, unless their contract says otherwise; of what
 * describes the server parameters alone.
 */
export function isTracked(model: ModelDef): boolean {
  if (!model.hasTable || model.kind !== 'model') return false
  return model.options.changes ?? (!model.name.startsWith('ir.') || model.name === 'ir.config_parameter')
}
