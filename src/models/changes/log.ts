// What one unit of work changed, kept in memory and merged, and the statement that tells it: the last one
// before COMMIT (docs/decisions/0043).

import type { Statement } from '../../sql/index.ts'
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

/**
 * Announces that a number greater than the last one will come, takes it, and tells the changes under it, all
 * in one statement: whoever reads knows of numbers that were taken and are not there yet. The one place that
 * writes to the table.
 */
const INSERT = `WITH said AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${ANNOUNCED}::bigint | last_value) FROM comptoir_feed_seq),
  pos AS MATERIALIZED (SELECT nextval('comptoir_feed_seq') AS seq FROM said)
  INSERT INTO comptoir_change (seq, n, tx, at, uid, model, op, ids, fields, event)
  SELECT pos.seq, x.n, pg_current_xact_id()::text::bigint, clock_timestamp(), $1::int, x.model, x.op, x.ids, x.fields, x.event
  FROM pos, jsonb_to_recordset($2::jsonb) AS x(n int, model text, op text, ids int[], fields text[], event text)`

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

  /** The statement that tells all, or null. */
  statement(): Statement | null {
    const rows = this.rows()
    if (rows.length === 0) return null
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
