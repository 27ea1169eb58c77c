// Rows that a session has created: their columns are known without a read. They come into the cache
// field by field on demand: most fields of most rows are never needed.
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { ColumnOf } from '../language/unit.ts'

/** Rows of one INSERT. */
interface Batch {
  readonly ids: readonly number[]
  readonly column: ColumnOf
}

interface Made {
  readonly batches: Batch[]
  readonly ids: Set<number>
  /** By field, how many of the batches are in the cache. */
  readonly taken: Map<FieldDef, number>
}

/** Rows that are kept: a large import does not read the rows that it has created. */
const MOST = 4000

export class CreatedRows {
  #count = 0
  readonly #models = new Map<ModelDef, Made>()

  add(model: ModelDef, ids: readonly number[], column: ColumnOf): void {
    this.#count += ids.length
    if (this.#count > MOST) return
    const rows = this.#models.get(model) ?? {
      batches: [],
      ids: new Set<number>(),
      taken: new Map<FieldDef, number>(),
    }
    this.#models.set(model, rows)
    rows.batches.push({ ids, column })
    for (const id of ids) rows.ids.add(id)
  }

  /** Whether the session created all of these records. */
  hasAll(model: ModelDef, ids: readonly number[]): boolean {
    const rows = this.#models.get(model)
    return rows !== undefined && ids.every((id) => rows.ids.has(id))
  }

  /** Forgets fields of some rows that were written and are not in the cache. */
  forget(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void {
    const rows = this.#models.get(model)
    if (!rows?.batches.length) return
    const gone = new Set(ids)
    for (const [i, { ids: batchIds, column }] of rows.batches.entries()) {
      if (!batchIds.some((id) => gone.has(id))) continue
      const remaining: ColumnOf = (field, n) =>
        fields.includes(field) && gone.has(batchIds[n] ?? 0) ? undefined : column(field, n)
      rows.batches.splice(i, 1, { ids: batchIds, column: remaining })
    }
  }

  /** Whether rows may have a value of a field that is not in the cache yet. */
  has(field: FieldDef): boolean {
    const rows = this.#models.get(field.model)
    return rows !== undefined && (rows.taken.get(field) ?? 0) < rows.batches.length
  }

  /** Adds values of a field that are not in the cache yet to its map. */
  fill(field: FieldDef, values: Map<number, unknown>): void {
    const rows = this.#models.get(field.model)
    if (!rows) return
    const { batches, taken } = rows
    const before = taken.get(field) ?? 0
    if (before === batches.length) return
    taken.set(field, batches.length)
    for (const { ids, column } of batches.slice(before))
      for (let n = 0; n < ids.length; n++) {
        const id = present(ids[n])
        if (values.has(id)) continue
        const value = column(field, n)
        if (value !== undefined) values.set(id, value)
      }
  }

  /** Fields and rows whose values are in the cache. */
  *taken(): Iterable<readonly [FieldDef, readonly number[]]> {
    for (const { batches, taken } of this.#models.values())
      for (const [field, count] of taken) yield [field, batches.slice(0, count).flatMap(({ ids }) => ids)]
  }
}
