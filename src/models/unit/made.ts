// Rows that a unit of work has just made: what their columns hold is known without being read. It comes into
// the cache field by field, when somebody looks for it: most fields of most rows are never looked for.
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

/** Rows that are known at most: of a large import nobody looks at what was made before. */
const MOST = 4000

export class MadeRows {
  #count = 0
  readonly #models = new Map<ModelDef, Made>()

  add(model: ModelDef, ids: readonly number[], column: ColumnOf): void {
    this.#count += ids.length
    if (this.#count > MOST) return
    const made = this.#models.get(model) ?? {
      batches: [],
      ids: new Set<number>(),
      taken: new Map<FieldDef, number>(),
    }
    this.#models.set(model, made)
    made.batches.push({ ids, column })
    for (const id of ids) made.ids.add(id)
  }

  /** Whether all of these records were made by the unit. */
  hasAll(model: ModelDef, ids: readonly number[]): boolean {
    const made = this.#models.get(model)
    return made !== undefined && ids.every((id) => made.ids.has(id))
  }

  /** Forgets what fields of some rows hold, which nobody has taken: they were written. */
  forget(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void {
    const made = this.#models.get(model)
    if (!made?.batches.length) return
    const gone = new Set(ids)
    for (const [i, { ids: own, column }] of made.batches.entries()) {
      if (!own.some((id) => gone.has(id))) continue
      const known: ColumnOf = (field, n) =>
        fields.includes(field) && gone.has(own[n] ?? 0) ? undefined : column(field, n)
      made.batches.splice(i, 1, { ids: own, column: known })
    }
  }

  /** Whether something of a field may not have been taken yet. */
  has(field: FieldDef): boolean {
    const made = this.#models.get(field.model)
    return made !== undefined && (made.taken.get(field) ?? 0) < made.batches.length
  }

  /** Adds values of a field that were not taken yet to those that are known. */
  fill(field: FieldDef, known: Map<number, unknown>): void {
    const made = this.#models.get(field.model)
    if (!made) return
    const { batches, taken } = made
    const before = taken.get(field) ?? 0
    if (before === batches.length) return
    taken.set(field, batches.length)
    for (const { ids, column } of batches.slice(before))
      for (let n = 0; n < ids.length; n++) {
        const id = present(ids[n])
        if (known.has(id)) continue
        const value = column(field, n)
        if (value !== undefined) known.set(id, value)
      }
  }

  /** What was taken: fields, and the rows. */
  *taken(): Iterable<readonly [FieldDef, readonly number[]]> {
    for (const { batches, taken } of this.#models.values())
      for (const [field, count] of taken) yield [field, batches.slice(0, count).flatMap(({ ids }) => ids)]
  }
}
