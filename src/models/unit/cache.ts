// Identity map of a session: values that were read, by field, cache key (language, company, context) and
// record.
import { present } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Cache, ColumnOf, Unit } from '../language/unit.ts'

/** Values kept during a large recomputation: some ten megabytes. */
const LIMIT = 100_000

export class ValueCache implements Cache {
  #held = 0
  /** Columns that have the same value for all users, which have one cache key (row/cache-key.ts). */
  readonly #plain = new Map<FieldDef, Map<number, unknown>>()
  readonly #values = new Map<FieldDef, Map<string, Map<number, unknown>>>()
  /** Rows created in this session; null as long as there are none. */
  #made: CreatedRows | null = null

  of(field: FieldDef, variant: string): Map<number, unknown> {
    if (variant === '') {
      let plain = this.#plain.get(field)
      if (!plain) {
        plain = new Map()
        this.#plain.set(field, plain)
      }
      this.#made?.fill(field, plain)
      return plain
    }
    let variants = this.#values.get(field)
    if (!variants) {
      variants = new Map()
      this.#values.set(field, variants)
    }
    let values = variants.get(variant)
    if (!values) {
      values = new Map()
      variants.set(variant, values)
    }
    return values
  }

  addNewRows(model: ModelDef, ids: Ids, column: ColumnOf): void {
    this.#made ??= new CreatedRows()
    this.#made.add(model, ids, column)
  }

  hasNewRows(model: ModelDef, ids: Ids): boolean {
    return this.#made?.hasAll(model, ids) ?? false
  }

  /** Whether it has nothing but columns of new rows, and no code has looked for any of them. */
  get isOfMadeAlone(): boolean {
    return this.#plain.size + this.#values.size === 0
  }

  forgetWritten(model: ModelDef, fields: readonly FieldDef[], ids: Ids): void {
    this.#made?.forget(model, fields, ids)
  }

  forgetUnconfirmed(): void {
    const createdRows = this.#made
    this.#made = null
    for (const [field, ids] of createdRows?.taken() ?? []) this.forget(field, ids)
  }

  forget(field: FieldDef, ids?: Iterable<number>): void {
    // New rows must not supply a forgotten value again.
    if (this.#made?.has(field)) this.of(field, '')
    const plain = this.#plain.get(field)
    if (!ids) this.#plain.delete(field)
    else if (plain) for (const id of ids) plain.delete(id)
    const variants = this.#values.get(field)
    if (!variants) return
    if (!ids) this.#values.delete(field)
    else for (const values of variants.values()) for (const id of ids) values.delete(id)
  }

  forgetDerived(stands: (field: FieldDef, variant: string) => boolean | 'short' = () => false): void {
    for (const [field, variants] of this.#values) {
      if (field.column) continue
      for (const [variant, values] of variants) {
        const result = stands(field, variant)
        if (!result) variants.delete(variant)
        if (result !== 'short') continue
        for (const [id, value] of values) if (Array.isArray(value) && value.length > 1) values.delete(id)
      }
    }
  }

  async withoutTrimming<T>(work: () => Promise<T>): Promise<T> {
    this.#held++
    try {
      return await work()
    } finally {
      this.#held--
    }
  }

  /** A recomputation of many records needs each of them once. */
  trim(): void {
    if (this.#held > 0) return
    if (this.size > LIMIT) this.clear()
  }

  get size(): number {
    let count = 0
    for (const values of this.#plain.values()) count += values.size
    for (const variants of this.#values.values()) for (const values of variants.values()) count += values.size
    return count
  }

  clear(): void {
    this.#made = null
    this.#plain.clear()
    this.#values.clear()
  }
}

// Rows that a session has created: their columns are known without a read. They come into the cache
// field by field on demand: most fields of most rows are never needed.

/** Rows of one INSERT. */
interface Batch {
  readonly ids: Ids
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

  add(model: ModelDef, ids: Ids, column: ColumnOf): void {
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

  hasAll(model: ModelDef, ids: Ids): boolean {
    const rows = this.#models.get(model)
    return rows !== undefined && ids.every((id) => rows.ids.has(id))
  }

  forget(model: ModelDef, fields: readonly FieldDef[], ids: Ids): void {
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
  *taken(): Iterable<readonly [FieldDef, Ids]> {
    for (const { batches, taken } of this.#models.values())
      for (const [field, count] of taken) yield [field, batches.slice(0, count).flatMap(({ ids }) => ids)]
  }
}

// Rows of new records whose INSERT has not left: what is computed of them meanwhile is written with them, for
// PostgreSQL looks at all keys of a new row again when it is updated (docs/decisions/0077).

/** By field and record, as columns hold them. */
type ColumnValues = ReadonlyMap<FieldDef, ReadonlyMap<number, unknown>>

/** Rows of one INSERT. */
interface BufferedInserts {
  readonly model: ModelDef
  /** Their owner: their makers are those who wrote them last. */
  readonly uid: number
  has(id: number): boolean
  /** Sets columns of some of them; false where they left. */
  add(values: ColumnValues): boolean
}

/** Statements that are remembered of a unit: the last ones. */
const MOST_ROWS = 8

const late = new Slot<readonly BufferedInserts[]>()

/** Remembers rows that wait; of the last statements only. */
export function noteBuffered(unit: Unit, rows: BufferedInserts): void {
  late.set(unit, [...(late.get(unit) ?? []).slice(1 - MOST_ROWS), rows])
}

/** Sets columns of rows that wait, and that the same user made; false where one of them does not. */
export function addToBuffered(
  { unit, uid }: { readonly unit: Unit; readonly uid: number },
  model: ModelDef,
  ids: Ids,
  values: () => ColumnValues | null,
): boolean {
  const waiting = late.get(unit)
  if (!waiting?.length) return false
  const rows = waiting.find((one) => one.model === model && ids.every((id) => one.has(id)))
  if (!rows || (model.logAccess && rows.uid !== uid)) return false
  const columns = values()
  if (!columns) return false
  if (rows.add(columns)) return true
  late.set(
    unit,
    waiting.filter((one) => one !== rows),
  )
  return false
}
